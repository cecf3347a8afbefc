// Sets of reference data: the list of their files with sums, and what a user has of them.
// `park data fetch` (fetch.cc) reads the list, checks what was given and copies it.
#include "cli/data/reference_sets.h"

#include <algorithm>
#include <charconv>
#include <set>
#include <string_view>
#include <utility>

#include "park/core/data_path.h"
#include "park/files/lines.h"
#include "park/files/new_file.h"
#include "park/files/read.h"
#include "park/files/sha256.h"

namespace park::cli {
namespace {

namespace fs = std::filesystem;

constexpr const char* kList = "reference_data.txt";
constexpr std::size_t kSumDigits = 64;

/// "" where a set may have a file of that name: it stays in the set's folder.
std::string wrong_name(const std::string& name) {
  const fs::path path(name);
  const bool up = std::ranges::find(path, fs::path("..")) != path.end();
  return name.empty() || path.is_absolute() || up ? "must name a path inside the folder" : "";
}

/// "SUM BYTES NAME".
std::string take_file(files::NumberLines& line, std::string sum, ReferenceSet& set) {
  const std::string_view bytes = line.word(), name = line.word();
  ReferenceFile file{.sha256 = std::move(sum), .bytes = 0, .name = std::string(name)};
  const auto [end, failed] = std::from_chars(bytes.data(), bytes.data() + bytes.size(), file.bytes);
  const bool sum_is_good = file.sha256.size() == kSumDigits &&
                           file.sha256.find_first_not_of("0123456789abcdef") == std::string::npos;
  if (!sum_is_good || failed != std::errc() || end != bytes.data() + bytes.size() ||
      !line.word().empty())
    return "must be 'SHA-256 BYTES NAME'";
  std::string wrong = wrong_name(file.name);
  if (wrong.empty()) set.files.push_back(std::move(file));
  return wrong;
}

/// "set NAME PATH".
std::string take_set(files::NumberLines& line, std::vector<ReferenceSet>& sets) {
  ReferenceSet set{.name = std::string(line.word()), .path = std::string(line.word()), .files = {}};
  if (set.path.empty() || !line.word().empty()) return "must be 'set NAME PATH'";
  std::string wrong = wrong_name(set.path);
  if (wrong.empty()) sets.push_back(std::move(set));
  return wrong;
}

std::string take_line(files::NumberLines& line, std::vector<ReferenceSet>& sets) {
  std::string word(line.word());
  if (word.starts_with('#')) return "";
  if (word == "set") return take_set(line, sets);
  if (sets.empty()) return "must follow a line 'set NAME PATH'";
  return take_file(line, std::move(word), sets.back());
}

/// "" where the file is as it was published.
std::string wrong_with(const fs::path& path, const ReferenceFile& file, std::string& bytes) {
  std::error_code failed;
  bytes = files::read_file(path, failed, file.bytes);
  if (failed == std::errc::no_such_file_or_directory) return "is missing";
  if (failed == std::errc::file_too_large || (!failed && bytes.size() != file.bytes))
    return "must have " + std::to_string(file.bytes) + " bytes";
  if (failed) return failed.message();
  const std::string sum = files::sha256_text(bytes);
  if (sum == file.sha256) return "";
  return "is not the published file: its SHA-256 is " + sum + " and must be " + file.sha256;
}

bool hidden(const fs::path& path) { return path.filename().string().starts_with('.'); }

std::vector<std::string> others_in(const ReferenceSet& set, const fs::path& folder) {
  std::set<std::string> known;
  for (const ReferenceFile& file : set.files) known.insert(file.name);
  std::vector<std::string> others;
  std::error_code failed;
  for (fs::recursive_directory_iterator at(folder, failed), end; !failed && at != end;
       at.increment(failed)) {
    const std::string name = at->path().lexically_relative(folder).string();
    if (!at->is_directory() && !hidden(at->path()) && !known.contains(name)) others.push_back(name);
  }
  std::ranges::sort(others);
  return others;
}

}  // namespace

fs::path ReferenceSet::file(const fs::path& set, const ReferenceFile& file) {
  return file.name == "." ? set : set / file.name;
}

std::vector<ReferenceSet> parse_reference_sets(const std::string& text) {
  std::vector<ReferenceSet> sets;
  Violations bad;
  files::NumberLines line(text);
  while (bad.size() < files::kMostViolations && line.next())
    if (const std::string wrong = take_line(line, sets); !wrong.empty())
      files::add_at(bad, kList, line.number(), wrong);
  bad.throw_if_any(Errc::bad_file);
  return sets;
}

std::vector<ReferenceSet> reference_sets() {
  return parse_reference_sets(files::text_of(data_dir() / kList, "reference data"));
}

ReferenceCheck check_reference(const ReferenceSet& set, const fs::path& path) {
  ReferenceCheck found;
  for (const ReferenceFile& file : set.files) {
    std::string bytes;
    const fs::path at = ReferenceSet::file(path, file);
    const std::string wrong = wrong_with(at, file, bytes);
    if (!wrong.empty()) found.wrong.add(at.string() + ": " + wrong);
    ++(wrong.empty() ? found.good : wrong == "is missing" ? found.missing : found.changed);
  }
  found.others = others_in(set, path);
  return found;
}

std::size_t copy_reference(const ReferenceSet& set, const fs::path& from, const fs::path& to) {
  std::size_t written = 0;
  for (const ReferenceFile& file : set.files) {
    std::string bytes;
    const fs::path source = ReferenceSet::file(from, file), target = ReferenceSet::file(to, file);
    if (wrong_with(target, file, bytes).empty()) continue;
    const std::string wrong = wrong_with(source, file, bytes);
    if (!wrong.empty()) throw Error(Errc::bad_file, source.string() + ": " + wrong);
    std::error_code failed;
    fs::create_directories(target.parent_path(), failed);
    if (failed)
      throw Error(Errc::io,
                  "cannot make " + target.parent_path().string() + ": " + failed.message());
    files::write_file(target, bytes, {.synced = true});
    ++written;
  }
  return written;
}

}  // namespace park::cli
