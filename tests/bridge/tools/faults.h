#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "tests/bridge/tools/relay.h"

namespace park::bridge::test {

/// The faults of docs/conformance.md that are done to messages, by name.
[[nodiscard]] const std::vector<std::string>& fault_names();

/// A fault by its name, for one client at a time. Throws std::invalid_argument for another name.
/// What a client does against the protocol goes to `wrong` as a line; it must outlive the fault.
[[nodiscard]] Fault fault_of(const std::string& name, std::vector<std::string>& wrong);

/// Loses the third step and all that follow, and says so.
[[nodiscard]] Fault until_third_step(std::function<void()> then);

/// Loses, repeats and delays, each with a chance, the same for the same seed.
struct Weather {
  double lost = 0, doubled = 0;
  std::chrono::milliseconds most_delay{0};
};
[[nodiscard]] Fault bad_weather(const Weather&, std::uint64_t seed);

}  // namespace park::bridge::test
