#include "park/envs/circuit/config.h"

#include <algorithm>

namespace park::circuit {
namespace {

void check_list(const std::string& field, std::size_t values, std::size_t wanted, bool needed,
                const std::string& where, Violations& bad) {
  if (needed && values != wanted)
    bad.add(field + " has " + std::to_string(values) + " values; allowed are " +
            std::to_string(wanted) + " where " + where);
  if (!needed && values > 0) bad.add(field + " is allowed only where " + where);
}

void check_sizes(const CircuitConfig& c, Violations& bad) {
  const Topology& t = c.topology();
  for (std::size_t i = 0; i < std::min(c.sizes.size(), kParameters); ++i) {
    const Parameter& p = t.parameters[i];
    if (!(c.sizes[i] >= p.low && c.sizes[i] <= p.high))
      bad.add("sizes[" + std::to_string(i) + "] = " + number_text(c.sizes[i]) + ": " + p.name +
              " of " + t.name + " is allowed from " + number_text(p.low) + " to " +
              number_text(p.high) + " " + p.unit);
  }
}

}  // namespace

void CircuitConfig::check(const CircuitConfig& c, Violations& bad) {
  check_list("requirements", c.requirements.size(), kFigures, c.specification == "custom",
             "specification = custom", bad);
  check_list("sizes", c.sizes.size(), kParameters, c.start == "custom", "start = custom", bad);
  check_sizes(c, bad);
  if (c.specification == "custom" && c.requirements.size() == kFigures) {
    if (std::ranges::all_of(c.requirements, [](double r) { return r == 0; }))
      bad.add("requirements = [0,0,0,0,0] asks for nothing; allowed is at least one that is not 0");
    if (c.circuit == "tia" && c.requirements[phase_margin] != 0)
      bad.add("requirements[2] = " + number_text(c.requirements[phase_margin]) +
              ": allowed is 0, because circuit = tia has no phase margin");
    if (c.requirements[phase_margin] > 180)
      bad.add("requirements[2] = " + number_text(c.requirements[phase_margin]) +
              ": allowed are at most 180 degrees");
  }
  if (c.relax_low > c.relax_high)
    bad.add("relax_low = " + number_text(c.relax_low) +
            " is above relax_high = " + number_text(c.relax_high));
}

const Topology& CircuitConfig::topology() const {
  return circuit == "opamp" ? op_amp() : transimpedance();
}

}  // namespace park::circuit
