#include "park/envs/abr/network_trace.h"

#include <utility>

#include "park/core/error.h"
#include "park/core/text.h"
#include "park/files/lines.h"
#include "park/files/read.h"

namespace park::abr {
namespace {

/// One line: its time must follow that of the line before.
void read_line(files::NumberLines& line, NetworkTrace& t, Violations& bad) {
  const auto fail = [&](const std::string& what) {
    files::add_at(bad, t.name, line.number(), what);
  };
  const auto time_s = files::number_in(line.word(), 0, kMaxTraceS);
  const auto mbps = files::number_in(line.word(), 0, kMaxTraceMbps);
  if (!time_s) return fail("time_s must be a number from 0 to 1e9, then a blank and Mbps");
  if (!mbps) return fail("Mbps must be a number from 0 to 1e6");
  if (!line.word().empty()) return fail("must be 'time_s Mbps' and nothing more");
  if (!t.time_s.empty() && *time_s <= t.time_s.back())
    return fail("time_s = " + number_text(*time_s) + " is not after that of the line before");
  t.time_s.push_back(*time_s);
  t.mbps.push_back(*mbps);
}

/// A trace that is played again and again must deliver something.
void check_mean(const NetworkTrace& t, Violations& bad) {
  if (t.time_s.size() < 2) return bad.add(t.name + ": must have at least two lines");
  double megabits = t.mbps[1] * t.time_s[1];
  for (std::size_t i = 2; i < t.time_s.size(); ++i)
    megabits += t.mbps[i] * (t.time_s[i] - t.time_s[i - 1]);
  if (megabits < kMinMeanMbps * t.time_s.back())
    bad.add(t.name + ": the mean bandwidth must be at least 0.001 Mbps");
}

NetworkTrace parse(std::string_view text, const std::string& name, Violations& bad) {
  NetworkTrace t{.name = name, .time_s = {}, .mbps = {}};
  const std::size_t before = bad.size();
  files::NumberLines line(text);
  while (bad.size() < files::kMostViolations && line.next()) read_line(line, t, bad);
  if (bad.size() == before) check_mean(t, bad);
  return t;
}

}  // namespace

std::vector<NetworkTrace> read_traces(const std::filesystem::path& folder) {
  std::vector<NetworkTrace> all;
  Violations bad;
  for (const std::filesystem::path& file : files::files_of(folder, "traces")) {
    all.push_back(parse(files::text_of(file, "traces"), file.string(), bad));
    all.back().name = file.filename().string();
    if (all.size() > kMaxTraces) bad.add("traces: '" + folder.string() + "' has over 1e6 files");
    if (bad.size() >= files::kMostViolations) break;
  }
  bad.throw_if_any(Errc::bad_file);
  return all;
}

NetworkTrace parse_trace(std::string_view text, const std::string& name) {
  Violations bad;
  NetworkTrace t = parse(text, name, bad);
  bad.throw_if_any(Errc::bad_file);
  return t;
}

}  // namespace park::abr
