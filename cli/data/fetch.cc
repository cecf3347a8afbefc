// The command `park data fetch`: list shows the sets and what is there of them; fetch checks what was given,
// refuses other files in its place, and copies it. reference_sets.cc compares and copies.
#include "cli/data/fetch.h"

#include <algorithm>
#include <cstdlib>
#include <filesystem>

#include "cli/data/reference_sets.h"
#include "park/command/numbers.h"
#include "park/command/output.h"
#include "park/command/strings.h"
#include "park/command/table.h"
#include "park/core/json_writer.h"

namespace park::cli {
namespace {

namespace fs = std::filesystem;

std::uint64_t bytes_of(const ReferenceSet& set) {
  std::uint64_t all = 0;
  for (const ReferenceFile& file : set.files) all += file.bytes;
  return all;
}

/// What of a set is in the folder of all sets, for people.
std::string state(const ReferenceCheck& found) {
  if (found.good == 0 && found.changed == 0) return "not there";
  std::vector<std::string> parts;
  if (found.missing > 0) parts.push_back(std::to_string(found.missing) + " missing");
  if (found.changed > 0) parts.push_back(std::to_string(found.changed) + " changed");
  if (!found.others.empty()) parts.push_back(std::to_string(found.others.size()) + " more");
  return parts.empty() ? "complete" : command::joined(parts, ", ");
}

/// Where the set is in what was given: a set of one file may be given as its folder or as the file.
fs::path given_path(const ReferenceSet& set, const fs::path& given) {
  const bool folder = fs::is_directory(given);
  if (set.files.size() != 1) return given;
  const bool alone = set.files.front().name == ".";
  if (alone && folder) return given / fs::path(set.path).filename();
  if (!alone && !folder) return given.has_parent_path() ? given.parent_path() : fs::path(".");
  return given;
}

class FetchCommand final : public Command {
 public:
  CommandInfo info() const override {
    return {.name = "fetch",
            .summary = "check data of others that you bring, and put it where texts name it",
            .details =
                "Park downloads nothing and bundles none of these sets. docs/data.md says where "
                "each is published, its licence and what is lost without it. PATH is the folder or "
                "file that you downloaded. Every file is compared with the SHA-256 sum of the "
                "published one. Without NAME it lists the sets and what is there of them.",
            .example =
                "park data fetch fcc-train NetLLM/adaptive_bitrate_streaming/data/traces/"
                "train/fcc-train --to reference"};
  }
  bool takes_plugins() const override { return false; }
  void declare(Options& options) override {
    options.text("NAME", "", name_, "the name of a set");
    options.text("PATH", "", path_, "the folder or file that has it");
    options.text("--to", "FOLDER", to_,
                 "the folder of all sets; none: the one that PARK_REFERENCE_DATA names");
  }
  void prepare(Session&, Violations& wrong) override {
    sets_ = reference_sets();
    if (const char* const chosen = std::getenv("PARK_REFERENCE_DATA"); to_.empty() && chosen)
      to_ = chosen;
    if (name_.empty()) return;
    check_name(wrong);
    if (path_.empty()) wrong.add("PATH: is required: the folder or file that has the set");
    std::error_code ignored;
    if (!path_.empty() && !fs::exists(path_, ignored)) wrong.add("PATH: there is no " + path_);
    if (to_.empty()) wrong.add("--to: is required where PARK_REFERENCE_DATA is not set");
  }
  int run(Session& session) override {
    if (name_.empty())
      list(session);
    else
      fetch(session);
    return kDone;
  }

 private:
  void check_name(Violations& wrong) {
    std::vector<std::string> names;
    for (const ReferenceSet& set : sets_) names.push_back(set.name);
    if (std::ranges::find(names, name_) == names.end())
      wrong.add("NAME: no set '" + name_ + "'; it is " + command::alternatives(names));
  }

  void list(Session& session) const {
    using Align = Table::Align;
    Table table({{"set"}, {"files", Align::right}, {"bytes", Align::right}, {"path"}, {"state"}});
    JsonWriter json;
    json.begin_object().member("to", to_).key("sets").begin_array();
    for (const ReferenceSet& set : sets_) {
      const std::string found =
          to_.empty() ? "" : state(check_reference(set, fs::path(to_) / set.path));
      const std::uint64_t bytes = bytes_of(set);
      table.add(
          {set.name, std::to_string(set.files.size()), std::to_string(bytes), set.path, found});
      json.begin_object(JsonWriter::Layout::line).member("name", set.name);
      json.member("files", set.files.size()).member("bytes", bytes);
      json.member("path", set.path).member("state", found).end_object();
    }
    session.print(session.json() ? json.end_array().end_object().take()
                                 : table.text(0, session.width()));
  }

  void fetch(Session& session) const {
    const ReferenceSet& set = *std::ranges::find(sets_, name_, &ReferenceSet::name);
    const fs::path from = given_path(set, path_), to = fs::path(to_) / set.path;
    const ReferenceCheck given = check_reference(set, from);
    given.wrong.throw_if_any(Errc::bad_file);
    check_no_others(set, to);
    const std::size_t written = copied(set, from, to);
    const std::size_t left_out = fs::is_directory(from) ? given.others.size() : 0;
    if (session.json()) {
      JsonWriter json;
      json.begin_object().member("set", set.name).member("files", set.files.size());
      json.member("bytes", bytes_of(set)).member("written", written);
      json.member("left_out", left_out).member("path", to.string());
      return session.print(json.end_object().take());
    }
    std::string text = set.name + ": " + command::plural(set.files.size(), "file") +
                       " as published, " + std::to_string(written) + " written; the set is in " +
                       to.string() + '\n';
    if (left_out > 0)
      text += "left out: " + command::plural(left_out, "other file") + ", such as " +
              given.others.front() + '\n';
    session.print(text);
  }

  /// Other files there would be played as if they were of the set.
  static void check_no_others(const ReferenceSet& set, const fs::path& to) {
    Violations wrong;
    for (const std::string& other : check_reference(set, to).others)
      wrong.add((to / other).string() + ": is not of the set; remove it");
    wrong.throw_if_any(Errc::invalid_config);
  }

  static std::size_t copied(const ReferenceSet& set, const fs::path& from, const fs::path& to) {
    try {
      return copy_reference(set, from, to);
    } catch (const Error& error) {
      if (error.code() == Errc::io) throw command::Failure(error.what());
      throw;
    }
  }

  std::vector<ReferenceSet> sets_;  // read where the command is run
  std::string name_, path_, to_;
};

}  // namespace

std::unique_ptr<Command> make_fetch() { return std::make_unique<FetchCommand>(); }

}  // namespace park::cli
