#include "park/envs/abr/traces/trace_set.h"

#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "park/core/error.h"
#include "park/core/text.h"
#include "park/files/new_file.h"
#include "park/files/read.h"

namespace park::abr::traces {
namespace {

namespace fs = std::filesystem;

double to_millionths(double value) { return std::round(value * 1e6) / 1e6; }

/// "traces/" is the folder "traces".
fs::path without_slash(const fs::path& folder) {
  return folder.has_filename() ? folder : folder.parent_path();
}

void write_text(const fs::path& path, const std::string& text) {
  if (files::try_write_file(path, text)) throw Error(Errc::io, "cannot write " + path.string());
}

}  // namespace

void TraceSet::add(abr::NetworkTrace trace) {
  if (mean_mbps(trace) < abr::kMinMeanMbps)
    return leave_out("trace", "its mean bandwidth is below 0.001 Mbps", trace.name);
  const std::string name = file_name_of(trace.name);
  trace.name = name;
  for (int n = 2; !names_.insert(trace.name).second; ++n)
    trace.name = name + '-' + std::to_string(n);
  traces_.push_back(std::move(trace));
}

void TraceSet::leave_out(const std::string& what, const std::string& why, const std::string& which,
                         std::uint64_t count) {
  const auto same = [&](const LeftOut& one) { return one.what == what && one.why == why; };
  const auto found = std::ranges::find_if(left_out_, same);
  if (found != left_out_.end())
    found->count += count;
  else
    left_out_.push_back({what, why, count, which});
}

abr::NetworkTrace trace_of(std::string name, const std::vector<double>& durations_s,
                           const std::vector<double>& mbps) {
  abr::NetworkTrace trace{.name = std::move(name), .time_s = {0}, .mbps = {mbps.at(0)}};
  double time_s = 0;
  for (std::size_t i = 0; i < mbps.size(); ++i) {
    time_s += durations_s[i];
    trace.time_s.push_back(time_s);
    trace.mbps.push_back(mbps[i]);
  }
  return trace;
}

double mean_mbps(const abr::NetworkTrace& trace) {
  double megabits = 0;
  for (std::size_t i = 1; i < trace.time_s.size(); ++i)
    megabits += trace.mbps[i] * (trace.time_s[i] - trace.time_s[i - 1]);
  return megabits / (trace.time_s.back() - trace.time_s.front());
}

std::string file_name_of(std::string_view text) {
  constexpr std::size_t kLongest = 120;
  std::string name(text.substr(0, kLongest));
  for (char& c : name) {
    const bool plain = (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
                       c == '.' || c == '_' || c == '-';
    if (!plain) c = '-';
  }
  if (name.empty() || name.front() == '.') name.insert(0, "-");
  return name;
}

std::string trace_text(const abr::NetworkTrace& trace) {
  std::string text;
  for (std::size_t i = 0; i < trace.time_s.size(); ++i)
    text += number_text(to_millionths(trace.time_s[i])) + ' ' +
            number_text(to_millionths(trace.mbps[i])) + '\n';
  return text;
}

void check_folder(const fs::path& given, bool overwrite) {
  const fs::path folder = without_slash(given);
  const auto refuse = [&](const std::string& why) {
    throw Error(Errc::invalid_config, folder.string() + why);
  };
  std::error_code ignored;
  const fs::path above = folder.has_parent_path() ? folder.parent_path() : fs::path(".");
  if (!fs::is_directory(above, ignored)) refuse(": there is no folder " + above.string());
  if (!fs::exists(fs::symlink_status(folder, ignored))) return;
  if (!fs::is_regular_file(folder / kProvenanceFile, ignored))
    refuse(" exists and is no folder of traces that park wrote");
  if (!overwrite) refuse(" exists; give --overwrite to replace it");
}

void write_traces(const fs::path& given, const std::vector<abr::NetworkTrace>& traces,
                  const std::string& provenance, bool overwrite) {
  check_folder(given, overwrite);
  const fs::path folder = without_slash(given);
  const fs::path fresh = folder.string() + ".part" + std::to_string(getpid());
  try {
    fs::create_directory(fresh);
    write_text(fresh / kProvenanceFile, provenance + '\n');
    for (const abr::NetworkTrace& trace : traces) write_text(fresh / trace.name, trace_text(trace));
    fs::remove_all(folder);
    fs::rename(fresh, folder);
  } catch (const std::exception& error) {
    std::error_code ignored;
    fs::remove_all(fresh, ignored);
    throw Error(Errc::io, error.what());
  }
}

std::string provenance_of(const fs::path& folder) {
  std::error_code none;  // no file, no text
  return files::read_file(folder / kProvenanceFile, none);
}

}  // namespace park::abr::traces
