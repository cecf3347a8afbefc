#pragma once

#include <memory>
#include <span>
#include <vector>

#include "agents/kit/network.h"
#include "agents/kit/tensor.h"
#include "park/core/space.h"
#include "tests/agents/kit/gradient.h"

namespace park::agents::test {

/// Scores a candidate by a trained number per value: enough to see probabilities and gradients.
class ValueTable final : public Network {
 public:
  explicit ValueTable(const Spec& spec) : heads_(spec) {
    weights_ = register_parameter("weights", numbers({4, 16}, 21));
    deviation_ = register_parameter("deviation", at::full({1}, -0.5f));
  }
  std::unique_ptr<Encoding> encode(const Batch& observation) override {
    rows_ = static_cast<std::int64_t>(observation.rows());
    return std::make_unique<Encoding>();
  }
  at::Tensor scores(Encoding&, std::size_t head, const Candidates& c, const Batch&) override {
    const auto h = static_cast<std::int64_t>(head);
    if (heads_[head].kind == HeadKind::continuous) return weights_[h][0].expand({rows_, 1});
    std::vector<std::int64_t> column;
    for (const std::int32_t v : c.value) column.push_back(v % 16);
    return weights_[h].index_select(0, view(std::span<const std::int64_t>(column)).clone());
  }
  at::Tensor log_deviation(std::size_t) override { return deviation_; }

  at::Tensor weights_, deviation_;

 private:
  Heads heads_;
  std::int64_t rows_ = 0;
};

}  // namespace park::agents::test
