#pragma once

#include <optional>
#include <string>

#include "park/command/data_action.h"
#include "park/command/out_option.h"
#include "park/command/output.h"
#include "park/envs/dag_scheduling/workload.h"

namespace park::dag_scheduling::workload {

/// An action whose result is one workload file.
class WriteWorkload : public command::DataAction {
 public:
  void check(Violations& wrong) override { out_.check_file(wrong); }
  void make(command::ReadProgress& progress) final { made_ = build(progress); }
  void write() final;
  void write_json(JsonWriter&) const final;
  [[nodiscard]] std::string text(std::size_t width) const final;

 protected:
  void declare_out(command::Options& options) { out_.declare(options); }
  /// A further file that the command writes, or none.
  void check_further(std::string_view option, const std::string& path, Violations& wrong) const {
    command::check_output(option, path, out_.overwrite(), wrong);
    command::check_apart(option, path, "--out", out_.path(), wrong);
  }

  static constexpr const char* kInflationDoc =
      "durations beyond the measured executors: grow as fitted to Decima's profiles, or not at all";
  static Inflation inflation_of(const std::string& choice);

  virtual Workload build(command::ReadProgress&) = 0;
  /// Further files, once the workload is written.
  virtual void write_more() const {}
  /// What was read, as members of the open object.
  virtual void write_report(JsonWriter&) const {}
  /// The same as lines for people.
  [[nodiscard]] virtual std::string report_text() const { return ""; }

 private:
  command::OutOption out_;
  std::optional<Workload> made_;
};

}  // namespace park::dag_scheduling::workload
