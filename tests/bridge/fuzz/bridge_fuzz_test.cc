// Damaged messages of clients and servers: they are answered, refused or left out, and nothing else
// happens. A fuzzer that follows the code's branches is in preset fuzz.
#include "tests/bridge/fuzz/bridge_fuzz.h"

#include <gtest/gtest.h>

#include "tests/fuzz/mutate.h"

namespace park::bridge {
namespace {

void damage(std::uint64_t seed, int times) {
  const std::vector<std::string> seeds = test::fuzz_seeds();
  park::test::Mutator mutate(seed);
  for (const std::string& input : seeds) test::fuzz_bridge(std::as_bytes(std::span(input)));
  for (int i = 0; i < times; ++i) {
    const std::string& input = seeds[mutate.rng().below(seeds.size())];
    const std::string damaged = mutate(input, seeds[mutate.rng().below(seeds.size())]);
    test::fuzz_bridge(std::as_bytes(std::span(damaged)));
  }
}

TEST(BridgeFuzz, DamagedMessagesDoNoHarm) { damage(1, 4000); }

TEST(BridgeFuzz, SeedsAreAnswered) { EXPECT_GT(test::fuzz_seeds().size(), 40u); }

}  // namespace
}  // namespace park::bridge
