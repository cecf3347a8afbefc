// Policies against clients that send wrong specs and wrong rows: all rows, and a sample of the specs.
#include <gtest/gtest.h>

#include <string>

#include "park/envs/envs.h"
#include "tests/bridge/policies/served_policy.h"
#include "tests/bridge/policies/wrong_clients.h"

namespace park::bridge {
namespace policies_test {

const Registry& registry() {
  static const Registry all = [] {
    Registry r;
    envs::register_all(r);
    return r;
  }();
  return all;
}

class Policies : public testing::TestWithParam<test::PolicyCase> {};

TEST_P(Policies, AnswerOrRefuseWrongRows) { test::expect_rows_answered(registry(), GetParam()); }

TEST_P(Policies, RefuseWrongSpecsOrAnswer) {
  test::expect_specs_answered(registry(), GetParam(), 29);
}

INSTANTIATE_TEST_SUITE_P(Small, Policies, testing::ValuesIn(test::policy_cases(registry())),
                         test::case_name);

/// What the server says to a spec with many servers, where one leaf has a single value.
std::string failure_with_one(const std::string& leaf, const std::string& policy) {
  Spec spec = registry().spec("load_balance(servers=3)");
  for (Leaf& l : spec.observation.leaves)
    if (!l.shape.empty()) l.shape = {l.name == leaf ? 1 : 3'000'000};
  spec.action.leaves[0].high = 3'000'000 - 1;
  return test::ServedPolicy(registry()).open(spec, policy);
}

TEST(WrongSpecs, PowerOfDRefusesServersWithOneNumberOfJobs) {
  EXPECT_NE(failure_with_one("server.jobs", "power_of_d")
                .find("observation leaf 'server.jobs' is f32[1], not f32[3000000] like "
                      "'server.rate'"),
            std::string::npos);
}

TEST(WrongSpecs, ShortestExpectedDelayRefusesServersWithOneTimeToDrain) {
  EXPECT_NE(failure_with_one("server.drain_s", "shortest_expected_delay")
                .find("observation leaf 'server.drain_s' is f32[1], not f32[3000000] like "
                      "'server.rate'"),
            std::string::npos);
}

TEST(WrongSpecs, AHeadHasTheValuesThatPoliciesChooseFrom) {
  Spec spec = registry().spec("load_balance(servers=3)");
  spec.action.leaves[0].high = 1;
  EXPECT_NE(test::ServedPolicy(registry())
                .open(spec, "round_robin")
                .find("action leaf 'server' is bounded by [0, 1], not by [0, 2]"),
            std::string::npos);
}

}  // namespace policies_test
}  // namespace park::bridge
