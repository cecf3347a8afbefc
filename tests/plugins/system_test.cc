// Running systems of plug-ins: questions, fallbacks and ends as of a system in the tree.
#include "park/plugins/system.h"

#include <gtest/gtest.h>

#include <chrono>
#include <optional>
#include <string>

#include "park/check/driver.h"
#include "park/core/live.h"
#include "tests/kit/scratch_folder.h"
#include "tests/plugins/loaded.h"
#include "tests/plugins/shop/shop.h"

namespace park::test {
namespace plugin_system_test {

using namespace std::chrono_literals;

TEST(PluginSystem, GivesTheBytesOfTheSystemInTheTree) {
  const Registry there = registry_of(built("toys"));
  Registry here;
  here.add_system<ShopLive>();
  here.add_policy<Keen>();
  const auto played = [](const Registry& registry) {
    const RandomEpisodes source(phase_rng(3, Phase::evaluate), {.count = 4});
    const auto stream = registry.stream("toy_shop_live(customers=9)", source);
    const auto policy = registry.policy("keen", stream->spec());
    return check::trajectories(*stream, *policy);
  };
  const auto left = played(there), right = played(here);
  ASSERT_EQ(left.size(), 4u);
  for (const auto& [id, trajectory] : left)
    EXPECT_EQ(check::difference(here.spec("toy_shop_live"), trajectory, right.at(id)), "") << id;
}

TEST(PluginSystem, AStopEndsItsContexts) {
  for (const std::string env : {"toy_shop_live", "first_live"}) {
    const Registry registry = registry_of(env == "first_live" ? first_plugin() : built("toys"));
    const RandomEpisodes source(phase_rng(3, Phase::evaluate));
    const auto stream = registry.stream(env, source);
    auto& live = dynamic_cast<Live&>(*stream);
    while (stream->recv(Clock::now() + 10s).asked.empty()) ASSERT_FALSE(HasFailure());
    live.stop();
    bool closed = false;
    for (bool done = false; !done;) {
      const Decisions& d = stream->recv();
      done = d.done;
      for (const Ended& e : d.ended) closed = closed || e.last.end == End::truncated;
      Batch actions(stream->spec().action);
      actions.resize(d.asked.size());
      if (!done) stream->send(actions);
    }
    EXPECT_TRUE(closed) << env;
  }
}

/// Episodes that break off.
struct Broken final : EpisodeSource {
  [[nodiscard]] std::optional<Episode> at(std::uint64_t k) const override {
    if (k == 1) throw Error(Errc::capacity, "no more episodes");
    return Episode{.id = k, .inputs = k};
  }
};

TEST(PluginSystem, WhatParkThrowsDuringARunComesBack) {
  for (const std::string env : {"toy_shop_live(customers=3)", "first_live"}) {
    const Registry registry = registry_of(env == "first_live" ? first_plugin() : built("toys"));
    const Broken source;
    const auto stream = registry.stream(env, source);
    RandomPolicy policy(stream->spec());
    EXPECT_EQ(error_of([&] { static_cast<void>(check::trajectories(*stream, policy)); }),
              "no more episodes")
        << env;
  }
}

}  // namespace plugin_system_test
}  // namespace park::test
