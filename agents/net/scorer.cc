// The network for any environment. encode turns a batch into tables of normalised features; a
// candidate's features are its own, those that all candidates of its row share, and those of
// earlier choices; one perceptron per head scores them all in one call. The value is a perceptron
// on the context and on pooled embeddings. decide and evaluate of agents/kit call it, in the order
// of the heads.
#include "agents/net/scorer.h"

#include <ATen/ops/cat.h>
#include <ATen/ops/empty.h>
#include <ATen/ops/full.h>
#include <ATen/ops/zeros.h>

#include <algorithm>
#include <cmath>
#include <utility>
#include <vector>

#include "agents/net/mlp.h"
#include "agents/net/scorer_tables.h"

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
};

class Scorer final : public Network {
 public:
  Scorer(const Spec& spec, const ScorerConfig& config, Role role, const Rng& rng)
      : heads_(spec), tables_(spec, heads_), config_(config), rng_(rng) {
    for (std::size_t t = 0; t <= tables_.tables(); ++t)
      register_module("normaliser_" + (t < tables_.tables() ? tables_.name(t) : "row"),
                      tables_.normalisers()[t]);
    if (role == Role::value)
      make_value();
    else
      make_policy();
  }

  std::unique_ptr<Encoding> encode(const Batch& observation) override {
    return std::make_unique<ScorerEncoding>(tables_.of(observation));
  }

  at::Tensor scores(Encoding& encoding, std::size_t head, const Candidates& c,
                    const Batch& actions) override {
    const auto& f = static_cast<ScorerEncoding&>(encoding).features;
    const bool continuous = heads_[head].kind == HeadKind::continuous;
    const std::size_t n = continuous ? actions.rows() : c.size();
    const at::Tensor x = at::empty({static_cast<std::int64_t>(n), width_[head]});
    float* to = x.data_ptr<float>();
    for (std::size_t r = 0; r < actions.rows(); ++r) {
      const auto begin = static_cast<std::size_t>(continuous ? 0 : c.offsets[r]);
      const std::size_t candidates = continuous ? 1 : static_cast<std::size_t>(c.count(r));
      for (std::size_t i = 0; i < candidates; ++i) {
        if (!continuous) to = own(f, head, c, r, begin + i, to);
        to = shared(f, head, actions, r, to);
      }
    }
    const at::Tensor y = score_[head]->forward(x).cpu();
    return continuous ? y : y.squeeze(1);
  }

  at::Tensor log_deviation(std::size_t head) override { return log_deviation_[head].cpu(); }
  [[nodiscard]] bool has_values() const noexcept override { return value_ != nullptr; }

  at::Tensor values(Encoding& encoding) override {
    const auto& f = static_cast<ScorerEncoding&>(encoding).features;
    std::vector<at::Tensor> parts{f.context};
    for (std::size_t t = 0; t < tables_.tables(); ++t)
      if (embed_[t] != nullptr) parts.push_back(pooled(f, t));
    return value_->forward(at::cat(parts, 1)).squeeze(1).cpu();
  }

  void observe(const Batch& observation) override { tables_.observe(observation); }
  void settle() override {
    for (const auto& n : tables_.normalisers()) n->settle();
  }

 private:
  std::shared_ptr<Mlp> perceptron(const std::string& name, std::int64_t in, std::int64_t out) {
    return register_module(
        name, std::make_shared<Mlp>(MlpOptions{{in, config_.hidden1, config_.hidden2, out}},
                                    rng_.split(name)));
  }

  void make_value() {
    std::int64_t in = tables_.context_width();
    for (std::size_t t = 0; t < tables_.tables(); ++t) {
      const std::int64_t width = tables_.reach_width(t);
      // Without numbers of its own an element tells nothing that others do not tell.
      const bool tells = width > 0 && !tables_.only_refers(t);
      embed_.push_back(tells ? perceptron("embed_" + tables_.name(t), width, kEmbedding) : nullptr);
      if (tells) in += kEmbedding;
    }
    value_ = perceptron("value", in, 1);
  }

  void make_policy() {
    std::int64_t in = tables_.context_width();
    for (std::size_t h = 0; h < heads_.size(); ++h) {
      const bool continuous = heads_[h].kind == HeadKind::continuous;
      const auto dimension = static_cast<std::int64_t>(heads_[h].width);
      width_.push_back(in + (continuous ? 0 : own_width(h)));
      score_.push_back(
          perceptron("score_" + heads_[h].name, width_[h], continuous ? dimension : 1));
      log_deviation_.push_back(continuous
                                   ? register_parameter("deviation_" + heads_[h].name,
                                                        at::full({dimension}, kFirstLogDeviation))
                                   : at::Tensor());
      in += choice_width(h);
    }
  }

  [[nodiscard]] std::int64_t own_width(std::size_t h) const {
    const std::int32_t table = tables_.table_of(h);
    const std::int64_t reach = table < 0 ? 0 : tables_.reach_width(static_cast<std::size_t>(table));
    return heads_[h].kind == HeadKind::index ? reach : kValue + reach;
  }
  [[nodiscard]] std::int64_t choice_width(std::size_t h) const {
    if (heads_[h].kind == HeadKind::index) return own_width(h);
    return heads_[h].kind == HeadKind::continuous ? static_cast<std::int64_t>(heads_[h].width) : 1;
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
    const auto& offsets = f.offsets[t];
    const std::int64_t n = offsets.back(), width = tables_.reach_width(t);
    const at::Tensor x = at::empty({n, width}), row = at::empty({n}, at::kLong);
    const auto b = static_cast<std::int64_t>(offsets.size()) - 1;
    const at::Tensor share = at::zeros({b, 1});
    float* to = x.data_ptr<float>();
    for (std::size_t r = 0; r + 1 < offsets.size(); ++r) {
      share.data_ptr<float>()[r] =
          1 / std::max(1.0f, static_cast<float>(offsets[r + 1] - offsets[r]));
      for (std::int64_t e = offsets[r]; e < offsets[r + 1]; ++e) {
        to = tables_.write(f, t, r, e, to);
        row.data_ptr<std::int64_t>()[e] = static_cast<std::int64_t>(r);
      }
    }
    return at::zeros({b, kEmbedding}).index_add(0, row, embed_[t]->forward(x).cpu()) * share;
  }

  Heads heads_;
  ScorerTables tables_;
  ScorerConfig config_;
  Rng rng_;
  std::vector<std::int64_t> width_;  // [heads] of a candidate
  std::vector<std::shared_ptr<Mlp>> score_, embed_;
  std::vector<at::Tensor> log_deviation_;
  std::shared_ptr<Mlp> value_;
};

}  // namespace

std::shared_ptr<Network> make_scorer(const Spec& spec, const ScorerConfig& config, Role role,
                                     const Rng& rng) {
  return std::make_shared<Scorer>(spec, config, role, rng);
}

}  // namespace park::agents
