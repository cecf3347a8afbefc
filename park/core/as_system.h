#pragma once

#include <memory>
#include <vector>

#include "park/core/system_env.h"

namespace park {

/// Presents a simulated environment as a running system; it gives the same bytes as a Pool. Tests
/// use it, and agents can be tried against the interface of a running system.
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
