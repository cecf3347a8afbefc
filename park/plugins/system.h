#pragma once

#include <memory>
#include <stop_token>

#include "park/core/system_env.h"
#include "park/plugins/calls.h"

namespace park::plugins {

/// A running system of a plug-in. `run` throws Error where the plug-in fails, gives a row or an
/// outcome that a system must not give, or leaves a context open.
class PluginSystem final : public SystemEnv {
 public:
  /// Throws Error with the plug-in's text.
  PluginSystem(std::shared_ptr<const SystemKind>, std::shared_ptr<const Configuration>);
  ~PluginSystem() override;
  void run(Episodes&, Decider&, std::stop_token) override;

 private:
  std::shared_ptr<const SystemKind> kind_;
  std::shared_ptr<const Configuration> config_;  // outlives system_
  Spec spec_;
  ParkSystem* system_ = nullptr;
};

}  // namespace park::plugins
