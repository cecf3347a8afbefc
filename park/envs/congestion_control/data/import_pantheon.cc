#include <filesystem>
#include <string>

#include "park/core/json_writer.h"
#include "park/envs/congestion_control/data/actions.h"
#include "park/envs/congestion_control/data/read_trace.h"
#include "park/envs/congestion_control/data/write_link.h"
#include "park/envs/congestion_control/links/pantheon.h"
#include "park/files/byte_source.h"

namespace park::congestion_control::links {
namespace {

class ImportPantheon final : public WriteLink {
 public:
  command::ActionInfo info() const override {
    return {.name = "import",
            .form = "pantheon",
            .summary = "an experiment of Pantheon in the emulator Mahimahi",
            .details =
                "FILE is the pantheon_metadata.json beside the logs of a local experiment. Its "
                "uplink trace is checked and written, and the environment with the delay, "
                "loss, queue and flows of the experiment is printed. What the simulator has "
                "not is named.",
            .example = "data/pantheon_metadata.json --traces traces --out nepal.link"};
  }
  void declare(command::Options& options) override {
    options.text("FILE", "", file_, "pantheon_metadata.json", command::Options::Need::required);
    options.text("--traces", "FOLDER", traces_, "folder of the trace (default: that of FILE)");
    declare_out(options);
  }

 private:
  net::Opportunities build() override {
    const std::filesystem::path file(file_);
    experiment_ = parse_pantheon(*files::file_source(file_), name_of(file_));
    const std::filesystem::path folder =
        traces_.empty() ? file.parent_path() : std::filesystem::path(traces_);
    return read_trace((folder / experiment_.uplink_trace).string());
  }
  void write_more(JsonWriter& json) const override {
    json.member("env", environment_of(experiment_, out()));
    json.key("left_out").begin_array();
    for (const std::string& what : experiment_.left_out) json.value(what);
    json.end_array();
  }
  std::string more() const override {
    std::string text = "play it: park run '" + environment_of(experiment_, out()) + "'\n";
    for (const std::string& what : experiment_.left_out) text += "left out: " + what + '\n';
    return text;
  }

  std::string file_, traces_;
  PantheonExperiment experiment_;
};

}  // namespace

std::unique_ptr<command::DataAction> make_import_pantheon() {
  return std::make_unique<ImportPantheon>();
}

}  // namespace park::congestion_control::links
