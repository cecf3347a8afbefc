// Observations become the tensors that a network of another program takes, and its outputs become
// decisions. The constructor finds the leaf of each input and tries the network on two made-up rows,
// so that what does not fit is told before anything plays. act runs the network once for all rows and
// then goes through the heads.
#include "agents/exported/exported_policy.h"

#include <ATen/ops/cat.h>
#include <ATen/ops/empty.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "agents/kit/decide.h"
#include "park/core/error.h"
#include "park/core/identifier.h"
#include "park/core/text.h"
#include "park/core/with_type.h"

namespace park::agents {
namespace {

/// Values of a head with a range, at most.
constexpr double kMostHeadValues = 1 << 16;

/// Numbers of one column as f32, row after row with a stride.
void write(const Batch& batch, std::size_t column, std::size_t from, std::size_t rows, float* to,
           std::int64_t stride) {
  const Leaf& leaf = batch.record().leaves[column];
  const std::size_t width = leaf.width();
  const auto as = [&]<class T>(T) {
    const auto bytes = batch.bytes(column, from, rows);
    const T* v = reinterpret_cast<const T*>(bytes.data());
    for (std::size_t r = 0; r < rows; ++r, v += width, to += stride)
      std::transform(v, v + width, to, [](T x) { return static_cast<float>(x); });
  };
  with_type(leaf.dtype, as);
}

/// "obs.x" is written obs_x where dots are not allowed in a name.
bool same_name(const std::string& of_file, const std::string& ours) {
  return of_file == ours || of_file == identifier_of(ours);
}

std::string sizes_text(const at::Tensor& t) {
  std::string text;
  for (const std::int64_t n : t.sizes()) text += (text.empty() ? "" : ", ") + std::to_string(n);
  return '[' + text + ']';
}

/// The least value of every leaf, so that all are inside their bounds.
template <class T>
void fill(Batch& batch, std::size_t column, double value) {
  for (std::size_t r = 0; r < batch.rows(); ++r) {
    const auto bytes = batch.bytes(column, r, 1);
    auto* const v = reinterpret_cast<T*>(bytes.data());
    std::fill_n(v, bytes.size() / sizeof(T), static_cast<T>(value));
  }
}

Batch made_up_rows(const Spec& spec) {
  Batch rows(spec.observation);
  rows.resize(2);
  for (std::size_t c = 0; c < rows.columns(); ++c) {
    const Leaf& leaf = spec.observation.leaves[c];
    const double value = std::clamp(0.0, leaf.low, leaf.high);
    if (leaf.dtype == DType::u8) fill<std::uint8_t>(rows, c, value);
    if (leaf.dtype == DType::i32) fill<std::int32_t>(rows, c, value);
    if (leaf.dtype == DType::i64) fill<std::int64_t>(rows, c, value);
    if (leaf.dtype == DType::f32) fill<float>(rows, c, value);
    if (leaf.dtype == DType::f64) fill<double>(rows, c, value);
  }
  return rows;
}

}  // namespace

ExportedPolicy::ExportedPolicy(const Spec& spec, std::unique_ptr<ExportedNetwork> network,
                               bool sample, std::string file)
    : spec_(spec),
      heads_(spec),
      network_(std::move(network)),
      sample_(sample),
      file_(std::move(file)) {
  if (!spec.observation.groups.empty())
    refuse("is for layouts of fixed size; " + spec.name + " has the group " +
           spec.observation.groups.front().name + ", of which rows have different numbers");
  for (std::size_t h = 0; h < heads_.size(); ++h) {
    const Heads::Head& head = heads_[h];
    const bool continuous = head.kind == HeadKind::continuous;
    if (continuous && sample)
      refuse("sample: head " + head.name +
             " is continuous, and the file tells no deviation of it; "
             "allowed is false");
    const double values = head.high - head.low + 1;
    if (!continuous && values > kMostHeadValues)
      refuse("head " + head.name + " has " + std::to_string(static_cast<std::int64_t>(values)) +
             " values; allowed are 65536");
    widths_.push_back(
        static_cast<std::int64_t>(continuous ? static_cast<double>(head.width) : values));
  }
  bind_inputs();
  try_out();
}

void ExportedPolicy::refuse(const std::string& what) const {
  throw Error(Errc::invalid_config, file_ + ": " + what);
}

void ExportedPolicy::bind_inputs() {
  const std::vector<ExportedInput>& inputs = network_->inputs();
  if (inputs.empty())
    refuse("takes no input; allowed are one for all leaves, or one for each of some");
  const auto is_leaf = [&](const ExportedInput& input) {
    return std::ranges::any_of(spec_.observation.leaves, [&](const Leaf& leaf) {
      return !leaf.informative() && same_name(input.name, leaf.name);
    });
  };
  if (inputs.size() > 1 || is_leaf(inputs.front())) {
    bind_named_inputs();
  } else {
    std::int64_t at = 0;
    for (std::size_t c = 0; c < spec_.observation.leaves.size(); ++c) {
      if (spec_.observation.leaves[c].informative()) continue;
      places_.push_back({c, 0, at});
      at += static_cast<std::int64_t>(spec_.observation.leaves[c].width());
    }
    input_widths_ = {at};
  }
  for (std::size_t i = 0; i < inputs.size(); ++i) check_input(inputs[i], input_widths_[i]);
}

void ExportedPolicy::bind_named_inputs() {
  const auto& leaves = spec_.observation.leaves;
  for (const ExportedInput& input : network_->inputs()) {
    const auto leaf = std::ranges::find_if(
        leaves, [&](const Leaf& l) { return !l.informative() && same_name(input.name, l.name); });
    if (leaf == leaves.end()) {
      std::string known;
      for (const Leaf& l : leaves)
        if (!l.informative()) known += (known.empty() ? "" : ", ") + l.name;
      refuse("input '" + printable(input.name) + "' is no leaf of " + spec_.name +
             "; allowed are " + known + " (dots may be _), or one input for all of them");
    }
    places_.push_back({static_cast<std::size_t>(leaf - leaves.begin()), input_widths_.size(), 0});
    input_widths_.push_back(static_cast<std::int64_t>(leaf->width()));
  }
}

void ExportedPolicy::check_input(const ExportedInput& input, std::int64_t numbers) const {
  const std::string what = "input '" + printable(input.name) + "' takes ";
  if (input.numbers >= 0 && input.numbers != numbers)
    refuse(what + std::to_string(input.numbers) + " numbers; allowed are " +
           std::to_string(numbers) + ", as park describe lists them for " + spec_.name);
  if (input.rows > 1)
    refuse(what + std::to_string(input.rows) + " rows; allowed are any number, or 1");
}

void ExportedPolicy::try_out() {
  row_by_row_ = std::ranges::any_of(network_->inputs(),
                                    [](const ExportedInput& input) { return input.rows == 1; });
  const Batch rows = made_up_rows(spec_);
  try {
    static_cast<void>(outputs(rows));
  } catch (const Error& error) {
    if (error.code() == Errc::not_finite) return;  // of rows that may never come
    if (error.code() != Errc::bad_file) throw;
    std::string widths;
    for (const std::int64_t n : input_widths_)
      widths += (widths.empty() ? "[2, " : " and [2, ") + std::to_string(n) + ']';
    throw Error(Errc::invalid_config,
                std::string(error.what()) + " (with inputs " + widths + " for " + spec_.name + ")");
  }
}

std::vector<at::Tensor> ExportedPolicy::inputs_of(const Batch& batch, std::size_t from,
                                                  std::size_t rows) const {
  std::vector<at::Tensor> all;
  for (const std::int64_t width : input_widths_)
    all.push_back(at::empty({static_cast<std::int64_t>(rows), width}));
  for (const Place& p : places_)
    write(batch, p.column, from, rows, all[p.input].data_ptr<float>() + p.at,
          input_widths_[p.input]);
  for (std::size_t i = 0; i < all.size(); ++i) all[i] = all[i].to(network_->inputs()[i].type);
  return all;
}

std::vector<at::Tensor> ExportedPolicy::heads_of(const Batch& batch, std::size_t from,
                                                 std::size_t rows) {
  std::vector<at::Tensor> all = by_head(network_->run(inputs_of(batch, from, rows)), rows);
  for (at::Tensor& t : all) t = t.to(at::kFloat).contiguous();
  return all;
}

/// All rows at once, or one after the other where the file says that it takes one.
std::vector<at::Tensor> ExportedPolicy::outputs(const Batch& batch) {
  if (!row_by_row_) return heads_of(batch, 0, batch.rows());
  std::vector<std::vector<at::Tensor>> rows(heads_.size());
  for (std::size_t r = 0; r < batch.rows(); ++r) {
    const std::vector<at::Tensor> of_row = heads_of(batch, r, 1);
    for (std::size_t h = 0; h < heads_.size(); ++h) rows[h].push_back(of_row[h]);
  }
  std::vector<at::Tensor> all;
  for (const auto& of_head : rows)
    all.push_back(of_head.empty() ? at::empty({0, widths_[all.size()]}) : at::cat(of_head, 0));
  return all;
}

std::vector<at::Tensor> ExportedPolicy::by_head(const ExportedOutputs& out,
                                                std::size_t rows) const {
  const auto n = static_cast<std::int64_t>(rows);
  const auto check = [&](const at::Tensor& t, std::int64_t width, const std::string& what) {
    if (t.dim() != 2 || t.size(0) != n || t.size(1) != width)
      refuse(what + " has the shape " + sizes_text(t) + " for " + std::to_string(n) +
             " rows; allowed is [" + std::to_string(n) + ", " + std::to_string(width) + "]");
  };
  std::vector<at::Tensor> all;
  for (std::size_t h = 0; h < heads_.size(); ++h) {
    const auto named = std::ranges::find_if(
        out.names, [&](const std::string& name) { return same_name(name, heads_[h].name); });
    if (named == out.names.end()) break;
    all.push_back(out.tensors[static_cast<std::size_t>(named - out.names.begin())]);
    check(all.back(), widths_[h], "output '" + printable(*named) + "'");
  }
  if (all.size() == heads_.size()) return all;
  if (out.tensors.size() == 1) {
    std::int64_t width = 0;
    for (const std::int64_t w : widths_) width += w;
    check(out.tensors[0], width, "its output");
    return out.tensors[0].split_with_sizes(widths_, 1);
  }
  if (out.tensors.size() != heads_.size()) {
    std::string known;
    for (std::size_t h = 0; h < heads_.size(); ++h) known += (h > 0 ? ", " : "") + heads_[h].name;
    refuse("has " + std::to_string(out.tensors.size()) +
           " outputs; allowed are one for all heads, one for each in the order " + known +
           ", or their names");
  }
  for (std::size_t h = 0; h < heads_.size(); ++h)
    check(out.tensors[h], widths_[h], "its output for head " + heads_[h].name);
  return out.tensors;
}

void ExportedPolicy::start(std::uint32_t slot, const Episode&, Rng rng) {
  if (slot >= rng_.size()) rng_.resize(slot + 1);
  rng_[slot] = rng;
}

/// Scores of the candidates; -inf is a value that the network never takes.
void ExportedPolicy::score(const at::Tensor& of_head, std::size_t head, const Candidates& c,
                           std::vector<float>& scores) const {
  scores.resize(c.size());
  const auto low = static_cast<std::int64_t>(heads_[head].low);
  const float* row = of_head.data_ptr<float>();
  for (std::size_t r = 0; r < c.rows(); ++r, row += widths_[head]) {
    bool some = c.count(r) == 0;
    for (std::int64_t i = c.offsets[r]; i < c.offsets[r + 1]; ++i) {
      const auto at = static_cast<std::size_t>(i);
      const float v = scores[at] = row[c.value[at] - low];
      some = some || std::isfinite(v);
      if (std::isnan(v) || v == std::numeric_limits<float>::infinity())
        throw Error(Errc::not_finite,
                    file_ + ": its output for head " + heads_[head].name + " is no finite number");
    }
    if (!some)
      throw Error(Errc::not_finite,
                  file_ + ": it takes no legal value of head " + heads_[head].name);
  }
}

void ExportedPolicy::choose(const Decisions& d, const at::Tensor& of_head, std::size_t head,
                            Batch& actions) {
  heads_.candidates(head, d.observation, actions, candidates_);
  score(of_head, head, candidates_, scores_);
  for (std::size_t r = 0; r < candidates_.rows(); ++r) {
    const auto from = static_cast<std::size_t>(candidates_.offsets[r]);
    const std::span of_row(scores_.data() + from, static_cast<std::size_t>(candidates_.count(r)));
    std::size_t k = 0;
    if (sample_ && of_row.size() > 1) {
      const Ask& ask = d.asked[r];
      k = pick_by(of_row, rng_[ask.slot].split(ask.sequence).split(head).uniform());
    } else {
      k = pick_largest(of_row);
    }
    heads_.set(actions.row(r), head, candidates_.value[from + k]);
  }
}

void ExportedPolicy::act(const Decisions& d, Batch& actions) {
  const std::vector<at::Tensor> all = outputs(d.observation);
  for (std::size_t h = 0; h < heads_.size(); ++h) {
    if (heads_[h].kind != HeadKind::continuous) {
      choose(d, all[h], h, actions);
      continue;
    }
    const float* from = all[h].data_ptr<float>();
    const auto low = static_cast<float>(heads_[h].low), high = static_cast<float>(heads_[h].high);
    for (std::size_t r = 0; r < actions.rows(); ++r)
      for (float& a : heads_.real(actions.row(r), h)) {
        if (!std::isfinite(*from))
          throw Error(Errc::not_finite,
                      file_ + ": its output for head " + heads_[h].name + " is no finite number");
        a = std::clamp(*from++, low, high);
      }
  }
}

bool ExportedPolicy::scores(const Batch& observation, std::size_t head, const Batch& actions,
                            Candidates& candidates, std::vector<float>& scores) {
  if (heads_[head].kind == HeadKind::continuous) return false;
  heads_.candidates(head, observation, actions, candidates);
  score(outputs(observation)[head], head, candidates, scores);
  return true;
}

}  // namespace park::agents
