#include "cli/data/change_workload.h"
#include "cli/data/workload_commands.h"
#include "park/envs/dag_scheduling/workload/scale.h"

namespace park::cli {
namespace {

class Scale final : public ChangeWorkload<dag_scheduling::workload::JobScale> {
 public:
  CommandInfo info() const override {
    return {.name = "scale",
            .summary = "the same jobs with other durations, tasks or demands",
            .details = "Every factor applies to all jobs; without one nothing changes.",
            .example = "park workload scale bundled --durations 0.5 --tasks 4 --out scaled.park"};
  }

 private:
  dag_scheduling::Workload change(const dag_scheduling::Workload& from, const std::string& source,
                                  const dag_scheduling::workload::JobScale& config) const override {
    return dag_scheduling::workload::scale_workload(from, source, config);
  }
};

}  // namespace

std::unique_ptr<Command> make_scale_command() { return std::make_unique<Scale>(); }

}  // namespace park::cli
