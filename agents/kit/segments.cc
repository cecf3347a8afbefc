#include "agents/kit/segments.h"

#include <torch/csrc/autograd/custom_function.h>

#include <algorithm>
#include <cmath>

namespace park::agents {
namespace {

using torch::autograd::AutogradContext;
using torch::autograd::variable_list;

/// log p of every candidate [C].
at::Tensor log_softmax(const at::Tensor& scores, const at::Tensor& offsets) {
  at::Tensor out = at::empty_like(scores);
  const float* z = scores.data_ptr<float>();
  float* log_p = out.data_ptr<float>();
  const std::int64_t* begin = offsets.data_ptr<std::int64_t>();
  for (std::int64_t r = 0; r + 1 < offsets.size(0); ++r) {
    const float highest = *std::max_element(z + begin[r], z + begin[r + 1]);
    double sum = 0;
    for (std::int64_t c = begin[r]; c < begin[r + 1]; ++c) sum += std::exp(z[c] - highest);
    const float log_sum = highest + static_cast<float>(std::log(sum));
    for (std::int64_t c = begin[r]; c < begin[r + 1]; ++c) log_p[c] = z[c] - log_sum;
  }
  return out;
}

struct SegmentLogProb : torch::autograd::Function<SegmentLogProb> {
  static variable_list forward(AutogradContext* context, const at::Tensor& scores,
                               const at::Tensor& offsets, const at::Tensor& chosen) {
    const at::Tensor log_p = log_softmax(scores.contiguous(), offsets);
    at::Tensor entropy = at::zeros({chosen.size(0)}, scores.options());
    const float* l = log_p.data_ptr<float>();
    const std::int64_t* begin = offsets.data_ptr<std::int64_t>();
    float* h = entropy.data_ptr<float>();
    for (std::int64_t r = 0; r < chosen.size(0); ++r)
      for (std::int64_t c = begin[r]; c < begin[r + 1]; ++c) h[r] -= std::exp(l[c]) * l[c];
    context->save_for_backward({log_p, offsets, chosen, entropy});
    return {log_p.index_select(0, chosen), entropy};
  }

  /// d log p(a) / dz_c = [c = a] - p_c;  dH / dz_c = -p_c (log p_c + H).
  static variable_list backward(AutogradContext* context, const variable_list& gradients) {
    const variable_list saved = context->get_saved_variables();
    const at::Tensor& log_p = saved[0];
    at::Tensor out = at::empty_like(log_p);
    const at::Tensor g_log = gradients[0].contiguous(), g_entropy = gradients[1].contiguous();
    const float* l = log_p.data_ptr<float>();
    const std::int64_t* begin = saved[1].data_ptr<std::int64_t>();
    const std::int64_t* chosen = saved[2].data_ptr<std::int64_t>();
    const float* h = saved[3].data_ptr<float>();
    const float* gl = g_log.data_ptr<float>();
    const float* gh = g_entropy.data_ptr<float>();
    float* d = out.data_ptr<float>();
    for (std::int64_t r = 0; r < saved[2].size(0); ++r) {
      for (std::int64_t c = begin[r]; c < begin[r + 1]; ++c)
        d[c] = -std::exp(l[c]) * (gl[r] + gh[r] * (l[c] + h[r]));
      d[chosen[r]] += gl[r];
    }
    return {out, at::Tensor(), at::Tensor()};
  }
};

}  // namespace

std::pair<at::Tensor, at::Tensor> segment_log_prob(const at::Tensor& scores,
                                                   const at::Tensor& offsets,
                                                   const at::Tensor& chosen) {
  const variable_list both = SegmentLogProb::apply(scores, offsets, chosen);
  return {both[0], both[1]};
}

}  // namespace park::agents
