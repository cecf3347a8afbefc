#include "park/envs/envs.h"

#include <memory>

#include "park/core/policy.h"

namespace park::envs {

// Written by CMake: register_env and register_data of every folder.
void register_folders(Registry&);
void register_data_of_folders(command::DataKinds&);

void register_all(Registry& r) {
  r.add_policy({.name = "random",
                .summary = "uniform over the legal actions",
                .reference = "the baseline that any policy should beat",
                .environments = {}},
               [](const Spec& spec) { return std::make_unique<RandomPolicy>(spec); });
  register_folders(r);
}

command::DataKinds data_kinds() {
  command::DataKinds kinds;
  register_data_of_folders(kinds);
  return kinds;
}

}  // namespace park::envs
