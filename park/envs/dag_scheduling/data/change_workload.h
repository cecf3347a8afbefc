#pragma once

#include <filesystem>
#include <string>

#include "park/command/field_options.h"
#include "park/envs/dag_scheduling/data/write_workload.h"

namespace park::dag_scheduling::workload {

/// An action that makes a workload of another one; the fields of the config are its options.
template <Config C>
class ChangeWorkload : public WriteWorkload {
 public:
  void declare(command::Options& options) override {
    options.text("FILE", "", file_, "a workload, or bundled for the one that comes with park",
                 command::Options::Need::required);
    declare_out(options);
    fields_.declare(options);
  }

  void check(Violations& wrong) override {
    WriteWorkload::check(wrong);
    fields_.read(config_, wrong);
  }

 private:
  /// `source` is how the provenance names the workload that is changed.
  virtual Workload change(const Workload&, const std::string& source, const C&) const = 0;

  Workload build(command::ReadProgress&) final {
    const auto from = Workload::open(file_);
    return change(*from, std::filesystem::path(file_).filename().string(), config_);
  }

  std::string file_;
  command::FieldOptions fields_{field_infos<C>()};
  C config_;
};

}  // namespace park::dag_scheduling::workload
