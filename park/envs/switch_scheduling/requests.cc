#include "park/envs/switch_scheduling/requests.h"

#include <algorithm>

namespace park::switch_scheduling {
namespace {

bool are_ports(std::int32_t input, std::int32_t output) {
  return input >= 0 && input < kMaxPorts && output >= 0 && output < kMaxPorts;
}

}  // namespace

SwitchRows::SwitchRows(const Spec& spec) {
  if (spec.action.find("weight"))
    weights_.emplace(bind_layout<WeightLayout>(spec));
  else
    pairs_.emplace(bind_layout<PairLayout>(spec));
}

bool SwitchRows::slot_begins(ConstRow row) const { return !(row.scalar(layout().matched) > 0); }

bool SwitchRows::requests(ConstRow row, std::size_t e) const {
  return pairs_ ? row[pairs_->mask][e] != 0 && row[pairs_->done][e] == 0
                : row[weights_->queue][e] > 0;
}

void SwitchRows::read(ConstRow row, Requests& r) const {
  const SwitchLayout& l = layout();
  const std::span<const std::int32_t> input = row[l.input], output = row[l.output];
  const std::span<const float> queue = row[l.queue], age = row[l.age];
  std::int32_t last = 0;
  for (std::size_t e = 0; e < input.size(); ++e)
    if (are_ports(input[e], output[e])) last = std::max({last, input[e], output[e]});
  r.ports = static_cast<std::size_t>(last) + 1;
  r.element.assign(r.ports * r.ports, -1);
  r.queue.assign(r.ports * r.ports, 0);
  r.age.assign(r.ports * r.ports, 0);
  r.of_input.fill(0);
  r.of_output.fill(0);
  for (std::size_t e = 0; e < input.size(); ++e) {
    if (!are_ports(input[e], output[e]) || !requests(row, e)) continue;
    const auto i = static_cast<std::size_t>(input[e]), j = static_cast<std::size_t>(output[e]);
    const std::size_t v = r.at(i, j);
    if (r.element[v] >= 0) continue;
    r.element[v] = static_cast<std::int32_t>(e);
    r.queue[v] = queue[e];
    r.age[v] = age[e];
    r.of_input[i] |= std::uint64_t{1} << j;
    r.of_output[j] |= std::uint64_t{1} << i;
  }
}

bool SwitchRows::legal(ConstRow row, std::int32_t element) const {
  const std::span<const std::uint8_t> mask = row[pairs_->mask];
  const auto e = static_cast<std::size_t>(element);
  return element >= 0 && e < mask.size() && mask[e] != 0;
}

std::int32_t SwitchRows::done(ConstRow row) const {
  const std::span<const std::uint8_t> mask = row[pairs_->mask], done = row[pairs_->done];
  for (std::size_t e = done.size(); e-- > 0;)
    if (done[e] != 0 && mask[e] != 0) return static_cast<std::int32_t>(e);
  return -1;
}

std::int32_t SwitchRows::first(ConstRow row) const {
  const std::span<const std::uint8_t> mask = row[pairs_->mask];
  const auto legal = std::ranges::find_if(mask, [](std::uint8_t m) { return m != 0; });
  return static_cast<std::int32_t>(legal - mask.begin());
}

}  // namespace park::switch_scheduling
