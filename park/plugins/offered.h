#pragma once

#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "park/plugins/calls.h"

namespace park::plugins {

/// What a plug-in brings: its tables, read and checked. They are shared by what is made of them.
struct Offered {
  std::filesystem::path file{};
  std::string name{}, version{}, licence{};
  std::vector<std::shared_ptr<const EnvKind>> envs{};
  std::vector<std::shared_ptr<const SystemKind>> systems{};
  std::vector<std::shared_ptr<const PolicyKind>> policies{};
  std::vector<std::shared_ptr<const ImporterKind>> importers{};
};

/// Throws Error{bad_file} where the tables are damaged. Damage is a number of the interface that is
/// not known, or structs without size. Functions that are missing, names that are none, and fields
/// that contradict themselves are damage too.
[[nodiscard]] Offered read_tables(const ParkPlugin*);

/// Makes the spec of each environment and system with its defaults. `begin` is told what comes, such
/// as "the spec of queue". Throws Error.
template <class Begin>
void try_specs(const Offered& offered, Begin&& begin) {
  const auto try_one = [&](const std::shared_ptr<const Kind>& kind) {
    begin("the spec of " + kind->name);
    static_cast<void>(Configuration(kind, {Value::Kind::call, kind->name, {}, {}}).spec());
  };
  for (const auto& env : offered.envs) try_one(env);
  for (const auto& system : offered.systems) try_one(system);
}

}  // namespace park::plugins
