#include <algorithm>
#include <cmath>
#include <string>
#include <unordered_map>
#include <vector>

#include "park/envs/abr/traces/import_traces.h"
#include "park/envs/abr/traces/lines.h"
#include "park/files/csv.h"

namespace park::abr::traces {
namespace {

constexpr std::size_t kUnit = 0, kTime = 1, kTarget = 2, kBytesPerS = 6, kLeastColumns = 7;
constexpr double kMostBytesPerS = abr::kMaxTraceMbps * kBitsPerMegabit / kBitsPerByte;

/// "2016-06-01 13:45:10".
bool is_time(std::string_view text) {
  static constexpr std::string_view kPattern = "dddd-dd-dd dd:dd:dd";
  return std::ranges::equal(
      text, kPattern, [](char c, char p) { return p == 'd' ? c >= '0' && c <= '9' : c == p; });
}

/// The throughputs of every unit and target, in the order of their first appearance.
class Series {
 public:
  explicit Series(std::string name) : name_(std::move(name)) {}

  std::string take(std::string_view line, TraceSet& set) {
    std::string wrong = files::split_csv(line, fields_);
    if (!wrong.empty()) return wrong;
    if (std::exchange(first_, false) && fields_[kUnit] == "unit_id") return check_names();
    if (fields_.size() < kLeastColumns)
      return "must have at least 7 columns: unit_id, dtime, target, address, fetch_time, "
             "bytes_total, bytes_sec";
    if (!is_time(fields_[kTime])) return "dtime must be as 2016-06-01 13:45:10";
    const std::string& rate = fields_[kBytesPerS];
    if (rate.empty() || rate == "\\N" || rate == "NULL") {
      set.leave_out("measurement", "no throughput", name_);
      return "";
    }
    const auto bytes_per_s = files::number_in(rate, 0, kMostBytesPerS);
    if (!bytes_per_s) return "bytes_sec must be a number from 0 to 1.25e11";
    return add(*bytes_per_s * kBitsPerByte / kBitsPerMegabit);
  }

  /// Cuts what was read into traces.
  void finish(const FccOptions& options, TraceSet& set) const {
    for (std::size_t i = 0; i < mbps_.size(); ++i) cut(keys_[i], mbps_[i], options, set);
  }

 private:
  [[nodiscard]] std::string check_names() const {
    const bool good = fields_.size() >= kLeastColumns && fields_[kTime] == "dtime" &&
                      fields_[kTarget] == "target" && fields_[kBytesPerS] == "bytes_sec";
    return good ? ""
                : "the columns must begin with unit_id,dtime,target and the seventh be bytes_sec";
  }

  std::string add(double mbps) {
    std::string key = "trace_" + fields_[kUnit] + '_' + fields_[kTarget];
    const auto [at, fresh] = index_.try_emplace(std::move(key), mbps_.size());
    if (fresh) {
      if (mbps_.size() == abr::kMaxTraces) return "makes more than 1e6 traces";
      keys_.push_back(at->first);
      mbps_.emplace_back();
    }
    mbps_[at->second].push_back(mbps);
    return "";
  }

  static void cut(const std::string& key, const std::vector<double>& mbps,
                  const FccOptions& options, TraceSet& set) {
    const double wanted = options.duration_s > 0
                              ? std::ceil(options.duration_s / options.interval_s)
                              : static_cast<double>(mbps.size());
    const auto rows = static_cast<std::size_t>(std::min(wanted, static_cast<double>(kMaxRows)));
    std::size_t begin = 0;
    for (; begin + rows <= mbps.size(); begin += rows) {
      const std::vector<double> part(mbps.begin() + static_cast<std::ptrdiff_t>(begin),
                                     mbps.begin() + static_cast<std::ptrdiff_t>(begin + rows));
      const double start_s = std::floor(static_cast<double>(begin) * options.interval_s);
      add_trace(options.duration_s > 0 ? key + '_' + std::to_string(static_cast<long long>(start_s))
                                       : key,
                part, options, set);
    }
    if (begin < mbps.size())
      set.leave_out("measurement", "too few for another trace", key, mbps.size() - begin);
  }

  static void add_trace(const std::string& name, const std::vector<double>& mbps,
                        const FccOptions& options, TraceSet& set) {
    if (std::ranges::min(mbps) < options.min_mbps)
      return set.leave_out("trace", "a bandwidth below min_mbps", name);
    abr::NetworkTrace trace =
        trace_of(name, std::vector<double>(mbps.size(), options.interval_s), mbps);
    if (trace.time_s.back() > abr::kMaxTraceS)
      return set.leave_out("trace", "longer than 1e9 s", name);
    if (mean_mbps(trace) > options.max_mean_mbps)
      return set.leave_out("trace", "a mean above max_mean_mbps", name);
    set.add(std::move(trace));
  }

  std::string name_;
  bool first_ = true;
  std::vector<std::string> fields_, keys_;
  std::unordered_map<std::string, std::size_t> index_;
  std::vector<std::vector<double>> mbps_;
};

}  // namespace

void import_fcc(files::ByteSource& source, const std::string& name, const FccOptions& options,
                TraceSet& set) {
  Series series(name);
  read_lines(source, name, set, [&](std::string_view line) { return series.take(line, set); });
  series.finish(options, set);
}

}  // namespace park::abr::traces
