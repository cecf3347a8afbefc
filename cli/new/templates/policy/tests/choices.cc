// Small situations with the right answer written down: three servers and the job that asks.
#include <park/core/batch.h>
#include <park/core/registry.h>
#include <park/envs/envs.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <iostream>
#include <string>

#include "policy.h"

namespace {

struct Situation {
  std::string policy;
  std::array<float, 3> rate, drain_s;
  float size;
  std::int32_t server;  // the right answer
};

std::int32_t answer(const park::Registry& registry, const Situation& s) {
  const park::Spec spec = registry.spec("load_balance(servers=3)");
  const auto layout = park::bind_layout<project::newpolicy::ServersLayout>(spec);
  park::Decisions decisions(spec);
  decisions.observation.resize(1);
  const park::Row row = decisions.observation.row(0);
  std::ranges::copy(s.rate, row[layout.rate].begin());
  std::ranges::copy(s.drain_s, row[layout.drain_s].begin());
  row.scalar(layout.size) = s.size;
  decisions.asked.resize(1);
  park::Batch actions(spec.action);
  actions.resize(1);
  registry.policy(s.policy, spec)->act(decisions, actions);
  return actions.row(0).scalar(layout.server);
}

}  // namespace

int main() {
  park::Registry registry;
  park::envs::register_all(registry);
  registry.add_policy<project::newpolicy::WeightedDelay>();
  const std::array situations{
      Situation{"newpolicy", {1, 1, 1}, {3, 2, 4}, 5, 1},  // the least wait
      Situation{"newpolicy", {1, 4, 1}, {0, 2, 0}, 5, 1},  // the fast one, 3.25 s against 5
      Situation{"newpolicy(weight=0.25)", {1, 4, 1}, {0, 2, 0}, 5, 0},  // 1.25 s against 2.31
      Situation{"newpolicy", {2, 2, 2}, {1, 1, 1}, 5, 0},               // the first among equals
  };
  int wrong = 0;
  for (const Situation& s : situations) {
    const std::int32_t found = answer(registry, s);
    std::cout << s.policy << ": server " << found << ", right is " << s.server << '\n';
    if (found != s.server) ++wrong;
  }
  return wrong == 0 ? 0 : 1;
}
