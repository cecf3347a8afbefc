#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "systems/dl_inference_live/model.h"

namespace park::inference {

/// Median and 90th percentile of measured times, in seconds.
struct MeasuredTime {
  double p50_s = 0, p90_s = 0;
};

/// What batches of one size have taken: by the clock, and of the processor in this thread.
struct BatchTimes {
  std::size_t batch = 0;
  MeasuredTime wall{}, cpu{};
};

/// a_s + b_s k by least squares over the medians, and its largest |fit - median| / median.
struct LatencyFit {
  double a_s = 0, b_s = 0, worst_error = 0;
};

enum class ProfileClock { wall, cpu };

/// The latencies L(k) of one model.
struct LatencyProfile {
  std::string name;
  std::vector<BatchTimes> times{};  ///< by rising size, from 1 to the largest

  [[nodiscard]] LatencyFit fit(ProfileClock) const;
  /// Largest relative difference of the medians of both clocks: |wall - cpu| / wall.
  [[nodiscard]] double clock_gap() const;
};

struct ProfileOptions {
  std::size_t repeats = 30;  ///< of each size
  std::size_t warm_up = 50;  ///< runs of each model before, of sizes that are drawn
  std::uint64_t seed = 1;    ///< of the order and of the samples
  bool powers = false;       ///< only batches of 1, 2, 4 ... and the largest
};

/// The sizes that are measured up to the largest: all up to 16, then eight for each doubling; with
/// `powers` the powers of two.
[[nodiscard]] std::vector<std::size_t> profile_sizes(std::size_t most, bool powers);

/// A model to measure up to a batch.
struct ToMeasure {
  std::string name;
  Model& model;
  std::size_t most_batch = 1;
};

/// Those of a configuration.
[[nodiscard]] std::vector<ToMeasure> to_measure(const LiveConfig&,
                                                const std::vector<std::unique_ptr<Model>>&);

/// Measures models in this thread. Each repeat takes all sizes of all models in a new random order. So
/// a machine that slows down does so for all, and a model finds the caches as others leave them.
/// `goes_on` is asked before each run; where it says no, nothing is measured. Throws what
/// Model::run throws.
[[nodiscard]] std::vector<LatencyProfile> measure(std::vector<ToMeasure>, const ProfileOptions&,
                                                  const std::function<bool()>& goes_on);

/// The medians as the table that dl_inference reads. A median below that of a smaller batch becomes
/// that one, since latencies of a table do not fall.
[[nodiscard]] std::string table_text(const std::vector<LatencyProfile>&, ProfileClock);

/// The table of applications, with all batch sizes.
[[nodiscard]] std::string table_text(const std::vector<dl_inference::Application>&);

/// The table of models that only sleep: what their configuration says. Empty: one of them computes.
[[nodiscard]] std::string delay_table_text(const LiveConfig&);

}  // namespace park::inference
