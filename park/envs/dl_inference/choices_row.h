#pragma once

#include <cstddef>
#include <utility>
#include <vector>

#include "park/core/batch.h"
#include "park/envs/dl_inference/device.h"
#include "park/envs/dl_inference/layout.h"

namespace park::dl_inference {

/// Writes what a policy sees of a device that is free: a row of InferenceLayout. The simulated
/// device and a real one use it. It keeps its memory.
class ChoicesRow {
 public:
  explicit ChoicesRow(InferenceLayout layout) : layout_(std::move(layout)) {}

  /// The applications with waiting requests, then the choice to wait, which is legal if
  /// `may_wait`. REQUIRES a free device and an empty row.
  void write(Device&, bool may_wait, Row);
  /// The application of each choice but the last, of the last write.
  [[nodiscard]] const std::vector<std::size_t>& offered() const noexcept { return offered_; }

 private:
  template <class T, class Of>
  void write(Row, const LeafOf<T>& leaf, const Of& of) const;
  void write_queues(const Device&, Row) const;
  void write_apps(const Device&, Row) const;
  void write_choices(const Device&, bool may_wait, Row) const;

  InferenceLayout layout_;
  std::vector<std::size_t> offered_;
  std::vector<Device::Seen> seen_;  // of each offered one
};

}  // namespace park::dl_inference
