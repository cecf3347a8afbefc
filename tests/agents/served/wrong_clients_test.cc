// Networks as policies of a server, against clients that send wrong specs and wrong rows. As those of
// checkpoints they are for one layout alone.
#include "tests/bridge/policies/wrong_clients.h"

#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <vector>

#include "agents/kit/network_policy.h"
#include "agents/net/networks.h"
#include "park/envs/envs.h"
#include "park/runs/manifest.h"
#include "tests/kit/small_envs.h"

namespace park::agents {
namespace wrong_clients_test {

using bridge::test::PolicyCase;

/// A policy of an untrained network, as a checkpoint of it would be.
void add(Registry& registry, const Spec& trained, const std::string& network) {
  runs::Manifest manifest;
  manifest.env_name = trained.name;
  manifest.layout_hash = layout_text(trained);
  manifest.layout = runs::layout_lines(trained);
  registry.add_policy({.name = trained.name + '_' + network,
                       .summary = "for tests",
                       .environments = {trained.name}},
                      [=](const Spec& spec) {
                        runs::check_layout(manifest, spec, "a checkpoint");
                        return std::make_unique<NetworkPolicy>(
                            spec, make_network(network, spec, Role::policy, Rng(1)), false);
                      });
}

/// Every network, for the small preset of every environment that it understands.
const Registry& registry() {
  static const Registry all = [] {
    Registry plain;
    envs::register_all(plain);
    Registry r;
    envs::register_all(r);
    for (const std::string& env : park::test::small_envs())
      for (const NetworkPart& n : networks().all())
        if (const Spec spec = plain.spec(env); n.fits(spec)) add(r, spec, n.about.info.name);
    return r;
  }();
  return all;
}

std::vector<PolicyCase> cases() {
  std::vector<PolicyCase> all;
  for (const PolicyCase& c : bridge::test::policy_cases(registry()))
    if (c.policy.starts_with(registry().spec(c.env).name + '_')) all.push_back(c);
  return all;
}

class Networks : public testing::TestWithParam<PolicyCase> {};

TEST_P(Networks, AnswerOrRefuseWrongRows) {
  bridge::test::expect_rows_answered(registry(), GetParam());
}

TEST_P(Networks, RefuseWrongSpecsOrAnswer) {
  bridge::test::expect_specs_answered(registry(), GetParam(), 7);
}

INSTANTIATE_TEST_SUITE_P(Small, Networks, testing::ValuesIn(cases()), bridge::test::case_name);

}  // namespace wrong_clients_test
}  // namespace park::agents
