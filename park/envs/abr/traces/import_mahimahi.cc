#include <cmath>
#include <vector>

#include "park/envs/abr/traces/import_traces.h"
#include "park/envs/abr/traces/lines.h"
#include "park/files/lines.h"

namespace park::abr::traces {
namespace {

constexpr double kPacketBits = 1500 * kBitsPerByte;

/// Packets per interval (k bin, (k + 1) bin]; what can leave at time 0 belongs to the first one.
class PacketCounts {
 public:
  explicit PacketCounts(double bin_s) : bin_ms_(bin_s * kMsPerS) {}

  /// False where that would make too many intervals.
  [[nodiscard]] bool add(double time_ms) {
    const double bin = std::max(0.0, std::ceil(time_ms / bin_ms_) - 1);
    if (bin >= static_cast<double>(kMaxRows)) return false;
    const auto index = static_cast<std::size_t>(bin);
    if (index >= counts_.size()) counts_.resize(index + 1, 0.0);
    ++counts_[index];
    last_ms_ = time_ms;
    return true;
  }
  [[nodiscard]] double last_ms() const noexcept { return last_ms_; }

  /// REQUIRES last_ms() > 0.
  [[nodiscard]] abr::NetworkTrace trace(const std::string& name) const {
    std::vector<double> durations_s(counts_.size(), bin_ms_ / kMsPerS);
    std::vector<double> packets = counts_;
    const double rest_ms = last_ms_ - bin_ms_ * static_cast<double>(counts_.size() - 1);
    durations_s.back() = rest_ms / kMsPerS;
    if (packets.size() > 1 && rest_ms < bin_ms_ / 2) {  // a short rest goes to the one before
      packets[packets.size() - 2] += packets.back();
      durations_s[packets.size() - 2] += durations_s.back();
      packets.pop_back();
      durations_s.pop_back();
    }
    for (std::size_t i = 0; i < packets.size(); ++i)
      packets[i] *= kPacketBits / kBitsPerMegabit / durations_s[i];
    return trace_of(name, durations_s, packets);
  }

 private:
  double bin_ms_, last_ms_ = 0;
  std::vector<double> counts_;
};

}  // namespace

void import_mahimahi(files::ByteSource& source, const std::string& name,
                     const MahimahiOptions& options, TraceSet& set) {
  PacketCounts counts(options.bin_s);
  read_lines(source, name, set, [&](std::string_view line) -> std::string {
    const auto time_ms = files::number_in(line, 0, abr::kMaxTraceS * kMsPerS);
    if (!time_ms || *time_ms != std::floor(*time_ms))
      return "must be a time in whole milliseconds from 0 to 1e12";
    if (*time_ms < counts.last_ms()) return "goes back in time";
    if (!counts.add(*time_ms)) return "makes more than 1e6 intervals; a larger bin_s is needed";
    return "";
  });
  if (counts.last_ms() <= 0)
    throw Error(Errc::bad_file, name + ": must have a time above 0, at which it begins again");
  abr::NetworkTrace trace = counts.trace(name);
  for (std::size_t i = 0; i < trace.mbps.size(); ++i)
    if (trace.mbps[i] > abr::kMaxTraceMbps)
      throw Error(Errc::bad_file, name + ": has more than 1e6 Mbps in an interval");
  set.add(std::move(trace));
}

}  // namespace park::abr::traces
