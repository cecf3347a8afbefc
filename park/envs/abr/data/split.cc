#include "park/envs/abr/traces/split.h"

#include <unistd.h>

#include <filesystem>
#include <utility>

#include "park/command/numbers.h"
#include "park/command/output.h"
#include "park/command/table.h"
#include "park/core/text.h"
#include "park/envs/abr/data/actions.h"
#include "park/envs/abr/data/out_folder.h"
#include "park/files/new_file.h"

namespace park::abr::traces {
namespace {

namespace fs = std::filesystem;

/// The traces of several folders, with names unlike each other.
TraceSet all_traces(const std::vector<std::string>& folders) {
  TraceSet all;
  for (const std::string& folder : folders)
    for (NetworkTrace& trace : read_traces(folder)) all.add(std::move(trace));
  return all;
}

double duration_s(const SplitPart& part) {
  double all = 0;
  for (const NetworkTrace& trace : part.traces) all += trace.time_s.back();
  return all;
}

/// Writes the parts as folders of a new folder, which appears as a whole.
void write_split(const command::OutOption& out, const Split& split, const std::string& provenance) {
  check_folder(out.path(), out.overwrite());
  fs::path folder = out.path();
  if (!folder.has_filename()) folder = folder.parent_path();  // it ends in a slash
  const fs::path fresh = folder.string() + ".part" + std::to_string(getpid());
  try {
    fs::create_directory(fresh);
    for (const SplitPart& part : split.parts)
      write_traces(fresh / part.name, part.traces, provenance, false);
    files::write_file(fresh / kProvenanceFile, provenance + '\n');
    fs::remove_all(folder);
    fs::rename(fresh, folder);
  } catch (const std::exception& error) {
    std::error_code ignored;
    fs::remove_all(fresh, ignored);
    throw command::Failure(error.what());
  }
}

class SplitAction final : public command::DataAction {
 public:
  command::ActionInfo info() const override {
    return {.name = "split",
            .summary = "folders for training, validation and test that share no recording",
            .details =
                "A recording is all that one unit of the FCC measured, one trip of the HSDPA logs, "
                "or one file of another kind; files with the same bandwidths are of one recording. "
                "The recordings of all FOLDERs are shared out by the seed and their names. The "
                "folders that are written are train, validation and test.",
            .example = "fcc-train fcc-test --match '*trace_*' --out clean"};
  }
  void declare(command::Options& options) override {
    options.texts("FOLDER", folders_, "folders of traces", command::Options::Need::required);
    declare_folder(out_, options);
    options.integer("--train", "PERCENT", options_.train, {1, 98}, "of the recordings");
    options.integer("--validation", "PERCENT", options_.validation, {1, 98}, "of the recordings");
    options.integer("--most", "N", options_.most, {0, kMaxTraces},
                    "traces that are kept of a recording, the longest ones; 0: all");
    options.text("--match", "PATTERN", options_.match, "only traces whose name is like that");
    options.integer("--seed", "N", options_.seed, {0, UINT64_MAX}, "of the order of recordings");
  }
  void check(Violations& wrong) override {
    if (options_.train + options_.validation > 99)
      wrong.add("--train and --validation: must leave at least 1 percent for the test");
    check_folder(out_, wrong);
  }
  void make(command::ReadProgress&) override {
    given_ = all_traces(folders_);
    split_ = split_traces(given_, options_);
  }
  void write() override { write_split(out_, split_, provenance()); }

  void write_json(JsonWriter& json) const override {
    json.member("out", out_.path()).member("provenance", provenance()).key("parts").begin_array();
    for (const SplitPart& part : split_.parts) {
      json.begin_object(JsonWriter::Layout::line).member("name", part.name);
      json.member("recordings", part.recordings).member("traces", part.traces.size());
      json.member("duration_s", duration_s(part)).end_object();
    }
    json.end_array().key("left_out").begin_array();
    for (const LeftOut& one : given_.left_out()) {
      json.begin_object(JsonWriter::Layout::line).member("what", one.what).member("why", one.why);
      json.member("count", one.count).member("first", one.first).end_object();
    }
    json.end_array();
  }

  std::string text(std::size_t width) const override {
    using Align = command::Table::Align;
    command::Table table(
        {{"folder"}, {"recordings", Align::right}, {"traces", Align::right}, {"s", Align::right}});
    for (const SplitPart& part : split_.parts)
      table.add({part.name, std::to_string(part.recordings), std::to_string(part.traces.size()),
                 command::rounded(duration_s(part), 0)});
    std::string text = "wrote " + out_.path() + '\n';
    for (const LeftOut& one : given_.left_out())
      text += "left out: " + command::plural(one.count, one.what) + ": " + one.why + '\n';
    return text + table.text(0, width);
  }

 private:
  std::string provenance() const {
    std::string text = "park data traces split";
    for (const std::string& folder : folders_) text += ' ' + fs::path(folder).filename().string();
    text += " --train " + std::to_string(options_.train);
    text += " --validation " + std::to_string(options_.validation);
    if (options_.most != 0) text += " --most " + std::to_string(options_.most);
    if (options_.match != "*") text += " --match '" + options_.match + '\'';
    return text + " --seed " + std::to_string(options_.seed);
  }

  std::vector<std::string> folders_;
  command::OutOption out_;
  SplitOptions options_;
  TraceSet given_;
  Split split_;
};

}  // namespace

std::unique_ptr<command::DataAction> make_split() { return std::make_unique<SplitAction>(); }

}  // namespace park::abr::traces
