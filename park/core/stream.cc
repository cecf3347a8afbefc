#include "park/core/stream.h"

#include <algorithm>

namespace park {

void Decisions::clear() noexcept {
  asked.clear();
  ended.clear();
  metrics.clear();
  observation.clear();
  final_observation.clear();
  done = false;
}

Decisions::Place Decisions::extend(const Decisions& d) {
  ended.insert(ended.end(), d.ended.begin(), d.ended.end());
  metrics.insert(metrics.end(), d.metrics.begin(), d.metrics.end());
  const Place place{asked.size(), observation.extend(d.observation),
                    final_observation.extend(d.final_observation)};
  asked.resize(asked.size() + d.asked.size());
  return place;
}

void Decisions::fill(Place place, const Decisions& d) noexcept {
  std::ranges::copy(d.asked, asked.begin() + static_cast<std::ptrdiff_t>(place.asked));
  observation.fill(place.observation, d.observation);
  final_observation.fill(place.final_observation, d.final_observation);
}

}  // namespace park
