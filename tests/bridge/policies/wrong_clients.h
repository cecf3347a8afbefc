#pragma once

#include <gtest/gtest.h>

#include <cstddef>
#include <ostream>
#include <string>
#include <vector>

#include "park/core/registry.h"

namespace park::bridge::test {

// Policies against clients that send wrong specs and wrong rows. A spec is refused in words that
// name what is wrong, or the policy opens. A row is then answered legally, or refused in one line
// that begins with the name of a leaf, a group or a head. All else is a failure of the test.

/// A policy that is for an environment.
struct PolicyCase {
  std::string env, policy;

  friend std::ostream& operator<<(std::ostream& out, const PolicyCase& c) {
    return out << c.policy << " on " << c.env;
  }
};
/// Every policy of the registry on the small presets of every environment that it is for. Each is
/// there as it is, and with everything switched on that can be.
[[nodiscard]] std::vector<PolicyCase> policy_cases(const Registry&);
[[nodiscard]] std::string case_name(const testing::TestParamInfo<PolicyCase>&);

/// Asks rows of an episode, rows with one leaf changed, and drawn rows, under the right spec.
void expect_rows_answered(const Registry&, const PolicyCase&);
/// Opens the policy under every `each`-th of the changed specs, and asks rows where it opens.
void expect_specs_answered(const Registry&, const PolicyCase&, std::size_t each);

}  // namespace park::bridge::test
