#include "park/envs/dag_scheduling/workload/demand.h"

#include "park/envs/dag_scheduling/data/actions.h"
#include "park/envs/dag_scheduling/data/change_workload.h"

namespace park::dag_scheduling::workload {
namespace {

class Demand final : public ChangeWorkload<DemandConfig> {
 public:
  command::ActionInfo info() const override {
    return {.name = "demand",
            .summary = "the same jobs with drawn demands of memory",
            .details =
                "For clusters with classes of executors. The demand of a stage depends on the "
                "seed, its job's name and its place in the job; what the workload asked for is "
                "replaced.",
            .example = "bundled --memory uniform --seed 1 --out demand.park"};
  }

 private:
  Workload change(const Workload& from, const std::string& source,
                  const DemandConfig& config) const override {
    return demand_workload(from, source, config);
  }
};

}  // namespace

std::unique_ptr<command::DataAction> make_demand() { return std::make_unique<Demand>(); }

}  // namespace park::dag_scheduling::workload
