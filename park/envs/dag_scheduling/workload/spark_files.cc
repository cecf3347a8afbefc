#include "park/envs/dag_scheduling/workload/spark_files.h"

#include <algorithm>
#include <charconv>
#include <filesystem>
#include <optional>
#include <string_view>
#include <system_error>
#include <utility>

#include "park/core/error.h"

namespace park::dag_scheduling::workload {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kPrefix = "events_", kCompact = ".compact", kUnfinished = ".inprogress";

/// A file of a rolled log, by its name.
struct Part {
  std::uint64_t number = 0;
  bool compact = false;
  std::string application;
  fs::path path;
};

std::optional<Part> part_of(const fs::path& path) {
  std::string name = path.filename().string();
  Part part;
  part.path = path;
  if (!name.starts_with(kPrefix) || name.ends_with(kUnfinished)) return std::nullopt;
  if (name.ends_with(kCompact)) {
    part.compact = true;
    name.resize(name.size() - kCompact.size());
  }
  const char* begin = name.data() + kPrefix.size();
  const char* end = name.data() + name.size();
  const auto [stop, error] = std::from_chars(begin, end, part.number);
  if (error != std::errc() || stop == end || *stop != '_') return std::nullopt;
  const std::string_view rest(stop + 1, static_cast<std::size_t>(end - stop - 1));
  part.application = rest.substr(0, rest.find('.'));  // Spark allows no dot in it
  return part;
}

std::uint64_t size_of(const fs::path& path) {
  std::error_code error;
  const std::uintmax_t size = fs::file_size(path, error);
  return error ? 0 : size;  // a pipe has none
}

SparkLogFile file_at(const fs::path& path) {
  const std::string name = path.string();
  return {.name = name, .open = [name] { return files::file_source(name); }};
}

std::vector<Part> parts_of(const std::string& folder) {
  std::vector<Part> parts;
  std::error_code error;
  for (auto at = fs::directory_iterator(folder, error); !error && at != fs::directory_iterator();
       at.increment(error)) {
    std::optional<Part> part = part_of(at->path());
    if (part && !at->is_directory()) parts.push_back(std::move(*part));
  }
  if (error) throw Error(Errc::io, folder + ": it cannot be read: " + error.message());
  if (parts.empty()) {
    throw Error(Errc::io, folder +
                              ": a folder without files named events_N_...; give a log's file, or "
                              "the folder of a rolled log");
  }
  std::ranges::sort(parts, {}, [](const Part& part) { return std::pair(part.number, part.path); });
  return parts;
}

/// Drops what a compacted file stands for. Returns whether there is one.
bool start_at_compact(std::vector<Part>& parts) {
  const auto last = std::ranges::find_if(parts.rbegin(), parts.rend(), &Part::compact);
  if (last == parts.rend()) return false;
  const std::uint64_t number = last->number;
  std::erase_if(parts, [&](const Part& part) {
    return part.number < number || (part.number == number && !part.compact);
  });
  return true;
}

std::string range_text(std::uint64_t first, std::uint64_t last) {
  if (first == last) return "part " + std::to_string(first) + " is missing";
  return "parts " + std::to_string(first) + " to " + std::to_string(last) + " are missing";
}

SparkLogInput rolled_log(const std::string& folder) {
  std::vector<Part> parts = parts_of(folder);
  SparkLogInput log{.name = folder, .files = {}};
  log.application = parts[0].application;
  if (start_at_compact(parts)) {
    log.notes.push_back("Spark compacted its parts up to " + std::to_string(parts[0].number) +
                        ": most jobs that were over by then are not in it");
  } else if (parts[0].number > 1) {
    log.headless = true;
    log.notes.push_back(range_text(1, parts[0].number - 1) +
                        " at its beginning: what began there is left out");
  }
  for (std::size_t i = 0; i < parts.size(); ++i) {
    log.files.push_back(file_at(parts[i].path));
    log.bytes += size_of(parts[i].path);
    if (i == 0) continue;
    const std::uint64_t before = parts[i - 1].number, number = parts[i].number;
    if (number == before) {
      throw Error(Errc::bad_file, folder + ": part " + std::to_string(number) +
                                      " is there twice: " + parts[i - 1].path.filename().string() +
                                      " and " + parts[i].path.filename().string());
    }
    if (number == before + 1) continue;
    log.files.back().after_gap = true;
    log.notes.push_back(range_text(before + 1, number - 1) + ": what ran at that time is left out");
  }
  return log;
}

}  // namespace

SparkLogInput spark_log_at(const std::string& path) {
  std::error_code ignored;
  if (fs::is_directory(path, ignored)) return rolled_log(path);
  const fs::file_status status = fs::status(path, ignored);
  if (fs::is_regular_file(status) || !fs::exists(status))
    (void)files::file_source(path);  // or it throws
  SparkLogInput log{.name = path, .files = {file_at(path)}};
  log.bytes = size_of(path);
  if (const std::optional<Part> part = part_of(path)) {
    log.application = part->application;
    log.headless = part->number > 1 && !part->compact;
    if (log.headless) {
      log.notes.push_back("it is part " + std::to_string(part->number) +
                          " of a rolled log: what began before it is left out");
    }
  }
  return log;
}

}  // namespace park::dag_scheduling::workload
