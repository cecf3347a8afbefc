#pragma once

#include <ATen/core/Tensor.h>

#include <utility>

namespace park::agents {

/// The logarithm of the probability of one candidate per row, and the entropy, of the softmax over
/// each row's candidates. It is one node of the graph with its own backward. Rows are ragged, and a
/// chain of scatter operators would cost more than all of the arithmetic.
/// - scores [C] f32: any finite values; offsets [B + 1] i64: every row has a candidate;
/// - chosen [B] i64: places in scores, each within its row.
/// Returns log-probabilities [B] and entropies [B], in nats.
[[nodiscard]] std::pair<at::Tensor, at::Tensor> segment_log_prob(const at::Tensor& scores,
                                                                 const at::Tensor& offsets,
                                                                 const at::Tensor& chosen);

}  // namespace park::agents
