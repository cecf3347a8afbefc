#pragma once

#include <park/core/registry.h>

#include "policies.h"
#include "single_server.h"

namespace project::newenv {

/// The environment and its policies: those of src/plugin.cc.
inline park::Registry registry() {
  park::Registry all;
  all.add_env<SingleServer>();
  all.add_policy<FirstCome>();
  all.add_policy<Shortest>();
  return all;
}

}  // namespace project::newenv
