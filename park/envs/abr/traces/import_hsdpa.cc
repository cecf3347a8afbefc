#include <array>
#include <utility>
#include <vector>

#include "park/envs/abr/traces/import_traces.h"
#include "park/envs/abr/traces/lines.h"

namespace park::abr::traces {
namespace {

constexpr double kMost = 1e15;  // of any number of a line

/// What was received, and over which time, since the line before.
struct Received {
  double time_ms = 0, bytes = 0, over_ms = 0;
};

/// Says what is wrong with the line, or "".
std::string parse_line(std::string_view line, Received& into) {
  static constexpr const char* kAllowed =
      "must be 'unix_time ms latitude longitude bytes ms' or 'ms bytes ms'";
  std::array<double, 6> values{};
  std::size_t count = 0;
  while (!line.empty()) {
    const std::size_t end = std::min(line.find_first_of(" \t"), line.size());
    const auto value = files::number_in(line.substr(0, end), -kMost, kMost);
    if (!value || count == values.size()) return kAllowed;
    values[count++] = *value;
    line.remove_prefix(std::min(line.find_first_not_of(" \t", end), line.size()));
  }
  if (count == 6)
    into = {values[1], values[4], values[5]};
  else if (count == 3)
    into = {values[0], values[1], values[2]};
  else
    return kAllowed;
  if (into.time_ms < 0 || into.bytes < 0 || into.over_ms < 0)
    return "milliseconds and bytes must not be negative";
  return "";
}

/// The intervals of a log that is being read.
struct Intervals {
  std::vector<double> durations_s, mbps;
  double length_s = 0;

  void add(double duration_s, double rate) {
    durations_s.push_back(duration_s);
    mbps.push_back(rate);
    length_s += duration_s;
  }
  void clear() { *this = {}; }
};

/// Makes traces of the lines of one log.
class Log {
 public:
  Log(const std::string& name, const HsdpaOptions& options, TraceSet& set)
      : name_(name), options_(options), set_(set) {}

  std::string take(std::string_view line) {
    Received r;
    std::string wrong = parse_line(line, r);
    if (!wrong.empty() || ended_) {
      if (wrong.empty()) set_.leave_out("line", "after the time went back", name_);
      return wrong;
    }
    if (r.time_ms < last_ms_) {
      ended_ = true;
      set_.leave_out("line", "after the time went back", name_);
      return "";
    }
    // Lines of one time, or the first one without its duration, tell no bandwidth.
    const double duration_s = (last_ms_ < 0 ? r.over_ms : r.time_ms - last_ms_) / kMsPerS;
    last_ms_ = r.time_ms;
    if (r.over_ms <= 0 || duration_s <= 0) {
      set_.leave_out("line", "no time passed", name_);
      return "";
    }
    return add(duration_s, r.bytes * kBitsPerByte * kMsPerS / r.over_ms / kBitsPerMegabit);
  }

  void finish() {
    if (options_.duration_s == 0 && !intervals_.mbps.empty()) return flush(name_);
    if (!intervals_.mbps.empty()) set_.leave_out("trace", "shorter than duration_s", name_);
  }

 private:
  std::string add(double duration_s, double mbps) {
    if (mbps > abr::kMaxTraceMbps) return "has more than 1e6 Mbps";
    if (start_s_ + intervals_.length_s + duration_s > abr::kMaxTraceS)
      return "is more than 1e9 s after the first line";
    if (intervals_.mbps.size() >= kMaxRows) return "is beyond the 1e6 lines that a trace may have";
    intervals_.add(duration_s, mbps);
    if (options_.duration_s > 0 && intervals_.length_s >= options_.duration_s) {
      const double length_s = intervals_.length_s;
      flush(name_ + '_' + std::to_string(static_cast<long long>(start_s_)));
      start_s_ += length_s;
    }
    return "";
  }
  void flush(std::string name) {
    set_.add(trace_of(std::move(name), intervals_.durations_s, intervals_.mbps));
    intervals_.clear();
  }

  const std::string& name_;
  const HsdpaOptions& options_;
  TraceSet& set_;
  Intervals intervals_;
  double last_ms_ = -1, start_s_ = 0;
  bool ended_ = false;
};

}  // namespace

void import_hsdpa(files::ByteSource& source, const std::string& name, const HsdpaOptions& options,
                  TraceSet& set) {
  Log log(name, options, set);
  read_lines(source, name, set, [&](std::string_view line) { return log.take(line); });
  log.finish();
}

}  // namespace park::abr::traces
