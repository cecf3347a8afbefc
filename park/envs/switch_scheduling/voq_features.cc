#include "park/envs/switch_scheduling/voq_features.h"

#include <algorithm>

namespace park::switch_scheduling {

VoqFeatures::VoqFeatures(std::size_t ports, std::size_t elements)
    : ports_(ports),
      input_(elements, -1),
      output_(elements, -1),
      served_(ports * ports),
      came_(ports * ports),
      recent_(ports) {
  for (auto* column : {&queue_, &age_, &unserved_, &share_, &input_queue_, &output_queue_, &rate_})
    column->assign(elements, 0);
  for (std::size_t v = 0; v < ports * ports; ++v) {
    input_[v] = static_cast<std::int32_t>(v / ports);
    output_[v] = static_cast<std::int32_t>(v % ports);
  }
}

void VoqFeatures::clear() {
  std::ranges::fill(served_, 0);
  std::ranges::fill(came_, 0u);
  for (Recent& r : recent_) r.count = 0;
}

void VoqFeatures::arrive(std::size_t input, std::size_t output) {
  Recent& r = recent_[input];
  std::uint8_t& place = r.outputs[r.count % kRecent];
  if (r.count >= kRecent) --came_[input * ports_ + place];
  place = static_cast<std::uint8_t>(output);
  ++came_[input * ports_ + output];
  ++r.count;
}

void VoqFeatures::set_rates(std::span<const double> rates) {
  for (std::size_t v = 0; v < rates.size(); ++v) rate_[v] = static_cast<float>(rates[v]);
}

void VoqFeatures::begin_slot(const Voqs& voqs, std::int64_t slot) {
  for (std::size_t i = 0, v = 0; i < ports_; ++i) {
    const auto at_input = static_cast<float>(voqs.at_input(i));
    const std::size_t recent = std::min(recent_[i].count, kRecent);
    const float per_cell = recent == 0 ? 0.0f : 1.0f / static_cast<float>(recent);
    for (std::size_t j = 0; j < ports_; ++j, ++v) {
      const std::uint32_t size = voqs.size(v);
      queue_[v] = static_cast<float>(size);
      age_[v] = size == 0 ? 0.0f : static_cast<float>(slot - voqs.oldest(v).slot + 1);
      unserved_[v] = static_cast<float>(slot - served_[v]);
      share_[v] = std::min(1.0f, static_cast<float>(came_[v]) * per_cell);
      input_queue_[v] = at_input;
      output_queue_[v] = static_cast<float>(voqs.for_output(j));
    }
  }
}

void VoqFeatures::write(const SwitchLayout& l, Row row) const {
  std::ranges::copy(queue_, row[l.queue].begin());
  std::ranges::copy(age_, row[l.age].begin());
  std::ranges::copy(unserved_, row[l.unserved].begin());
  std::ranges::copy(share_, row[l.arrival_share].begin());
  std::ranges::copy(input_queue_, row[l.input_queue].begin());
  std::ranges::copy(output_queue_, row[l.output_queue].begin());
  std::ranges::copy(input_, row[l.input].begin());
  std::ranges::copy(output_, row[l.output].begin());
  std::ranges::copy(rate_, row[l.rate].begin());
}

}  // namespace park::switch_scheduling
