#pragma once

#include <string>

#include "cli/frame/command.h"
#include "park/envs/abr/traces/trace_set.h"

namespace park::cli {

/// A command whose result is one folder of traces.
class WriteTraces : public Command {
 public:
  void prepare(Session&, Violations& wrong) override;
  int run(Session& session) final;

 protected:
  void declare_out(Options& options);
  virtual abr::traces::TraceSet make() = 0;
  /// The command that made the traces.
  [[nodiscard]] virtual std::string provenance() const = 0;

 private:
  void print_json(const abr::traces::TraceSet& made, Session& session) const;
  void print_text(const abr::traces::TraceSet& made, Session& session) const;

  std::string out_;
  bool overwrite_ = false;
};

}  // namespace park::cli
