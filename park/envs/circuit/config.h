// The configuration of circuit: the circuit, what is required of it, the conditions it works under,
// where an episode starts and how sizes are changed. The registry parses it; Circuit is made of it.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "park/core/config.h"
#include "park/core/error.h"
#include "park/core/space.h"
#include "park/envs/circuit/topology.h"

namespace park::circuit {

inline constexpr double kMostRequired = 1e9;  ///< of a figure

struct CircuitConfig {
  std::string circuit = "tia";
  std::string specification = "drawn";
  std::vector<double> requirements{};
  double relax_low = 0.05, relax_high = 0.2;
  std::string conditions = "drawn";
  std::string start = "published";
  std::vector<double> sizes{};
  std::string action = "step";
  std::int32_t grid = 40;
  std::int32_t simulations = 30;
  bool stop = true;
  double deadline_s = 10;
  double horizon_s = kInf;

  bool operator==(const CircuitConfig&) const = default;

  template <class Self, class Visit>
  static void fields(Self& c, Visit&& visit) {
    visit("circuit", c.circuit,
          FieldDoc{.doc = "tia: three-stage transimpedance amplifier with level 1 models. opamp: "
                          "two-stage Miller op-amp in SkyWater's 130 nm process",
                   .choices = "tia|opamp"});
    visit("specification", c.specification,
          FieldDoc{.doc = "what is required. drawn: the figures of a random design, relaxed. "
                          "published: for tia the gain and bandwidth of the published design and "
                          "at most 3 mW; for opamp 60 dB, 20 MHz, 60 degrees, 0.5 mW. custom: "
                          "`requirements`",
                   .choices = "drawn|published|custom"});
    visit("requirements", c.requirements,
          FieldDoc{.doc = "of specification=custom: least gain (Ohm or dB), bandwidth (MHz) and "
                          "phase margin (deg), most power (mW) and area (um^2); 0: nothing",
                   .min = 0,
                   .max = kMostRequired});
    visit("relax_low", c.relax_low,
          FieldDoc{.doc = "drawn: least share by which a figure of the random design is relaxed",
                   .min = 0,
                   .max = 0.9});
    visit("relax_high", c.relax_high,
          FieldDoc{.doc = "drawn: most share; at least relax_low", .min = 0, .max = 0.9});
    visit(
        "conditions", c.conditions,
        FieldDoc{.doc = "drawn: load 0.5 to 2 times the nominal one, supply 0.9 to 1.1 times, 0 to "
                        "85 degrees, corner of the process. nominal: 1, 1, 27, typical",
                 .choices = "drawn|nominal"});
    visit("start", c.start,
          FieldDoc{.doc = "first design: the published one, the middle of all ranges, or `sizes`",
                   .choices = "published|centre|custom"});
    visit("sizes", c.sizes,
          FieldDoc{.doc = "of start=custom: a value of each parameter, in its unit",
                   .min = 1e-3,
                   .max = 1e6});
    visit("action", c.action,
          FieldDoc{.doc = "step: -1, 0 or +1 grid step of each parameter. "
                          "absolute: a position in [0, 1] of each",
                   .choices = "step|absolute"});
    visit("grid", c.grid, FieldDoc{.doc = "steps of a parameter's range", .min = 1, .max = 10000});
    visit("simulations", c.simulations,
          FieldDoc{
              .doc = "simulated designs of an episode after the first", .min = 1, .max = 1000000});
    visit("stop", c.stop,
          FieldDoc{.doc = "the episode ends when a design meets the specification"});
    visit("deadline_s", c.deadline_s,
          FieldDoc{.doc = "longest time of a simulation on the clock of the machine; a second one "
                          "that takes longer is a failure",
                   .unit = "s",
                   .min = 0.001,
                   .max = 3600});
    visit("horizon_s", c.horizon_s,
          FieldDoc{.doc = "mean of the memoryless horizon of training; a simulation counts as 1 s",
                   .unit = "s",
                   .min = 1e-6});
  }

  /// The rules between fields.
  static void check(const CircuitConfig&, Violations&);

  [[nodiscard]] const Topology& topology() const;
  [[nodiscard]] bool absolute() const { return action == "absolute"; }
};

}  // namespace park::circuit
