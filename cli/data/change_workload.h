#pragma once

#include <filesystem>
#include <string>

#include "cli/data/write_workload.h"
#include "cli/frame/field_options.h"

namespace park::cli {

/// A command that makes a workload of another one; the fields of the config are its options.
template <Config C>
class ChangeWorkload : public WriteWorkload {
 public:
  void declare(Options& options) override {
    options.text("FILE", "", file_, "a workload, or bundled for the one that comes with park",
                 Options::Need::required);
    declare_out(options);
    fields_.declare(options);
  }

  void prepare(Session& session, Violations& wrong) override {
    WriteWorkload::prepare(session, wrong);
    fields_.read(config_, wrong);
  }

 private:
  /// `source` is how the provenance names the workload that is changed.
  virtual dag_scheduling::Workload change(const dag_scheduling::Workload&,
                                          const std::string& source, const C&) const = 0;

  dag_scheduling::Workload make(Session&) final {
    const auto from = dag_scheduling::Workload::open(file_);
    return change(*from, std::filesystem::path(file_).filename().string(), config_);
  }

  std::string file_;
  FieldOptions fields_{field_infos<C>()};
  C config_;
};

}  // namespace park::cli
