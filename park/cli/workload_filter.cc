#include <filesystem>

#include "park/cli/field_options.h"
#include "park/cli/workload_commands.h"
#include "park/cli/write_workload.h"
#include "park/workload/filter.h"

namespace park::cli {
namespace {

class Filter final : public WriteWorkload {
 public:
  CommandInfo info() const override {
    return {
        .name = "filter",
        .summary = "some of the jobs of a workload",
        .details =
            "A job stays that meets everything that is given. Patterns are those of a shell and "
            "need quotes there.",
        .example = "park workload filter bundled --match '1g:*' --max-stages 6 --out small.park"};
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
    return workload::filter_workload(*from, source, config_);
  }

  std::string file_;
  FieldOptions fields_{field_infos<workload::JobFilter>()};
  workload::JobFilter config_;
};

}  // namespace

std::unique_ptr<Command> make_filter_command() { return std::make_unique<Filter>(); }

}  // namespace park::cli
