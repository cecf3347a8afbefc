#include <optional>
#include <string>
#include <vector>

#include "park/check/driver.h"
#include "park/check/memory.h"
#include "park/check/owed.h"

namespace park::check {
namespace {

struct Pass {
  std::size_t found = 0;  // of AllocationWatch
  std::uint64_t decisions = 0;
};

/// Plays a list of episodes twice, one after the other, and counts during the second pass.
Pass second_pass(const Subject& s, std::vector<Episode> list) {
  const std::uint64_t n = list.size();
  for (std::size_t k = 0; k < n; ++k) list.push_back(list[k]);
  const FixedEpisodes source(list);
  const auto stream = s.open(source);
  Chooser chooser(s.spec);
  Pass pass;
  std::optional<AllocationWatch> watch;
  play(*stream, chooser, Rng(1), [&](const Decisions& d, const Batch&) {
    if (!watch && !d.asked.empty() && d.asked[0].episode.id == n) watch.emplace();
    if (!watch) return;
    for (const Ended& e : d.ended)
      if (e.episode.id >= n) pass.decisions += e.decisions;
    if (d.done) pass.found = watch->found();
  });
  return pass;
}

void check_pass(const Pass& pass, Violations& bad) {
  if (pass.found == 0) return;
  bad.add((counts_allocations() ? std::to_string(pass.found) + " allocations"
                                : "the heap changes by " + std::to_string(pass.found) + " bytes") +
          " in " + std::to_string(pass.decisions) + " decisions of the second pass");
}

}  // namespace

void steady_state_allocates_nothing(const Subject& s, Violations& bad) {
  check_pass(second_pass(s, test_episodes(s, 20)), bad);
}

void long_runs_allocate_nothing(const Subject& s, Violations& bad) {
  const Pass pass = second_pass(s, whole_episodes(s, 1));
  check_pass(pass, bad);
  if (pass.decisions < 10'000)
    bad.add("a long text needs 10 000 decisions and has " + std::to_string(pass.decisions));
}

}  // namespace park::check
