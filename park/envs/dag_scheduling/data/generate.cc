#include "park/envs/dag_scheduling/workload/generate.h"

#include "park/command/field_options.h"
#include "park/envs/dag_scheduling/data/actions.h"
#include "park/envs/dag_scheduling/data/write_workload.h"

namespace park::dag_scheduling::workload {
namespace {

class Generate final : public WriteWorkload {
 public:
  command::ActionInfo info() const override {
    return {.name = "generate",
            .summary = "synthetic jobs with the shape of industrial traces",
            .details =
                "Nothing in them was measured: the options are the parameters of their "
                "distributions. Job k of a seed is the same for any --jobs, and the same command "
                "writes the same bytes.",
            .example = "--jobs 200 --seed 7 --out synthetic.park"};
  }

  void declare(command::Options& options) override {
    declare_out(options);
    options.text("--name", "NAME", name_, "of the workload");
    fields_.declare(options);
  }

  void check(Violations& wrong) override {
    WriteWorkload::check(wrong);
    fields_.read(config_, wrong);
  }

 private:
  Workload build(command::ReadProgress&) override { return generate_workload(config_, name_); }

  std::string name_ = "synthetic";
  command::FieldOptions fields_{field_infos<GeneratorConfig>()};
  GeneratorConfig config_;
};

}  // namespace

std::unique_ptr<command::DataAction> make_generate() { return std::make_unique<Generate>(); }

}  // namespace park::dag_scheduling::workload
