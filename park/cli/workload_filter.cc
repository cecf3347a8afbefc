#include "park/cli/change_workload.h"
#include "park/cli/workload_commands.h"
#include "park/workload/filter.h"

namespace park::cli {
namespace {

class Filter final : public ChangeWorkload<workload::JobFilter> {
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
  envs::Workload change(const envs::Workload& from, const std::string& source,
                        const workload::JobFilter& config) const override {
    return workload::filter_workload(from, source, config);
  }
};

}  // namespace

std::unique_ptr<Command> make_filter_command() { return std::make_unique<Filter>(); }

}  // namespace park::cli
