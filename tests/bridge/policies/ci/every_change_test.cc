// Every policy under every changed spec.
#include <gtest/gtest.h>

#include "park/envs/envs.h"
#include "tests/bridge/policies/wrong_clients.h"

namespace park::bridge {
namespace every_change_test {

const Registry& registry() {
  static const Registry all = [] {
    Registry r;
    envs::register_all(r);
    return r;
  }();
  return all;
}

class EveryChange : public testing::TestWithParam<test::PolicyCase> {};

TEST_P(EveryChange, IsRefusedOrAnswered) { test::expect_specs_answered(registry(), GetParam(), 1); }

INSTANTIATE_TEST_SUITE_P(Small, EveryChange, testing::ValuesIn(test::policy_cases(registry())),
                         test::case_name);

}  // namespace every_change_test
}  // namespace park::bridge
