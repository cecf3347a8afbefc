#include "park/envs/dag_scheduling/data/write_workload.h"

#include "park/command/output.h"
#include "park/envs/dag_scheduling/data/summary_text.h"
#include "park/envs/dag_scheduling/workload_file.h"

namespace park::dag_scheduling::workload {

void WriteWorkload::check(Violations& wrong) {
  command::check_output("--out", out_, overwrite_, wrong);
}

void WriteWorkload::write() {
  try {
    write_workload(*made_, out_);
  } catch (const Error& error) {
    throw command::Failure(error.what());  // not the fault of what was given
  }
  write_more();
}

void WriteWorkload::write_json(JsonWriter& json) const {
  json.member("out", out_);
  write_report(json);
  json.key("workload");
  write_summary(json, summarize(*made_));
}

std::string WriteWorkload::text(std::size_t width) const {
  return "wrote " + out_ + '\n' + report_text() + summary_text(summarize(*made_), width);
}

void WriteWorkload::declare_out(command::Options& options) {
  options.text("--out", "PATH", out_, "the file to write; exactly this path",
               command::Options::Need::required);
  options.flag("--overwrite", overwrite_, "replace a file that exists");
}

Inflation WriteWorkload::inflation_of(const std::string& choice) {
  return choice == "model" ? Inflation::fitted() : Inflation{};
}

}  // namespace park::dag_scheduling::workload
