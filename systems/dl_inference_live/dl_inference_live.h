#pragma once

#include <filesystem>
#include <memory>
#include <string>

#include "park/core/system_env.h"
#include "systems/dl_inference_live/config.h"

namespace park::inference {

/// A real server of models, in a process of its own: the running twin of dl_inference. An episode
/// starts a server (`park infer serve`), sends the requests of the episode's inputs at their times,
/// and ends when all are answered. The server asks whenever its device is free and requests wait;
/// where no legal decision comes within decision_s it takes max_slowdown's.
///
/// Rewards and metrics are those of dl_inference, by the client's clock: latencies count from the
/// scheduled arrival until the reply. The episode is truncated at its horizon, and where replies
/// are missing after drain_s.
class DlInferenceLive final : public SystemEnv {
 public:
  using Config = LiveConfig;
  static constexpr const char* kName = kLiveName;
  [[nodiscard]] static Spec spec(const Config&);

  explicit DlInferenceLive(Config config) : config_(std::move(config)) {}
  /// Throws Error{invalid_config} in one line where the server refuses its models, and
  /// Error{unavailable} where it does not start or ends by itself.
  void run(Episodes&, Decider&, std::stop_token) override;

 private:
  Config config_;
};

/// The program `park`: this one, or the one of the same build or installation. Throws
/// Error{unavailable}.
[[nodiscard]] std::filesystem::path park_program();

}  // namespace park::inference
