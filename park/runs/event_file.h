#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <utility>
#include <vector>

#include "park/files/durable.h"

namespace park::runs {

/// Curves for TensorBoard: records of TensorFlow's TFRecord framing, each with an Event message
/// (tensorflow/core/util/event.proto), written by hand.
class EventFile {
 public:
  /// Opens or makes the file and cuts it back to `keep` bytes.
  EventFile(const std::filesystem::path&, std::uint64_t keep);

  /// Values of one step. `time_s` is that of the calendar, since 1970.
  void scalars(double time_s, std::uint64_t step,
               const std::vector<std::pair<std::string, double>>& values);
  void sync() { file_.sync(); }
  [[nodiscard]] std::uint64_t size() const noexcept { return file_.size(); }

 private:
  void append(const std::string& event);

  files::AppendFile file_;
};

}  // namespace park::runs
