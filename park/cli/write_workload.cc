#include "park/cli/write_workload.h"

#include "park/cli/files.h"
#include "park/cli/workload_commands.h"
#include "park/envs/dag_scheduling/workload_file.h"
#include "park/workload/describe.h"

namespace park::cli {

void WriteWorkload::prepare(Session&, Violations& wrong) {
  check_output("--out", out_, overwrite_, wrong);
}

int WriteWorkload::run(Session& session) {
  const envs::Workload made = make(session);
  write(made);
  write_more();
  const workload::WorkloadSummary summary = workload::summarize(made);
  if (session.json()) {
    JsonWriter json;
    json.begin_object().member("out", out_);
    write_report(json);
    json.key("workload");
    write_workload_summary(json, summary);
    session.print(json.end_object().take());
  } else {
    session.print("wrote " + out_ + '\n' + report_text() +
                  workload_summary_text(summary, session.width()));
  }
  return kDone;
}

void WriteWorkload::declare_out(Options& options) {
  options.text("--out", "PATH", out_, "the file to write; exactly this path",
               Options::Need::required);
  options.flag("--overwrite", overwrite_, "replace a file that exists");
}

envs::Inflation WriteWorkload::inflation_of(const std::string& choice) {
  return choice == "model" ? envs::Inflation::fitted() : envs::Inflation{};
}

void WriteWorkload::write(const envs::Workload& made) const {
  try {
    envs::write_workload(made, out_);
  } catch (const Error& error) {
    throw Failure(error.what());  // not the fault of what was given
  }
}

}  // namespace park::cli
