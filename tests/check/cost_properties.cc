#include <optional>
#include <string>
#include <vector>

#include "park/core/pool.h"
#include "tests/check/driver.h"
#include "tests/check/properties.h"
#include "tests/kit/memory.h"

namespace park::test {
namespace {

struct Pass {
  std::size_t allocations = 0;
  std::uint64_t decisions = 0;
};

/// Plays a list of episodes twice, one after the other, and counts during the second pass.
Pass second_pass(const Subject& s, std::vector<Episode> list) {
  const std::uint64_t n = list.size();
  for (std::size_t k = 0; k < n; ++k) list.push_back(list[k]);
  const FixedEpisodes source(list);
  Pool pool(s.spec, s.make, source, {});
  Chooser chooser(s.spec);
  Pass pass;
  std::optional<AllocationCount> count;
  play(pool, chooser, Rng(1), [&](const Decisions& d, const Batch&) {
    if (!count && !d.asked.empty() && d.asked[0].episode.id == n) count.emplace();
    if (!count) return;
    for (const Ended& e : d.ended)
      if (e.episode.id >= n) pass.decisions += e.decisions;
    pass.allocations = count->count();
  });
  return pass;
}

void check_pass(const Pass& pass, Violations& bad) {
  if (pass.allocations > 0)
    bad.add(std::to_string(pass.allocations) + " allocations in " + std::to_string(pass.decisions) +
            " decisions of the second pass");
}

}  // namespace

void steady_state_allocates_nothing(const Subject& s, Violations& bad) {
  check_pass(second_pass(s, test_episodes(s, 20)), bad);
}

void long_runs_allocate_nothing(const Subject& s, Violations& bad) {
  const Pass pass = second_pass(s, whole_episodes(1));
  check_pass(pass, bad);
  if (pass.decisions < 10'000)
    bad.add("a long preset needs 10 000 decisions and has " + std::to_string(pass.decisions));
}

}  // namespace park::test
