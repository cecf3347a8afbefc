#include "park/envs/dl_inference/trace.h"

#include <algorithm>
#include <string_view>
#include <system_error>

#include "park/core/error.h"
#include "park/envs/dl_inference/config.h"
#include "park/files/lines.h"
#include "park/files/read.h"
#include "park/files/stamp_cache.h"

namespace park::dl_inference {
namespace {

constexpr double kMostTimeS = 1e12;
constexpr std::uint64_t kMostTraceBytes = std::uint64_t{1} << 32;

[[noreturn]] void fail_to_read(const std::string& path, const std::string& why) {
  throw Error(Errc::io, "trace: cannot read '" + path + "': " + why);
}

std::string text_of_trace(const std::string& path) {
  std::error_code error;
  std::string text = files::read_file(path, error, kMostTraceBytes);
  if (error) fail_to_read(path, error.message());
  return text;
}

/// What is wrong with a time, or "".
std::string read_time(std::string_view word, std::vector<double>& times_s) {
  const auto time_s = files::number_in(word, 0, kMostTimeS);
  if (!time_s) return "time_s must be a number from 0 to 1e12";
  if (!times_s.empty() && *time_s < times_s.back()) return "time_s must not decrease";
  if (times_s.size() == ArrivalTrace::kMost) return "there are more than 1e8 arrivals";
  times_s.push_back(*time_s);
  return "";
}

/// What is wrong with the number of an application, or "".
std::string read_app(std::string_view word, std::vector<std::uint8_t>& apps) {
  const auto app = files::number_in(word, 0, kMaxApps - 1);
  if (!app || *app != static_cast<double>(static_cast<std::uint8_t>(*app)))
    return "app must be a whole number from 0 to 63";
  apps.push_back(static_cast<std::uint8_t>(*app));
  return "";
}

}  // namespace

ArrivalTrace ArrivalTrace::parse(const std::string& text, const std::string& name) {
  std::string_view rest = text;
  const std::string_view header = files::take_line(rest);
  const bool with_apps = header == "time_s,app";
  if (!with_apps && header != "time_s")
    throw Error(Errc::bad_file, name + ":1: the header must be 'time_s' or 'time_s,app'");
  ArrivalTrace t;
  t.name_ = name;
  Violations bad;
  for (std::size_t n = 2; !rest.empty() && bad.size() < files::kMostViolations; ++n) {
    const std::string_view line = files::take_line(rest);
    const std::size_t comma = with_apps ? line.find(',') : std::string_view::npos;
    std::string wrong = read_time(line.substr(0, comma), t.times_s_);
    if (wrong.empty() && with_apps)
      wrong = comma == std::string_view::npos ? "must be a time, a comma and the number of an app"
                                              : read_app(line.substr(comma + 1), t.apps_);
    if (!wrong.empty()) files::add_at(bad, name, n, wrong);
  }
  if (bad.empty() && (t.times_s_.size() < 2 || t.times_s_.front() == t.times_s_.back()))
    bad.add(name + ": must have two arrivals at different times");
  bad.throw_if_any(Errc::bad_file);
  return t;
}

std::shared_ptr<const ArrivalTrace> ArrivalTrace::open(const std::string& path) {
  static files::StampCache<std::string, ArrivalTrace> cache;
  std::error_code error;
  const files::FileStamp stamp = files::stamp_of(path, error);
  if (error) fail_to_read(path, error.message());
  return cache.get(path, {stamp}, [&] {
    return std::make_shared<const ArrivalTrace>(parse(text_of_trace(path), path));
  });
}

double ArrivalTrace::period_s() const noexcept {
  const double length_s = times_s_.back() - times_s_.front();
  return length_s + length_s / static_cast<double>(times_s_.size() - 1);
}

void ArrivalTrace::check_apps(std::size_t apps) const {
  const auto beyond = std::ranges::find_if(apps_, [apps](std::uint8_t app) { return app >= apps; });
  if (beyond == apps_.end()) return;
  throw Error(Errc::bad_file, name_ + ":" + std::to_string(beyond - apps_.begin() + 2) + ": app " +
                                  std::to_string(*beyond) + " is beyond the " +
                                  std::to_string(apps) + " apps of the environment");
}

}  // namespace park::dl_inference
