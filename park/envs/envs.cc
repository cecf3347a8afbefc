#include "park/envs/envs.h"

#include <memory>

#include "park/core/policy.h"

namespace park::envs {

void register_folders(Registry&);  // written by CMake: register_env of every folder

void register_all(Registry& r) {
  r.add_policy({.name = "random",
                .summary = "uniform over the legal actions",
                .reference = "the baseline that any policy should beat",
                .environments = {}},
               [](const Spec& spec) { return std::make_unique<RandomPolicy>(spec); });
  register_folders(r);
}

}  // namespace park::envs
