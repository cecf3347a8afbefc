#include "park/envs/dag_scheduling/data/write_workload.h"

#include "park/command/output.h"
#include "park/envs/dag_scheduling/data/summary_text.h"
#include "park/envs/dag_scheduling/workload_file.h"

namespace park::dag_scheduling::workload {

void WriteWorkload::write() {
  try {
    write_workload(*made_, out_.path());
  } catch (const Error& error) {
    throw command::Failure(error.what());  // not the fault of what was given
  }
  write_more();
}

void WriteWorkload::write_json(JsonWriter& json) const {
  json.member("out", out_.path());
  write_report(json);
  json.key("workload");
  write_summary(json, summarize(*made_));
}

std::string WriteWorkload::text(std::size_t width) const {
  return "wrote " + out_.path() + '\n' + report_text() + summary_text(summarize(*made_), width);
}

Inflation WriteWorkload::inflation_of(const std::string& choice) {
  return choice == "model" ? Inflation::fitted() : Inflation{};
}

}  // namespace park::dag_scheduling::workload
