#include "cli/data/change_workload.h"
#include "cli/data/workload_commands.h"
#include "park/envs/dag_scheduling/workload/filter.h"

namespace park::cli {
namespace {

class Filter final : public ChangeWorkload<dag_scheduling::workload::JobFilter> {
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

 private:
  dag_scheduling::Workload change(
      const dag_scheduling::Workload& from, const std::string& source,
      const dag_scheduling::workload::JobFilter& config) const override {
    return dag_scheduling::workload::filter_workload(from, source, config);
  }
};

}  // namespace

std::unique_ptr<Command> make_filter_command() { return std::make_unique<Filter>(); }

}  // namespace park::cli
