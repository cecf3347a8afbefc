#include <algorithm>
#include <string>
#include <vector>

#include "park/command/table.h"
#include "park/envs/abr/data/actions.h"
#include "park/envs/abr/traces/recordings.h"

namespace park::abr::traces {
namespace {

/// A folder, and what its traces have in common with those of another.
struct Compared {
  std::string folder, with;
  std::vector<std::string> traces;  // names of those of the folder
  Overlap overlap;
};

std::vector<std::string> names_of(const std::vector<NetworkTrace>& traces) {
  std::vector<std::string> names;
  for (const NetworkTrace& trace : traces) names.push_back(trace.name);
  return names;
}

class Compare final : public command::DataAction {
 public:
  command::ActionInfo info() const override {
    return {.name = "compare",
            .summary = "how many traces of folders are cut from the same recordings",
            .details =
                "A recording is all that one unit of the FCC measured, one trip of the HSDPA logs, "
                "or one file of another kind; files with the same bandwidths are of one recording. "
                "What is trained on one folder and tested on another shares none.",
            .example = "train validation test"};
  }
  void declare(command::Options& options) override {
    options.texts("FOLDER", folders_, "two or more folders of traces",
                  command::Options::Need::required);
  }
  void check(Violations& wrong) override {
    if (folders_.size() == 1) wrong.add("FOLDER: needs two or more");
  }
  void make(command::ReadProgress&) override {
    std::vector<std::vector<NetworkTrace>> traces;
    for (const std::string& folder : folders_) traces.push_back(read_traces(folder));
    for (std::size_t i = 0; i < folders_.size(); ++i)
      for (std::size_t j = 0; j < folders_.size(); ++j)
        if (i != j)
          all_.push_back({.folder = folders_[i],
                          .with = folders_[j],
                          .traces = names_of(traces[i]),
                          .overlap = overlap(traces[i], traces[j])});
  }
  void write_json(JsonWriter& json) const override {
    json.key("folders").begin_array();
    for (const Compared& one : all_) {
      json.begin_object().member("folder", one.folder).member("with", one.with);
      json.member("traces", one.traces.size()).member("shared_recordings", one.overlap.recordings);
      json.member("of_shared_recordings", one.overlap.traces.size());
      json.member("parts", one.overlap.parts).member("same", one.overlap.same);
      json.key("of_other_recordings").begin_array();
      for (std::size_t i = 0; i < one.traces.size(); ++i)
        if (!std::ranges::binary_search(one.overlap.traces, i)) json.value(one.traces[i]);
      json.end_array().end_object();
    }
    json.end_array();
  }
  std::string text(std::size_t width) const override {
    using Align = command::Table::Align;
    command::Table table({{"folder"},
                          {"traces", Align::right},
                          {"of shared recordings", Align::right},
                          {"parts of traces", Align::right},
                          {"the same", Align::right},
                          {"recordings", Align::right},
                          {"with"}});
    for (const Compared& one : all_)
      table.add({one.folder, std::to_string(one.traces.size()),
                 std::to_string(one.overlap.traces.size()), std::to_string(one.overlap.parts),
                 std::to_string(one.overlap.same), std::to_string(one.overlap.recordings),
                 one.with});
    return table.text(0, width);
  }

 private:
  std::vector<std::string> folders_;
  std::vector<Compared> all_;
};

}  // namespace

std::unique_ptr<command::DataAction> make_compare() { return std::make_unique<Compare>(); }

}  // namespace park::abr::traces
