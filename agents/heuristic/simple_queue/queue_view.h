#pragma once

#include <cstdint>

#include "park/core/batch.h"
#include "park/core/stream.h"

namespace park::heuristics {

/// The leaves of simple_queue that its policies read, and the head that they write.
struct QueueView {
  /// Throws Error{invalid_space} where the environment has another layout.
  explicit QueueView(const Spec&);

  Field<float> busy, free, waiting, places;
  Field<float> reward, rewards;  // of the job that asks; of each class
  Field<float> interval_s, gap_cv, service_s, waiting_cost;
  Field<std::int32_t> admit;

  /// Free servers and places to wait.
  [[nodiscard]] float room(ConstRow row) const { return row.scalar(free) + row.scalar(places); }
  /// The reward of the best class.
  [[nodiscard]] float highest(ConstRow row) const;
};

}  // namespace park::heuristics
