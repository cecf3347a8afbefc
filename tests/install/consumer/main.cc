#include <park/check/properties.h>
#include <park/core/registry.h>
#include <park/envs/envs.h>
#include <park/runs/checkpoint.h>

#include <iostream>

int main() {
  park::Registry registry;
  park::envs::register_all(registry);
  park::runs::add_checkpoint_policies(registry);
  const park::check::Property& first = park::check::properties()[0];
  for (const auto& name : registry.env_names()) {
    const auto subject = park::check::make_subject(registry, name);
    if (!check_property(first, subject).violations.empty()) return 1;
    std::cout << name << '\n';
  }
}
