// Networks for any environment. Data: ScorerTables turns an observation into a table of features
// for each group of elements and one for the row. encode makes the tables once; scores, asked head
// by head, joins for each candidate what the class comment below lists and runs one perceptron over
// all candidates of the batch. What the candidates of a row have in common is multiplied with
// weights once. Weights are made for the role alone: make_policy or make_value. With
// a graph, embeddings of its nodes go beside the features. The networks scorer and graph are made here.
#include "agents/net/scorer.h"

#include <ATen/ops/cat.h>
#include <ATen/ops/empty.h>
#include <ATen/ops/full.h>

#include <algorithm>
#include <cmath>
#include <memory>
#include <numeric>
#include <utility>
#include <vector>

#include "agents/net/category_lists.h"
#include "agents/net/index_tensor.h"
#include "agents/net/mlp.h"
#include "agents/net/row_means.h"
#include "agents/net/scorer_tables.h"
#include "park/core/identifier.h"

namespace park::agents {
namespace {

// Of a squashed action before it is squashed, at the start.
constexpr float kFirstLogDeviation = -0.5f;
// Width of an element's embedding in the value.
constexpr std::int64_t kEmbedding = 16;
// Features of a value: its logarithm, where it lies in what is open, how far from its end.
constexpr std::int64_t kValue = 3;

struct ScorerEncoding final : Encoding {
  explicit ScorerEncoding(ScorerTables::Features f) : features(std::move(f)) {}
  ScorerTables::Features features;
  GraphEncoder::Embeddings graph{};
};

/// A network for any environment, whose heads score every candidate by a perceptron that all
/// candidates share, so that there may be any number of them. A candidate's features:
/// - of an element: its own leaves and those of what it refers to, such as the job of a stage;
/// - of a value: the value, where it lies in the range that is open, and the leaves of the row that
///   have an entry per value;
/// - what the earlier heads chose, in the same way;
/// - the row, the means of all groups and the logarithms of their sizes.
/// Its value is a perceptron on the last of these and on means of embeddings of all elements.
/// Categories of any of these are one-hot inputs, whose weights are gathered. With a graph there are
/// also the embeddings of the elements and their means.
class Scorer final : public Network {
 public:
  Scorer(const Spec& spec, const ScorerOptions& options, Role role, const Rng& rng)
      : heads_(spec), tables_(spec, heads_), options_(options), rng_(rng) {
    for (std::size_t t = 0; t <= tables_.tables(); ++t)
      register_module("normaliser_" + (t < tables_.tables() ? tables_.name(t) : "row"),
                      tables_.normalisers()[t]);
    if (options.graph)
      graph_ = register_module("graph", std::make_shared<GraphEncoder>(
                                            spec, tables_, *options.graph, rng.split("graph")));
    if (role == Role::value)
      make_value();
    else
      make_policy();
  }

  std::unique_ptr<Encoding> encode(const Batch& observation) override {
    auto encoding = std::make_unique<ScorerEncoding>(tables_.of(observation));
    if (graph_) encoding->graph = graph_->of(encoding->features);
    return encoding;
  }

  at::Tensor scores(Encoding& encoding, std::size_t head, const Candidates& c,
                    const Batch& actions) override {
    const auto& e = static_cast<ScorerEncoding&>(encoding);
    const Mlp& score = *score_[head];
    const at::Tensor common = of_rows(e, head, actions);
    const CategoryLists lists = categories_of_rows(e.features, head, actions);
    if (heads_[head].kind == HeadKind::continuous) return score.forward(common, lists).cpu();
    const Mlp::Inputs inputs{own_width(head), common.size(1)};
    at::Tensor sums = score.products(common, inputs);
    if (score.categories().defined()) sums = sums + category_rows(score.categories(), lists);
    const std::vector<std::int64_t> row = rows_of(c);
    return score
        .forward_without(inputs, of_candidates(e, head, c, row),
                         with_candidates(e.features, head, c, row, sums))
        .squeeze(1)
        .cpu();
  }

  at::Tensor log_deviation(std::size_t head) override { return log_deviation_[head].cpu(); }
  [[nodiscard]] bool has_values() const noexcept override { return value_ != nullptr; }

  at::Tensor values(Encoding& encoding) override {
    const auto& [f, embeddings] = static_cast<ScorerEncoding&>(encoding);
    std::vector<at::Tensor> parts{f.context};
    if (graph_) parts.push_back(embeddings.rows);
    for (std::size_t t = 0; t < tables_.tables(); ++t)
      if (embed_[t] != nullptr) parts.push_back(pooled(f, t));
    CategoryLists lists;
    lists.rows = f.context.size(0);
    tables_.list_context(f, 0, lists);
    return value_->forward(at::cat(parts, 1), lists).squeeze(1).cpu();
  }

  void observe(const Batch& observation) override { tables_.observe(observation); }
  void settle() override {
    for (const auto& n : tables_.normalisers()) n->settle();
  }

 private:
  using OneHot = ScorerTables::OneHot;

  std::shared_ptr<Mlp> perceptron(const std::string& name, std::int64_t in, std::int64_t out,
                                  const OneHot& categories) {
    return register_module(
        name, std::make_shared<Mlp>(
                  MlpOptions{.widths = {in, options_.units.hidden1, options_.units.hidden2, out},
                             .other_inputs = categories.values,
                             .categories = categories.inputs},
                  rng_.split(name)));
  }

  void make_value() {
    std::int64_t in = tables_.context_width() + (graph_ ? graph_->row_width() : 0);
    for (std::size_t t = 0; t < tables_.tables(); ++t) {
      const std::int64_t width = tables_.reach_width(t);
      // Without numbers of its own an element tells nothing that others do not tell.
      const OneHot reach = tables_.reach_categories(t);
      const bool tells = width + reach.inputs > 0 && !tables_.only_refers(t);
      embed_.push_back(tells ? perceptron("embed_" + tables_.name(t), width, kEmbedding, reach)
                             : nullptr);
      if (tells) in += kEmbedding;
    }
    value_ = perceptron("value", in, 1, tables_.context_categories());
  }

  void make_policy() {
    std::int64_t in = tables_.context_width();
    for (std::size_t h = 0; h < heads_.size(); ++h) {
      const bool continuous = heads_[h].kind == HeadKind::continuous;
      const auto dimension = static_cast<std::int64_t>(heads_[h].width);
      width_.push_back(in + own_width(h));
      OneHot one_hot = tables_.context_categories();
      for (std::size_t e = 0; e <= h; ++e) one_hot += of_choice(e, e == h);
      score_.push_back(perceptron("score_" + identifier_of(heads_[h].name),
                                  width_[h] + graph_width(h), continuous ? dimension : 1, one_hot));
      log_deviation_.push_back(
          continuous ? register_parameter("deviation_" + identifier_of(heads_[h].name),
                                          at::full({dimension}, kFirstLogDeviation))
                     : at::Tensor());
      in += choice_width(h);
    }
  }

  /// Features of a candidate alone; a continuous head has no candidates.
  [[nodiscard]] std::int64_t own_width(std::size_t h) const {
    if (heads_[h].kind == HeadKind::continuous) return 0;
    const std::int32_t table = tables_.table_of(h);
    const std::int64_t reach = table < 0 ? 0 : tables_.reach_width(static_cast<std::size_t>(table));
    return heads_[h].kind == HeadKind::index ? reach : kValue + reach;
  }
  [[nodiscard]] std::int64_t choice_width(std::size_t h) const {
    if (heads_[h].kind == HeadKind::index) return own_width(h);
    return heads_[h].kind == HeadKind::continuous ? static_cast<std::int64_t>(heads_[h].width) : 1;
  }

  /// Embeddings of a candidate, of what the earlier heads chose, and of the row.
  [[nodiscard]] std::int64_t graph_width(std::size_t head) const {
    if (!graph_) return 0;
    std::int64_t width = graph_->row_width();
    for (std::size_t h = 0; h <= head; ++h)
      if (heads_[h].kind == HeadKind::index)
        width += graph_->reach_width(static_cast<std::size_t>(tables_.table_of(h)));
    return width;
  }

  /// What all candidates of a row have in common: earlier choices, the context and, with a graph,
  /// the embeddings of these [B, *].
  [[nodiscard]] at::Tensor of_rows(const ScorerEncoding& e, std::size_t head,
                                   const Batch& actions) const {
    const auto rows = static_cast<std::int64_t>(actions.rows());
    at::Tensor x = at::empty({rows, width_[head] - own_width(head)});
    float* to = x.data_ptr<float>();
    for (std::size_t r = 0; r < actions.rows(); ++r) to = shared(e.features, head, actions, r, to);
    if (!graph_) return x;
    std::vector<std::int64_t> all(actions.rows());
    std::iota(all.begin(), all.end(), std::int64_t{0});
    std::vector<at::Tensor> parts{x.to(e.graph.rows.device()), e.graph.rows};
    for (std::size_t h = 0; h < head; ++h) {
      if (!embedded(h)) continue;
      const auto t = static_cast<std::size_t>(tables_.table_of(h));
      std::vector<std::int64_t> places(actions.rows());
      for (std::size_t r = 0; r < actions.rows(); ++r)
        places[r] = e.features.offsets[t][r] + heads_.get(actions.row(r), h);
      parts.push_back(graph_->reach(e.features, e.graph, t, places, all));
    }
    return at::cat(parts, 1);
  }

  /// What candidates have of their own, with a graph also their embeddings [n, *].
  [[nodiscard]] at::Tensor of_candidates(const ScorerEncoding& e, std::size_t head,
                                         const Candidates& c,
                                         const std::vector<std::int64_t>& row) const {
    at::Tensor x = at::empty({static_cast<std::int64_t>(c.size()), own_width(head)});
    float* to = x.data_ptr<float>();
    for (std::size_t i = 0; i < c.size(); ++i)
      to = own(e.features, head, c, static_cast<std::size_t>(row[i]), i, to);
    if (!graph_ || !embedded(head)) return x;
    const auto t = static_cast<std::size_t>(tables_.table_of(head));
    return at::cat(
        {x.to(e.graph.rows.device()),
         graph_->reach(e.features, e.graph, t, {c.element.begin(), c.element.end()}, row)},
        1);
  }

  /// Candidates of the head are elements that have embeddings.
  [[nodiscard]] bool embedded(std::size_t head) const {
    return heads_[head].kind == HeadKind::index &&
           graph_->reach_width(static_cast<std::size_t>(tables_.table_of(head))) > 0;
  }

  /// The row of every candidate.
  static std::vector<std::int64_t> rows_of(const Candidates& c) {
    std::vector<std::int64_t> row;
    for (std::size_t r = 0; r < c.rows(); ++r)
      row.resize(static_cast<std::size_t>(c.offsets[r + 1]), static_cast<std::int64_t>(r));
    return row;
  }

  /// The categories of a candidate of the head, or of what an earlier head chose.
  [[nodiscard]] OneHot of_choice(std::size_t h, bool candidate) const {
    const std::int32_t table = tables_.table_of(h);
    const bool has = table >= 0 && (candidate || heads_[h].kind == HeadKind::index);
    return has ? tables_.reach_categories(static_cast<std::size_t>(table)) : OneHot{};
  }

  /// One-hot inputs that the candidates of a row have in common: of the context and of earlier
  /// choices. Those of a candidate are behind them.
  [[nodiscard]] CategoryLists categories_of_rows(const ScorerTables::Features& f, std::size_t head,
                                                 const Batch& actions) const {
    CategoryLists lists;
    lists.rows = static_cast<std::int64_t>(actions.rows());
    tables_.list_context(f, 0, lists);
    for (std::size_t h = 0; h < head; ++h) {
      if (of_choice(h, false).inputs == 0) continue;
      const auto t = static_cast<std::size_t>(tables_.table_of(h));
      const std::int64_t base = first_category(h);
      for (std::size_t r = 0; r < actions.rows(); ++r)
        tables_.list(f, t, r, f.offsets[t][r] + heads_.get(actions.row(r), h), base,
                     static_cast<std::int64_t>(r), lists);
    }
    return lists;
  }
  /// The first one-hot input of a candidate of the head, or of what the head chose.
  [[nodiscard]] std::int64_t first_category(std::size_t head) const {
    std::int64_t base = tables_.context_categories().inputs;
    for (std::size_t h = 0; h < head; ++h) base += of_choice(h, false).inputs;
    return base;
  }

  /// Adds what candidates' own categories are worth to the sums of their rows [B, first hidden
  /// layer].
  [[nodiscard]] CategorySums with_candidates(const ScorerTables::Features& f, std::size_t head,
                                             const Candidates& c,
                                             const std::vector<std::int64_t>& row,
                                             const at::Tensor& sums) const {
    const at::Tensor of = index_tensor(row).to(sums.device());
    if (of_choice(head, true).inputs == 0) return {sums, of};
    CategoryLists own;
    own.rows = static_cast<std::int64_t>(c.size());
    const bool index = heads_[head].kind == HeadKind::index;
    const auto t = static_cast<std::size_t>(tables_.table_of(head));
    const auto low = static_cast<std::int64_t>(heads_[head].low);
    const std::int64_t base = first_category(head);
    for (std::size_t i = 0; i < c.size(); ++i) {
      const auto r = static_cast<std::size_t>(row[i]);
      const std::int64_t place = index ? c.element[i] : f.offsets[t][r] + c.value[i] - low;
      tables_.list(f, t, r, place, base, static_cast<std::int64_t>(i), own);
    }
    std::vector<std::int64_t> all(c.size());
    std::iota(all.begin(), all.end(), std::int64_t{0});
    return {sums.index_select(0, of) + category_rows(score_[head]->categories(), own),
            index_tensor(all).to(sums.device())};
  }

  /// Features of candidate `at` alone.
  float* own(const ScorerTables::Features& f, std::size_t head, const Candidates& c,
             std::size_t row, std::size_t at, float* to) const {
    const std::int32_t table = tables_.table_of(head);
    if (heads_[head].kind == HeadKind::index)
      return tables_.write(f, static_cast<std::size_t>(table), row, c.element[at], to);
    const auto low = static_cast<std::int32_t>(heads_[head].low);
    const auto first = static_cast<float>(c.value[static_cast<std::size_t>(c.offsets[row])]);
    const auto last = static_cast<float>(c.value[static_cast<std::size_t>(c.offsets[row + 1]) - 1]);
    const auto v = static_cast<float>(c.value[at]);
    *to++ = std::log1p(static_cast<float>(c.value[at] - low));
    *to++ = (v - first) / std::max(1.0f, last - first);
    *to++ = std::log1p(last - v);
    if (table < 0) return to;
    const auto t = static_cast<std::size_t>(table);
    return tables_.write(f, t, row, f.offsets[t][row] + c.value[at] - low, to);
  }

  /// What the candidates of a row have in common: earlier choices and the context.
  float* shared(const ScorerTables::Features& f, std::size_t head, const Batch& actions,
                std::size_t row, float* to) const {
    for (std::size_t h = 0; h < head; ++h) {
      if (heads_[h].kind == HeadKind::continuous) {
        to = std::ranges::copy(heads_.real(actions.row(row), h), to).out;
        continue;
      }
      const std::int32_t value = heads_.get(actions.row(row), h);
      if (heads_[h].kind != HeadKind::index) {
        *to++ = std::log1p(static_cast<float>(value - heads_[h].low));
        continue;
      }
      const auto t = static_cast<std::size_t>(tables_.table_of(h));
      to = tables_.write(f, t, row, f.offsets[t][row] + value, to);
    }
    const std::int64_t width = tables_.context_width();
    return std::copy_n(f.context.data_ptr<float>() + static_cast<std::int64_t>(row) * width, width,
                       to);
  }

  /// Means of the embeddings of a table's elements [B, kEmbedding]; 0 where there are none.
  at::Tensor pooled(const ScorerTables::Features& f, std::size_t t) const {
    const ScorerTables::Reach all = tables_.reach(f, t);
    const auto& offsets = f.offsets[t];
    std::vector<std::int64_t> row;
    for (std::size_t r = 0; r + 1 < offsets.size(); ++r)
      row.resize(static_cast<std::size_t>(offsets[r + 1]), static_cast<std::int64_t>(r));
    return row_means(embed_[t]->forward(all.features, all.categories).cpu(), row,
                     offsets.size() - 1);
  }

  Heads heads_;
  ScorerTables tables_;
  ScorerOptions options_;
  Rng rng_;
  std::vector<std::int64_t> width_;  // [heads] of a candidate
  std::vector<std::shared_ptr<Mlp>> score_, embed_;
  std::vector<at::Tensor> log_deviation_;
  std::shared_ptr<Mlp> value_;
  std::shared_ptr<GraphEncoder> graph_;
};

}  // namespace

std::shared_ptr<Network> make_scorer(const Spec& spec, const ScorerOptions& options, Role role,
                                     const Rng& rng) {
  return std::make_shared<Scorer>(spec, options, role, rng);
}

}  // namespace park::agents
