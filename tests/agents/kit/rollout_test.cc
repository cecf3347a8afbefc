#include "agents/kit/rollout.h"

#include <gtest/gtest.h>

#include <cstring>
#include <vector>

#include "park/core/policy.h"
#include "park/core/registry.h"
#include "tests/kit/toy_shop.h"

namespace park::agents {
namespace rollout_test {

constexpr const char* kShop = "toy_shop(customers=40)";

Registry shops() {
  Registry registry;
  registry.add_env<park::test::ToyShop>();
  return registry;
}

bool same_rows(const Batch& a, std::size_t i, const Batch& b, std::size_t k) {
  for (std::size_t c = 0; c < a.columns(); ++c) {
    const auto x = a.bytes(c, i, 1), y = b.bytes(c, k, 1);
    if (x.size() != y.size() || std::memcmp(x.data(), y.data(), x.size()) != 0) return false;
  }
  return true;
}

/// Everything that a run of several slots observes, plainly and as a rollout.
struct Both {
  Both(std::size_t piece_bytes, std::uint32_t slots)
      : registry(shops()),
        spec(registry.spec(kShop)),
        rollout(spec.observation, piece_bytes),
        plain(spec.observation) {
    const RandomEpisodes episodes(Rng(3), {.count = 5});
    const auto stream = registry.stream(kShop, episodes, {.slots = slots});
    RandomPolicy policy(spec);
    play(*stream, policy, Rng(4), [this](const Decisions& d, const Batch&) {
      rollout.append(d.observation, d.asked);
      plain.append(d.observation);
    });
  }
  Registry registry;
  Spec spec;
  Rollout rollout;
  Batch plain;
};

TEST(Rollout, GivesBackEveryByte) {
  for (const std::size_t piece : {8U, 64U, 256U, 4096U}) {
    const Both both(piece, 3);
    const std::size_t n = both.plain.rows();
    ASSERT_EQ(both.rollout.rows(), n);
    ASSERT_GT(n, 100u);
    std::vector<std::uint32_t> rows;
    for (std::size_t r = n; r-- > 0;) rows.push_back(static_cast<std::uint32_t>(r));
    Batch out(both.spec.observation);
    both.rollout.gather(rows, out);
    for (std::size_t i = 0; i < n; ++i)
      ASSERT_TRUE(same_rows(out, i, both.plain, rows[i])) << "piece " << piece << " row " << i;
  }
}

TEST(Rollout, SharesWhatStaysTheSame) {
  const Both both(8, 2);
  EXPECT_LT(both.rollout.bytes(), both.rollout.raw_bytes());
}

TEST(Rollout, StartsAgainEmpty) {
  Both both(256, 1);
  both.rollout.clear();
  EXPECT_EQ(both.rollout.rows(), 0u);
  EXPECT_EQ(both.rollout.bytes(), 0u);
  EXPECT_EQ(both.rollout.raw_bytes(), 0u);
}

}  // namespace rollout_test
}  // namespace park::agents
