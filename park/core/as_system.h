#pragma once

#include <memory>
#include <vector>

#include "park/core/system_env.h"

namespace park {

/// A simulated environment in the push role: the same bytes as by a Pool. For tests, and for
/// trying an agent against the interface of a running system.
class AsSystem final : public SystemEnv {
 public:
  AsSystem(Spec, std::unique_ptr<Env>);
  void run(Episodes&, Decider&, std::stop_token) override;

 private:
  void play(const Episode&, Decider&);

  Spec spec_;
  Batch observation_, action_;
  std::vector<double> metrics_;
  std::unique_ptr<Env> env_;
};

}  // namespace park
