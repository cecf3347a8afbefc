#include <park/core/registry.h>
#include <park/envs/envs.h>
#include <park/runs/checkpoint.h>

#include <iostream>

int main() {
  park::Registry registry;
  park::envs::register_all(registry);
  park::runs::add_checkpoint_policies(registry);
  for (const auto& name : registry.env_names()) std::cout << name << '\n';
}
