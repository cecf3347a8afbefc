#include "park/envs/dag_scheduling/workload/filter.h"

#include "park/envs/dag_scheduling/data/actions.h"
#include "park/envs/dag_scheduling/data/change_workload.h"

namespace park::dag_scheduling::workload {
namespace {

class Filter final : public ChangeWorkload<JobFilter> {
 public:
  command::ActionInfo info() const override {
    return {
        .name = "filter",
        .summary = "some of the jobs of a workload",
        .details =
            "A job stays that meets everything that is given. Patterns are those of a shell and "
            "need quotes there.",
        .example = "bundled --match '1g:*' --max-stages 6 --out small.park"};
  }

 private:
  Workload change(const Workload& from, const std::string& source,
                  const JobFilter& config) const override {
    return filter_workload(from, source, config);
  }
};

}  // namespace

std::unique_ptr<command::DataAction> make_filter() { return std::make_unique<Filter>(); }

}  // namespace park::dag_scheduling::workload
