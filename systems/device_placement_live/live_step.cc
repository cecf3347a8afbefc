#include "systems/device_placement_live/live_step.h"

#include <algorithm>
#include <cmath>
#include <string>
#include <utility>

#include "park/core/error.h"
#include "park/core/text.h"

namespace park::device_placement_live {

using device_placement::at;
using device_placement::Simulator;

LiveStep::LiveStep(const LiveConfig& config, std::stop_token stop)
    : config_(config), pool_(std::move(stop)) {}

double LiveStep::steady_kernel_s(const StepReport& measured) {
  if (measured.spread > kMostSpread)
    throw Error(Errc::unavailable,
                "device_placement_live: the machine is too busy for kind = compute: the times of "
                "one kernel spread by " +
                    number_text(std::round(100 * measured.spread)) + " %; allowed are " +
                    number_text(100 * kMostSpread) + " %");
  return measured.kernel_s;
}

void LiveStep::write_order(const Simulator& s, std::span<const std::int32_t> device) {
  const std::size_t devices = s.cluster().size(), n = s.graph().size();
  const bool computes = config_.kind == "compute";
  order_.head.kind = computes ? OrderKind::compute : OrderKind::timed;
  order_.head.devices = static_cast<std::int32_t>(devices);
  order_.head.operations = static_cast<std::int32_t>(n);
  order_.head.edges = static_cast<std::int32_t>(s.graph().edges.size());
  order_.head.fifo = config_.placement.order == "fifo" ? 1 : 0;
  order_.operations.resize(n);
  for (std::size_t p = 0; p < n; ++p)
    order_.operations[at(s.by_rank()[p])].place = static_cast<std::int32_t>(p);
  for (std::size_t i = 0; i < n; ++i) {
    OperationOrder& o = order_.operations[i];
    o.device = device[i];
    o.cost_s = s.cost_s(i, at(device[i])) * config_.time_scale;
    o.kernels = computes ? std::max(1, static_cast<int>(std::lround(o.cost_s / kernel_s_))) : 0;
  }
  order_.edges.clear();
  for (const device_placement::Edge& e : s.graph().edges) {
    const std::size_t link = at(device[at(e.from)]) * devices + at(device[at(e.to)]);
    const double transfer_s = e.bytes / s.cluster().bytes_per_s[link] * config_.time_scale;
    order_.edges.push_back({e.from, e.to, e.tensor, transfer_s});
  }
  order_.links.clear();
  for (const double latency_s : s.cluster().latency_s)
    order_.links.push_back({latency_s * config_.time_scale});
}

double LiveStep::step_s(const Simulator& s, std::span<const std::int32_t> device) {
  if (config_.kind == "compute")
    kernel_s_ = steady_kernel_s(pool_.run({.head = {.kind = OrderKind::kernel}}));
  write_order(s, device);
  const StepReport report = pool_.run(order_);
  if (config_.kind == "compute") {
    order_.head.devices = 1;
    order_.links.assign(1, {});
    for (OperationOrder& o : order_.operations) o.device = 0;
    if (const StepReport alone = pool_.run(order_); alone.outputs != report.outputs)
      throw Error(Errc::unavailable,
                  "device_placement_live: the outputs differ from those of one process");
  }
  return report.step_s / config_.time_scale;
}

}  // namespace park::device_placement_live
