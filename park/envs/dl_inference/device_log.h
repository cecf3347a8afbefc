#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "park/core/id_vector.h"
#include "park/envs/dl_inference/ring.h"

namespace park::dl_inference {

/// The time of the device that each application has used, in the whole episode and in windows that
/// end now. Batches follow each other, so one of them at most lies across the begin of a window.
class DeviceLog {
 public:
  static constexpr std::array<double, 2> kWindowsS{0.1, 1};

  explicit DeviceLog(std::size_t apps);

  void clear() noexcept;
  /// A batch occupies the device from now on. REQUIRES that no time passes backwards.
  void start(std::size_t app, double start_s, double end_s);
  /// The last batch ends now, before its end.
  void cut(double now_s) noexcept;
  /// Forgets what is before the windows that end now. REQUIRES that all batches have ended.
  void look(double now_s) noexcept;

  /// After the last look. [0, length of the window]
  [[nodiscard]] double used_in_s(std::size_t window, std::size_t app) const noexcept;
  [[nodiscard]] double used_s(std::size_t app) const noexcept { return used_s_[app]; }
  [[nodiscard]] std::uint64_t batches() const noexcept { return log_.end(); }

 private:
  struct Batch {
    std::size_t app;
    double start_s, end_s;
  };
  struct Window {
    std::uint64_t first = 0;       // number of its first batch
    IdVector<double> sum_s{};      // of its batches, by application
    IdVector<std::uint64_t> in{};  // its batches, by application: a sum of none is exactly 0
    double cut_s = 0;              // of the first batch, before the window begins
  };

  Ring<Batch> log_;
  std::array<Window, kWindowsS.size()> windows_;
  IdVector<double> used_s_;
};

}  // namespace park::dl_inference
