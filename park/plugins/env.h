#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>

#include "park/core/env.h"
#include "park/plugin/rows.h"
#include "park/plugins/calls.h"
#include "park/plugins/new_row.h"
#include "park/plugins/sink_calls.h"

namespace park::plugins {

/// An environment of a plug-in. Throws Error where the plug-in fails, or gives what an environment
/// must not give: see NewRow, and Outcome.
class PluginEnv final : public Env {
 public:
  /// Throws Error with the plug-in's text.
  PluginEnv(std::shared_ptr<const EnvKind>, std::shared_ptr<const Configuration>);

  void reset(const Episode&, Row observation) override;
  Outcome step(ConstRow action, Row observation) override;
  void metrics(std::span<double>) const override;
  void events(EventSink*) override;
  [[nodiscard]] std::uint64_t event_count() const noexcept override;
  [[nodiscard]] std::unique_ptr<Env> clone() const override;

 private:
  using Handle = std::unique_ptr<ParkEnv, decltype(ParkEnvType::destroy)>;
  PluginEnv(std::shared_ptr<const EnvKind>, std::shared_ptr<const Configuration>, Spec, Handle);
  [[nodiscard]] static Handle create(const EnvKind&, const Configuration&);
  [[noreturn]] void fail_outcome(const ParkOutcome&) const;

  std::shared_ptr<const EnvKind> kind_;
  std::shared_ptr<const Configuration> config_;  // outlives the environment
  Spec spec_;
  Handle env_;
  NewRow row_;
  plugin::RowPointers action_;
  mutable ErrorPlace error_;
  std::unique_ptr<SinkCalls> sink_;
};

}  // namespace park::plugins
