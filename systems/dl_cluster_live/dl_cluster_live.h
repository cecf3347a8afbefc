#pragma once

#include "park/core/system_env.h"
#include "systems/dl_cluster_live/config.h"

namespace park::dl_cluster_live {

/// Training jobs as processes of this machine, whose numbers of workers are decided here: the
/// running twin of dl_cluster(model=allreduce), with its rows, moves and metrics. README.md in this
/// folder describes jobs, clocks and failures.
class DlClusterLive final : public SystemEnv {
 public:
  using Config = DlClusterLiveConfig;
  static constexpr const char* kName = "dl_cluster_live";
  [[nodiscard]] static Spec spec(const Config&);

  explicit DlClusterLive(Config config) : config_(std::move(config)) {}
  /// Throws Error{unavailable} where the program that trains is missing, and what
  /// JobSpeeds::of_table throws.
  void run(Episodes&, Decider&, std::stop_token) override;

 private:
  Config config_;
};

}  // namespace park::dl_cluster_live
