#pragma once

#include <string>
#include <vector>

#include "park/workload/import_dag.h"
#include "tests/workload/support.h"

namespace park::test {

/// What an import of texts gives, each a file called "file".
struct Imported {
  workload::DagImportReport report;
  envs::Workload workload;
};

inline Imported import_form(workload::DagForm form, const std::vector<std::string>& texts,
                            const workload::DagImportOptions& options = {}) {
  std::vector<workload::DagInput> inputs;
  for (const std::string& text : texts)
    inputs.push_back({"file", form, workload::memory_source(text)});
  workload::DagImportReport report;
  envs::Workload made = workload::import_dag(inputs, options, report);
  return {std::move(report), std::move(made)};
}

inline std::string import_error(workload::DagForm form, const std::string& text,
                                const workload::DagImportOptions& options = {}) {
  return error_of([&] { (void)import_form(form, {text}, options); });
}

/// The job of that name, free-standing.
inline envs::JobProfile job_called(const envs::Workload& workload, const std::string& name) {
  return envs::job_profile(workload, workload.jobs()[workload.find(name).value()]);
}

}  // namespace park::test
