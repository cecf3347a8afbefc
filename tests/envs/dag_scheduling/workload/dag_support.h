#pragma once

#include <string>
#include <vector>

#include "park/envs/dag_scheduling/workload/import_dag.h"
#include "tests/envs/dag_scheduling/workload/support.h"

namespace park::test {

/// What an import of texts gives, each a file called "file".
struct Imported {
  dag_scheduling::workload::DagImportReport report;
  dag_scheduling::Workload workload;
};

inline Imported import_form(dag_scheduling::workload::DagForm form,
                            const std::vector<std::string>& texts,
                            const dag_scheduling::workload::DagImportOptions& options = {}) {
  std::vector<dag_scheduling::workload::DagInput> inputs;
  for (const std::string& text : texts)
    inputs.push_back({"file", form, files::memory_source(text)});
  dag_scheduling::workload::DagImportReport report;
  dag_scheduling::Workload made = dag_scheduling::workload::import_dag(inputs, options, report);
  return {std::move(report), std::move(made)};
}

inline std::string import_error(dag_scheduling::workload::DagForm form, const std::string& text,
                                const dag_scheduling::workload::DagImportOptions& options = {}) {
  return error_of([&] { (void)import_form(form, {text}, options); });
}

/// The job of that name, free-standing.
inline dag_scheduling::JobProfile job_called(const dag_scheduling::Workload& workload,
                                             const std::string& name) {
  return dag_scheduling::job_profile(workload, workload.jobs()[workload.find(name).value()]);
}

}  // namespace park::test
