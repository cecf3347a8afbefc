#pragma once

#include <string>

#include "park/command/data_action.h"
#include "park/command/out_option.h"
#include "park/envs/abr/traces/trace_set.h"

namespace park::abr::traces {

/// An action whose result is one folder of traces.
class WriteTraces : public command::DataAction {
 public:
  void check(Violations& wrong) override;
  void make(command::ReadProgress&) final;
  void write() final;
  void write_json(JsonWriter&) const final;
  [[nodiscard]] std::string text(std::size_t width) const final;

 protected:
  void declare_out(command::Options& options);
  virtual TraceSet build() = 0;
  /// The command that made the traces.
  [[nodiscard]] virtual std::string provenance() const = 0;

 private:
  command::OutOption out_;
  TraceSet made_;
};

}  // namespace park::abr::traces
