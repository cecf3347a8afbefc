// Policies that are networks compute with the threads that a training asked for.
#include <ATen/Parallel.h>
#include <gtest/gtest.h>

#include "park/core/error.h"
#include "park/core/registry.h"
#include "park/envs/envs.h"
#include "park/runs/checkpoint.h"
#include "park/runs/module.h"
#include "park/runs/network_file.h"

namespace park::agents {
namespace {

TEST(Threads, StayWhereAPolicyIsMade) {
  Registry registry;
  envs::register_all(registry);
  runs::add_checkpoint_policies(registry);
  runs::Module& module = runs::load_module();
  const Spec spec = registry.spec("load_balance");
  static_cast<void>(registry.policy("load_balance-default", spec));
  EXPECT_EQ(at::get_num_threads(), 1) << "unless something else was asked for";
  module.set_threads(2);
  static_cast<void>(registry.policy("load_balance-default", spec));
  EXPECT_EQ(at::get_num_threads(), 2);
  EXPECT_THROW(static_cast<void>(runs::network_file_policy(
                   runs::NetworkFormat::onnx,
                   PARK_SOURCE_DIR "/tests/agents/exported/data/operators.txt", false, spec)),
               Error);
  EXPECT_EQ(at::get_num_threads(), 2);
  module.set_threads(1);
  EXPECT_EQ(at::get_num_threads(), 1);
}

}  // namespace
}  // namespace park::agents
