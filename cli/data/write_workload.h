#pragma once

#include <string>

#include "cli/frame/command.h"
#include "park/core/json_writer.h"
#include "park/envs/dag_scheduling/workload.h"

namespace park::cli {

/// A command whose result is one workload file.
class WriteWorkload : public Command {
 public:
  void prepare(Session&, Violations& wrong) override;
  int run(Session& session) final;

 protected:
  void declare_out(Options& options);
  [[nodiscard]] bool overwrite() const noexcept { return overwrite_; }

  static constexpr const char* kInflationDoc =
      "durations beyond the measured executors: grow as fitted to Decima's profiles, or not at all";
  static dag_scheduling::Inflation inflation_of(const std::string& choice);

  virtual dag_scheduling::Workload make(Session&) = 0;
  /// Further files, once the workload is written.
  virtual void write_more() const {}
  /// What was read, as members of the open object.
  virtual void write_report(JsonWriter&) const {}
  /// The same as lines for people.
  [[nodiscard]] virtual std::string report_text() const { return ""; }

 private:
  void write(const dag_scheduling::Workload& made) const;

  std::string out_;
  bool overwrite_ = false;
};

}  // namespace park::cli
