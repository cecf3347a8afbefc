// Every policy under changed specs: every fifth change, and in the tier full every change.
#include <gtest/gtest.h>

#include "park/envs/envs.h"
#include "tests/bridge/policies/wrong_clients.h"

namespace park::bridge {
namespace changes_test {

const Registry& registry() {
  static const Registry all = [] {
    Registry r;
    envs::register_all(r);
    return r;
  }();
  return all;
}

class Changes : public testing::TestWithParam<test::PolicyCase> {};

TEST_P(Changes, AreRefusedOrAnswered) { test::expect_specs_answered(registry(), GetParam(), 5); }

INSTANTIATE_TEST_SUITE_P(Small, Changes, testing::ValuesIn(test::policy_cases(registry())),
                         test::case_name);

class ChangesLong : public testing::TestWithParam<test::PolicyCase> {};

TEST_P(ChangesLong, AreRefusedOrAnswered) {
  test::expect_specs_answered(registry(), GetParam(), 1);
}

INSTANTIATE_TEST_SUITE_P(All, ChangesLong, testing::ValuesIn(test::policy_cases(registry())),
                         test::case_name);

}  // namespace changes_test
}  // namespace park::bridge
