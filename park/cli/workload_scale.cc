#include "park/cli/change_workload.h"
#include "park/cli/workload_commands.h"
#include "park/workload/scale.h"

namespace park::cli {
namespace {

class Scale final : public ChangeWorkload<workload::JobScale> {
 public:
  CommandInfo info() const override {
    return {.name = "scale",
            .summary = "the same jobs with other durations, tasks or demands",
            .details = "Every factor applies to all jobs; without one nothing changes.",
            .example = "park workload scale bundled --durations 0.5 --tasks 4 --out scaled.park"};
  }

 private:
  envs::Workload change(const envs::Workload& from, const std::string& source,
                        const workload::JobScale& config) const override {
    return workload::scale_workload(from, source, config);
  }
};

}  // namespace

std::unique_ptr<Command> make_scale_command() { return std::make_unique<Scale>(); }

}  // namespace park::cli
