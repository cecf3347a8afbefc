#include "agents/net/row_means.h"

#include <ATen/ops/zeros.h>

#include "agents/net/index_tensor.h"

namespace park::agents {

at::Tensor row_means(const at::Tensor& elements, const std::vector<std::int64_t>& row,
                     std::size_t rows) {
  const auto n = static_cast<std::int64_t>(rows);
  const at::Tensor count = at::zeros({n, 1});
  for (const std::int64_t r : row) ++count.data_ptr<float>()[r];
  const at::Tensor share = count.clamp_min(1).reciprocal().to(elements.device());
  return at::zeros({n, elements.size(1)}, elements.options())
             .index_add(0, index_tensor(row).to(elements.device()), elements) *
         share;
}

}  // namespace park::agents
