#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "park/core/id_vector.h"
#include "park/envs/dl_inference/config.h"

namespace park::dl_inference {

/// An application of the device, fixed during an episode.
struct Application {
  std::string name{};
  IdVector<double> latency_s{};  ///< [max_batch + 1]: of a batch of k requests, at k; 0 at 0
  double weight = 1;
  double deadline_s = kInf;  ///< of a request, after its arrival
  double rate = 0;           ///< mean arrivals per second

  [[nodiscard]] std::size_t max_batch() const noexcept { return latency_s.size() - 1; }
  /// The unit of its slowdowns.
  [[nodiscard]] double single_s() const noexcept { return latency_s[1]; }
  /// Time of the device per request in full batches.
  [[nodiscard]] double full_s() const noexcept {
    return latency_s.back() / static_cast<double>(max_batch());
  }
};

/// Measured latencies of a file: CSV with the first line `app,batch,latency_s`. Every other line is
/// the latency in seconds (1e-6 to 1e6) of one batch size (1 to 256) of an application.
/// Applications may have any name. The lines of an application follow each other by rising batch,
/// the first is batch 1, and latencies do not fall. The largest batch is the application's maximum.
/// Between two sizes latencies are linear, hence monotone. Immutable.
class LatencyTable {
 public:
  /// Files that are open already, and have not changed, are shared within the process. Throws
  /// Error{io} if the file cannot be read and Error{bad_file} with one line per violation.
  [[nodiscard]] static std::shared_ptr<const LatencyTable> open(const std::string& path);
  /// Reads the text of such a file; `name` stands for it in messages.
  [[nodiscard]] static LatencyTable parse(const std::string& text, const std::string& name);

  /// In the order of the file, with names and latencies alone.
  [[nodiscard]] const std::vector<Application>& apps() const noexcept { return apps_; }

 private:
  std::vector<Application> apps_;
};

/// The applications of a configuration, without rates. Throws what LatencyTable::open throws, and
/// Error{invalid_config} where fields have not one value for each application of the file.
[[nodiscard]] std::vector<Application> applications(const DlInferenceConfig&);

}  // namespace park::dl_inference
