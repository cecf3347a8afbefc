#include "cli/data/workload_commands.h"
#include "cli/data/write_workload.h"
#include "cli/frame/field_options.h"
#include "park/envs/dag_scheduling/workload/generate.h"

namespace park::cli {
namespace {

class Generate final : public WriteWorkload {
 public:
  CommandInfo info() const override {
    return {.name = "generate",
            .summary = "synthetic jobs with the shape of industrial traces",
            .details =
                "Nothing in them was measured: the options are the parameters of their "
                "distributions. Job k of a seed is the same for any --jobs, and the same command "
                "writes the same bytes.",
            .example = "park workload generate --jobs 200 --seed 7 --out synthetic.park"};
  }

  void declare(Options& options) override {
    declare_out(options);
    options.text("--name", "NAME", name_, "of the workload");
    fields_.declare(options);
  }

  void prepare(Session& session, Violations& wrong) override {
    WriteWorkload::prepare(session, wrong);
    fields_.read(config_, wrong);
  }

 private:
  dag_scheduling::Workload make(Session&) override {
    return dag_scheduling::workload::generate_workload(config_, name_);
  }

  std::string name_ = "synthetic";
  FieldOptions fields_{field_infos<dag_scheduling::workload::GeneratorConfig>()};
  dag_scheduling::workload::GeneratorConfig config_;
};

}  // namespace

std::unique_ptr<Command> make_generate_command() { return std::make_unique<Generate>(); }

}  // namespace park::cli
