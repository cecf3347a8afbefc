#include <park/agents/heuristic/heuristics.h>
#include <park/agents/runs/checkpoint.h>
#include <park/core/registry.h>
#include <park/envs/envs.h>

#include <iostream>

int main() {
  park::Registry registry;
  park::envs::register_all(registry);
  park::heuristics::register_all(registry);
  park::agents::add_checkpoint_policies(registry);
  for (const auto& name : registry.env_names()) std::cout << name << '\n';
}
