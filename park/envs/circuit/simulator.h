#pragma once

#include <string>

#include "park/envs/circuit/figures.h"
#include "park/envs/circuit/netlist.h"
#include "park/envs/circuit/spice_pool.h"
#include "park/envs/circuit/topology.h"

namespace park::circuit {

/// A simulated design.
struct Simulated {
  Failure failure = Failure::none;
  Reading reading{};
};

/// Simulates designs of one circuit on the processes of this program. At most some thousand results
/// of this program are remembered. The same design gives the same result anyway, so a result does
/// not show whether it was remembered. One thread at a time.
class Simulator {
 public:
  /// Throws Error{unavailable} where ngspice cannot be used, Error{io} without the model cards.
  Simulator(const Topology&, double deadline_s);

  void run(const Sizes&, const Conditions&, Simulated&);

 private:
  const Topology& topology_;
  std::chrono::duration<double> deadline_;
  NetlistWriter writer_;
  std::string request_{};
  SpiceReply reply_{};
};

}  // namespace park::circuit
