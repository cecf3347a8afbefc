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

/// What all environments of a configuration have in common.
struct EnvForm {
  /// Throws Error with the plug-in's text, also where the spec is damaged or invalid.
  EnvForm(std::shared_ptr<const EnvKind>, const Value& canonical);

  const std::shared_ptr<const EnvKind> kind;
  const Configuration config;
  const Spec spec;
  const RowForm observation;
  const IdVector<Field<std::uint8_t>> heads;  ///< the leaves of the action
};

/// An environment of a plug-in. Throws Error where the plug-in fails, or gives what an environment
/// must not give: see NewRow, and Outcome.
class PluginEnv final : public Env {
 public:
  /// Throws Error with the plug-in's text.
  explicit PluginEnv(const std::shared_ptr<const EnvForm>&);

  void reset(const Episode&, Row observation) override;
  Outcome step(ConstRow action, Row observation) override;
  void metrics(std::span<double>) const override;
  void events(EventSink*) override;
  [[nodiscard]] std::uint64_t event_count() const noexcept override;
  /// nullptr where the plug-in steps one by one, or rows have groups.
  [[nodiscard]] std::unique_ptr<EnvGroup> group(std::span<Env* const>) const override;
  [[nodiscard]] std::unique_ptr<Env> clone() const override;

 private:
  class Group;
  using Handle = std::unique_ptr<ParkEnv, decltype(ParkEnvType::destroy)>;
  PluginEnv(std::shared_ptr<const EnvForm>, Handle);
  [[nodiscard]] static Handle create(const EnvForm&);
  [[nodiscard]] const ParkRow& pointers_of(ConstRow action) noexcept;

  std::shared_ptr<const EnvForm> form_;  // its configuration outlives the environment
  Handle env_;
  NewRow row_;
  IdVector<const void*> choices_;  // [heads]
  ParkRow action_{};
  std::unique_ptr<SinkCalls> sink_;
};

}  // namespace park::plugins
