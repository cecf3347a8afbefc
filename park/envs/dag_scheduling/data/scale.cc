#include "park/envs/dag_scheduling/workload/scale.h"

#include "park/envs/dag_scheduling/data/actions.h"
#include "park/envs/dag_scheduling/data/change_workload.h"

namespace park::dag_scheduling::workload {
namespace {

class Scale final : public ChangeWorkload<JobScale> {
 public:
  command::ActionInfo info() const override {
    return {.name = "scale",
            .summary = "the same jobs with other durations, tasks or demands",
            .details = "Every factor applies to all jobs; without one nothing changes.",
            .example = "bundled --durations 0.5 --tasks 4 --out scaled.park"};
  }

 private:
  Workload change(const Workload& from, const std::string& source,
                  const JobScale& config) const override {
    return scale_workload(from, source, config);
  }
};

}  // namespace

std::unique_ptr<command::DataAction> make_scale() { return std::make_unique<Scale>(); }

}  // namespace park::dag_scheduling::workload
