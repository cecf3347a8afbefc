#include "park/envs/dl_inference/choices_row.h"

#include <algorithm>

namespace park::dl_inference {

void ChoicesRow::write(Device& device, bool may_wait, Row row) {
  device.look();
  offered_.clear();
  seen_.clear();
  for (std::size_t a = 0; a < device.apps().size(); ++a) {
    if (device.waiting(a) == 0) continue;
    offered_.push_back(a);
    seen_.push_back(device.seen(a));
  }
  row.resize(layout_.choices, offered_.size() + 1);
  write_queues(device, row);
  write_apps(device, row);
  write_choices(device, may_wait, row);
  row.scalar(layout_.time_s) = device.now_s();
}

/// A leaf of all choices: `of(element)` of an application, 0 of the choice to wait.
template <class T, class Of>
void ChoicesRow::write(Row row, const LeafOf<T>& leaf, const Of& of) const {
  const std::span<T> out = row[leaf];
  for (std::size_t e = 0; e < offered_.size(); ++e) out[e] = static_cast<T>(of(e));
  out[offered_.size()] = 0;
}

/// What waits and what was used.
void ChoicesRow::write_queues(const Device& device, Row row) const {
  const InferenceLayout& l = layout_;
  const DeviceLog& log = device.log();
  write(row, l.queue, [&](std::size_t e) { return device.waiting(offered_[e]); });
  write(row, l.oldest_s, [&](std::size_t e) { return seen_[e].oldest_s; });
  write(row, l.wait_sum_s, [&](std::size_t e) { return seen_[e].wait_sum_s; });
  write(row, l.arrivals_tenth, [&](std::size_t e) { return seen_[e].arrivals_tenth; });
  write(row, l.arrivals_second, [&](std::size_t e) { return seen_[e].arrivals_second; });
  write(row, l.used_tenth_s, [&](std::size_t e) { return log.used_in_s(0, offered_[e]); });
  write(row, l.used_second_s, [&](std::size_t e) { return log.used_in_s(1, offered_[e]); });
  write(row, l.used_s, [&](std::size_t e) { return log.used_s(offered_[e]); });
  const std::span<float> waits_s = row[l.batch_wait_s];
  std::ranges::fill(waits_s.last(kQuarters), 0.0F);
  for (std::size_t e = 0; e < offered_.size(); ++e)
    for (std::size_t q = 0; q < kQuarters; ++q)
      waits_s[e * kQuarters + q] = static_cast<float>(seen_[e].batch_wait_s[q]);
}

/// What is fixed.
void ChoicesRow::write_apps(const Device& device, Row row) const {
  const InferenceLayout& l = layout_;
  const auto app = [&](std::size_t e) -> const Application& { return device.apps()[offered_[e]]; };
  write(row, l.rate, [&](std::size_t e) { return app(e).rate; });
  write(row, l.single_s, [&](std::size_t e) { return app(e).single_s(); });
  write(row, l.max_batch, [&](std::size_t e) { return app(e).max_batch(); });
  write(row, l.weight, [&](std::size_t e) { return app(e).weight; });
  write(row, l.deadline_s, [&](std::size_t e) { return app(e).deadline_s; });
  const std::span<float> latency_s = row[l.latency_s];
  std::ranges::fill(latency_s.last(kPowers), 0.0F);
  for (std::size_t e = 0; e < offered_.size(); ++e)
    for (std::size_t p = 0; p < kPowers; ++p)
      latency_s[e * kPowers + p] =
          static_cast<float>(app(e).latency_s[std::min(std::size_t{1} << p, app(e).max_batch())]);
}

/// What may be chosen.
void ChoicesRow::write_choices(const Device& device, bool may_wait, Row row) const {
  const InferenceLayout& l = layout_;
  const auto largest = [&](std::size_t e) { return device.largest_batch(offered_[e]); };
  write(row, l.app, [&](std::size_t e) { return offered_[e]; });
  write(row, l.full_s,
        [&](std::size_t e) { return device.apps()[offered_[e]].latency_s[largest(e)]; });
  write(row, l.wait, [](std::size_t) { return 0; });
  write(row, l.mask, [](std::size_t) { return 1; });
  write(row, l.batch_min, [](std::size_t) { return 1; });
  write(row, l.batch_max, largest);
  row[l.app].back() = -1;
  row[l.wait].back() = 1;
  row[l.mask].back() = may_wait ? 1 : 0;
}

}  // namespace park::dl_inference
