#include <filesystem>

#include "park/cli/field_options.h"
#include "park/cli/workload_commands.h"
#include "park/cli/write_workload.h"
#include "park/workload/scale.h"

namespace park::cli {
namespace {

class Scale final : public WriteWorkload {
 public:
  CommandInfo info() const override {
    return {.name = "scale",
            .summary = "the same jobs with other durations, tasks or demands",
            .details = "Every factor applies to all jobs; without one nothing changes.",
            .example = "park workload scale bundled --durations 0.5 --tasks 4 --out scaled.park"};
  }

  void declare(Options& options) override {
    options.text("FILE", "", file_, "a workload, or bundled for the one that comes with park",
                 Options::Need::required);
    declare_out(options);
    fields_.declare(options);
  }

  void prepare(Session& session, Violations& wrong) override {
    WriteWorkload::prepare(session, wrong);
    fields_.read(config_, wrong);
  }

 private:
  envs::Workload make(Session&) override {
    const auto from = envs::Workload::open(file_);
    const std::string source = std::filesystem::path(file_).filename().string();
    return workload::scale_workload(*from, source, config_);
  }

  std::string file_;
  FieldOptions fields_{field_infos<workload::JobScale>()};
  workload::JobScale config_;
};

}  // namespace

std::unique_ptr<Command> make_scale_command() { return std::make_unique<Scale>(); }

}  // namespace park::cli
