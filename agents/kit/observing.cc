#include "agents/kit/observing.h"

#include <algorithm>
#include <cstdint>
#include <vector>

namespace park::agents {

void observe_some(Network& net, const Rollout& rollout, Batch& scratch) {
  constexpr std::size_t kRows = 2048;
  if (net.buffers().empty() || rollout.rows() == 0) return;
  const std::size_t n = std::min(kRows, rollout.rows());
  std::vector<std::uint32_t> rows;
  for (std::size_t i = 0; i < n; ++i)
    rows.push_back(static_cast<std::uint32_t>(i * rollout.rows() / n));
  scratch.clear();
  rollout.gather(rows, scratch);
  net.observe(scratch);
}

}  // namespace park::agents
