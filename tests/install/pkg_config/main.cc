#include <park/core/registry.h>
#include <park/envs/envs.h>

#include <iostream>

int main() {
  park::Registry registry;
  park::envs::register_all(registry);
  for (const auto& name : registry.env_names()) std::cout << name << '\n';
}
