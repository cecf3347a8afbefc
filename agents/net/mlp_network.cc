// A perceptron per head on all numbers of an observation without groups. encode takes the leaves of
// each row, or the derived features of its environment, as one line of a matrix (RowMatrix) and
// normalises it, and the numbers of its categories (CategoryLeaves). scores, asked head by head,
// appends what the earlier heads chose and picks the outputs that belong to the candidates. observe
// collects statistics of observations in an iteration, settle puts them to use before the next one.
#include <ATen/ops/cat.h>
#include <ATen/ops/empty.h>
#include <ATen/ops/full.h>
#include <ATen/ops/zeros.h>

#include <algorithm>
#include <cmath>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "agents/kit/tensor.h"
#include "agents/net/category_lists.h"
#include "agents/net/hidden_units.h"
#include "agents/net/leaf_matrix.h"
#include "agents/net/mlp.h"
#include "agents/net/networks.h"
#include "agents/net/normaliser.h"
#include "park/core/error.h"
#include "park/core/text.h"
#include "park/trees/feature_list.h"
#include "park/trees/row_features.h"

namespace park::agents {
namespace {

struct MlpNetworkConfig {
  static constexpr const char* kName = "mlp";
  std::uint32_t hidden1 = 64, hidden2 = 64;
  std::string inputs = "leaves";
  bool operator==(const MlpNetworkConfig&) const = default;

  template <class Self, class Visit>
  static void fields(Self& self, Visit&& visit) {
    visit_hidden_units(self, visit);
    visit("inputs", self.inputs,
          FieldDoc{.doc =
                       "leaves: the numbers of an observation; derived: the features of a row that "
                       "the environment derives from them, as trees have them; both. Categories "
                       "are inputs in any case",
                   .choices = "leaves|derived|both"});
  }
};

/// Values of a head with a range that it has an output for, at most.
constexpr std::int64_t kMostMlpValues = 4096;

bool is_flat(const Spec& spec) {
  return spec.observation.groups.empty() &&
         std::ranges::all_of(spec.action.leaves, [](const Leaf& head) {
           return head.dtype == DType::f32 || head.high - head.low < kMostMlpValues;
         });
}

// Of a squashed action before it is squashed, at the start.
constexpr float kLogDeviation = -0.5f;

/// The inputs of rows as a matrix: their leaves, derived features, or both.
class RowMatrix {
 public:
  /// Throws Error{invalid_config} where derived features are asked for and there are none.
  RowMatrix(const Spec& spec, const std::string& inputs)
      : leaves_(spec.observation, "", [&](const Leaf&) { return inputs != "derived"; }) {
    if (inputs == "leaves") return;
    derived_.emplace(spec, trees::hints_of(spec));
    if (derived_->width() == 0)
      throw Error(Errc::invalid_config, "inputs = " + inputs +
                                            " needs derived features of a row, and '" + spec.name +
                                            "' has none (features.txt of its folder)");
  }

  [[nodiscard]] std::int64_t width() const noexcept {
    return leaves_.width() + (derived_ ? static_cast<std::int64_t>(derived_->width()) : 0);
  }
  /// A name that derived features alone have, and these; "" without.
  [[nodiscard]] std::string mark() const {
    if (!derived_) return "";
    return "features_" + hash_digits(derived_->checksum());
  }
  /// [B, width] f32.
  [[nodiscard]] at::Tensor of(const Batch& observation) {
    if (!derived_) return leaves_.of(observation);
    const auto rows = static_cast<std::int64_t>(observation.rows());
    at::Tensor all = at::empty({rows, width()});
    if (leaves_.width() > 0) all.narrow(1, 0, leaves_.width()).copy_(leaves_.of(observation));
    derived_->compute(observation, all.data_ptr<float>() + leaves_.width(),
                      static_cast<std::size_t>(width()));
    return all;
  }

 private:
  LeafMatrix leaves_;
  std::optional<trees::RowFeatures> derived_;
};

struct FlatEncoding final : Encoding {
  at::Tensor x;  // [B, width]
  CategoryLists categories;
};

/// A network for observations without groups: all their numbers (RowMatrix), normalised, through
/// a perceptron per head. A head with values has one output for each; a continuous one its means,
/// and deviations that are learnt but the same everywhere. A later head also sees the choices of
/// the earlier ones: one-hot, the logarithm of a number of a range, a real vector as it is.
/// Categories are one-hot inputs whose weights are gathered. REQUIRES is_flat.
class MlpNetwork final : public Network {
 public:
  MlpNetwork(const Spec& spec, const MlpNetworkConfig& config, Role role, const Rng& rng)
      : heads_(spec),
        inputs_(spec, config.inputs),
        categories_(spec.observation, "", [](const Leaf&) { return true; }) {
    normaliser_ = register_module("normaliser", std::make_shared<Normaliser>(inputs_.width()));
    // Weights serve the features that they were trained on: others have another name in the file.
    if (const std::string name = inputs_.mark(); !name.empty())
      register_buffer(name, at::zeros({1}));
    const auto perceptron = [&](const std::string& name, std::int64_t in, std::int64_t out) {
      return register_module(
          name,
          std::make_shared<Mlp>(MlpOptions{.widths = {in, config.hidden1, config.hidden2, out},
                                           .other_inputs = categories_.values(),
                                           .categories = categories_.inputs()},
                                rng.split(name)));
    };
    if (role == Role::value) {
      value_ = perceptron("value", inputs_.width(), 1);
      return;
    }
    std::int64_t in = inputs_.width();
    for (std::size_t h = 0; h < heads_.size(); ++h) {
      const Leaf& leaf = spec.action.leaves[h];
      const bool continuous = heads_[h].kind == HeadKind::continuous;
      values_.push_back(continuous ? static_cast<std::int64_t>(heads_[h].width)
                                   : static_cast<std::int64_t>(leaf.high - leaf.low) + 1);
      head_.push_back(perceptron("head_" + leaf.name, in, values_.back()));
      log_deviation_.push_back(continuous
                                   ? register_parameter("deviation_" + leaf.name,
                                                        at::full({values_.back()}, kLogDeviation))
                                   : at::Tensor());
      in += choice_width(h);
    }
  }

  std::unique_ptr<Encoding> encode(const Batch& observation) override {
    auto encoding = std::make_unique<FlatEncoding>();
    encoding->x = normaliser_->apply(inputs_.of(observation));
    encoding->categories.rows = static_cast<std::int64_t>(observation.rows());
    const std::vector<std::int64_t> inputs = categories_.of(observation);
    for (std::size_t i = 0; i < inputs.size(); ++i)
      encoding->categories.add(static_cast<std::int64_t>(i) / categories_.values(), inputs[i]);
    return encoding;
  }

  at::Tensor scores(Encoding& encoding, std::size_t head, const Candidates& c,
                    const Batch& actions) override {
    const auto& flat = static_cast<FlatEncoding&>(encoding);
    std::vector<at::Tensor> parts{flat.x};
    for (std::size_t h = 0; h < head; ++h) parts.push_back(choices(h, actions));
    const at::Tensor y =
        head_[head]->forward(head == 0 ? parts[0] : at::cat(parts, 1), flat.categories).cpu();
    if (heads_[head].kind == HeadKind::continuous) return y;
    const at::Tensor places = at::empty({static_cast<std::int64_t>(c.size())}, at::kLong);
    auto* to = places.data_ptr<std::int64_t>();
    const auto low = static_cast<std::int64_t>(heads_[head].low);
    for (std::size_t r = 0; r < c.rows(); ++r)
      for (std::int64_t i = c.offsets[r]; i < c.offsets[r + 1]; ++i)
        *to++ = static_cast<std::int64_t>(r) * values_[head] +
                c.value[static_cast<std::size_t>(i)] - low;
    return y.flatten().index_select(0, places);
  }

  at::Tensor log_deviation(std::size_t head) override { return log_deviation_[head].cpu(); }
  [[nodiscard]] bool has_values() const noexcept override { return value_ != nullptr; }
  at::Tensor values(Encoding& encoding) override {
    const auto& flat = static_cast<FlatEncoding&>(encoding);
    return value_->forward(flat.x, flat.categories).squeeze(1).cpu();
  }
  void observe(const Batch& observation) override { normaliser_->observe(inputs_.of(observation)); }
  void settle() override { normaliser_->settle(); }

 private:
  [[nodiscard]] std::int64_t choice_width(std::size_t h) const {
    return heads_[h].kind == HeadKind::interval ? 1 : values_[h];
  }

  /// What later heads see of the choices of a head [B, choice_width].
  [[nodiscard]] at::Tensor choices(std::size_t h, const Batch& actions) const {
    const std::int64_t width = choice_width(h);
    at::Tensor x = at::zeros({static_cast<std::int64_t>(actions.rows()), width});
    float* to = x.data_ptr<float>();
    for (std::size_t r = 0; r < actions.rows(); ++r, to += width) {
      if (heads_[h].kind == HeadKind::continuous)
        std::ranges::copy(heads_.real(actions.row(r), h), to);
      else if (heads_[h].kind == HeadKind::interval)
        *to = std::log1p(static_cast<float>(heads_.get(actions.row(r), h) - heads_[h].low));
      else
        to[heads_.get(actions.row(r), h) - static_cast<std::int32_t>(heads_[h].low)] = 1;
    }
    return x;
  }

  Heads heads_;
  RowMatrix inputs_;
  CategoryLeaves categories_;
  std::shared_ptr<Normaliser> normaliser_;
  std::shared_ptr<Mlp> value_;
  std::vector<std::shared_ptr<Mlp>> head_;
  std::vector<std::int64_t> values_;  // [heads] outputs
  std::vector<at::Tensor> log_deviation_;
};

}  // namespace

void register_mlp_network(Networks& all) {
  all.add({.about = part_text<MlpNetworkConfig>(
               {.summary = "a perceptron on all numbers of an observation", .place = 10}),
           .environments = "environments without groups",
           .fits = is_flat,
           .preference = 2,
           .make = [](const Value& text, const Spec& spec, Role role,
                      const Rng& rng) -> std::shared_ptr<Network> {
             return std::make_shared<MlpNetwork>(spec, parse_config<MlpNetworkConfig>(text), role,
                                                 rng);
           }});
}

}  // namespace park::agents
