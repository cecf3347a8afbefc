#include "cli/data/write_workload.h"

#include "cli/data/workload_commands.h"
#include "cli/frame/files.h"
#include "park/envs/dag_scheduling/workload/describe.h"
#include "park/envs/dag_scheduling/workload_file.h"

namespace park::cli {

void WriteWorkload::prepare(Session&, Violations& wrong) {
  check_output("--out", out_, overwrite_, wrong);
}

int WriteWorkload::run(Session& session) {
  const dag_scheduling::Workload made = make(session);
  write(made);
  write_more();
  const dag_scheduling::workload::WorkloadSummary summary =
      dag_scheduling::workload::summarize(made);
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

dag_scheduling::Inflation WriteWorkload::inflation_of(const std::string& choice) {
  return choice == "model" ? dag_scheduling::Inflation::fitted() : dag_scheduling::Inflation{};
}

void WriteWorkload::write(const dag_scheduling::Workload& made) const {
  try {
    dag_scheduling::write_workload(made, out_);
  } catch (const Error& error) {
    throw Failure(error.what());  // not the fault of what was given
  }
}

}  // namespace park::cli
