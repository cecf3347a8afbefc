// What users of a cluster declare: dependent leaves follow, work and what was measured stay, and the
// checkers refuse what is no description of the same job.
#include "park/envs/dag_scheduling/declarations.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <numeric>
#include <set>

#include "park/core/misreporting_env.h"
#include "park/core/policy.h"
#include "park/core/registry.h"
#include "park/envs/dag_scheduling/layout.h"
#include "park/envs/envs.h"

namespace park::dag_scheduling {
namespace declarations_test {

constexpr const char* kEnv = "dag_scheduling(executors=8,jobs=5)";

/// One row of a cluster, some decisions into an episode, and the same row as it is declared.
class DeclaredRows : public ::testing::Test {
 protected:
  DeclaredRows() : declarations_(registry_.env_factory(kEnv)()->declarations()) {
    const RandomEpisodes episodes(Rng(6), {.count = 1});
    const auto stream = registry_.stream(kEnv, episodes);
    RandomPolicy policy(spec_);
    int decisions = 0;
    play(*stream, policy, Rng(3), [&](const Decisions& d, const Batch&) {
      if (++decisions < 40) return true;
      truth_.append(d.observation, 0);
      return false;
    });
    now_ = {std::as_const(truth_).row(0), 39};
    layout_ = bind_layout<DagLayout>(spec_);
  }

  ConstRow declare(const Misreport& m) {
    seen_.clear();
    declarations_->show(now_, {m}, seen_.append());
    return std::as_const(seen_).row(0);
  }
  [[nodiscard]] std::size_t stages(std::uint64_t job) const {
    return declarations_->quantities(now_, job);
  }
  /// A job of the row, with some of its tasks launched.
  [[nodiscard]] std::uint64_t a_job() const {
    return static_cast<std::uint64_t>(now_.row[layout_.job_id][1]);
  }
  [[nodiscard]] std::size_t first_stage() const {
    return static_cast<std::size_t>(now_.row[layout_.stage_count][0]);
  }
  std::string wrong(const Misreport& m, double epsilon = 0.2) {
    return declarations_->complaint(now_, m, epsilon).value_or("");
  }
  std::optional<Restructuring> drawn(DagDeclarations::Operator op) {
    Rng rng(11);
    return declarations_->draw(now_, a_job(), op, rng);
  }

  static Registry filled() {
    Registry registry;
    envs::register_all(registry);
    return registry;
  }
  Registry registry_ = filled();
  Spec spec_ = registry_.spec(kEnv);
  std::unique_ptr<Declarations> declarations_;
  Batch truth_{spec_.observation}, seen_{spec_.observation};
  Moment now_{std::as_const(truth_).row(0), 0};
  DagLayout layout_{spec_};
};

std::vector<float> floats(std::span<const float> s) { return {s.begin(), s.end()}; }

TEST_F(DeclaredRows, TheTruthChangesNothing) {
  const ConstRow seen = declare({.job = a_job(), .factors = std::vector(stages(a_job()), 1.0)});
  for (std::size_t c = 0; c < truth_.columns(); ++c) {
    const auto a = std::as_const(truth_).bytes(c, 0, 1), b = std::as_const(seen_).bytes(c, 0, 1);
    EXPECT_TRUE(std::ranges::equal(a, b)) << truth_.record().leaves[c].name;
  }
  EXPECT_EQ(seen.count(layout_.stages), now_.row.count(layout_.stages));
}

TEST_F(DeclaredRows, WhatFollowsFromDurationsFollows) {
  const std::size_t n = stages(a_job()), first = first_stage();
  const ConstRow seen = declare({.job = a_job(), .factors = std::vector(n, 0.8)});
  for (const auto* leaf : {&layout_.mean_s, &layout_.work_s, &layout_.critical_s})
    for (std::size_t s = 0; s < now_.row.count(layout_.stages); ++s) {
      const bool own = s >= first && s < first + n;
      EXPECT_NEAR(seen[*leaf][s], (own ? 0.8 : 1) * now_.row[*leaf][s], 1e-5 * now_.row[*leaf][s]);
    }
  for (const auto* leaf : {&layout_.job_work_s, &layout_.job_work_left_s}) {
    EXPECT_NEAR(seen[*leaf][1], 0.8 * now_.row[*leaf][1], 1e-5 * now_.row[*leaf][1]);
    EXPECT_EQ(seen[*leaf][0], now_.row[*leaf][0]);
  }
  for (const auto* leaf : {&layout_.last_s, &layout_.tasks, &layout_.tasks_left, &layout_.running})
    EXPECT_EQ(floats(seen[*leaf]), floats(now_.row[*leaf])) << "measured";
}

TEST_F(DeclaredRows, ACriticalPathIsTheLongestChain) {
  const std::size_t n = stages(a_job()), first = first_stage();
  const std::vector<std::uint8_t> on = declarations_->critical(now_, a_job());
  ASSERT_EQ(on.size(), n);
  double work = 0;
  float longest = 0;
  for (std::size_t s = 0; s < n; ++s) {
    if (on[s] != 0) work += static_cast<double>(now_.row[layout_.work_s][first + s]);
    longest = std::max(longest, now_.row[layout_.critical_s][first + s]);
  }
  EXPECT_NEAR(work, longest, 1e-4 * work);
}

using Pairs = std::set<std::pair<std::int32_t, std::int32_t>>;

/// All that must come before something, of a row, where `name` says what a stage counts as.
template <class Name>
Pairs closure_of_row(const DagLayout& l, ConstRow row, Name name) {
  Pairs all;
  for (std::size_t e = 0; e < row.count(l.edges); ++e)
    all.emplace(name(row[l.edge_parent][e]), name(row[l.edge_child][e]));
  for (bool more = true; more;) {
    more = false;
    for (const auto& [a, b] : Pairs(all))
      for (const auto& [c, d] : Pairs(all))
        if (b == c) more |= all.emplace(a, d).second;
  }
  return all;
}

TEST_F(DeclaredRows, ASplitKeepsTasksWorkAndOrder) {
  const auto change = drawn(DagDeclarations::split_stage);
  ASSERT_TRUE(change);
  EXPECT_EQ(wrong({.job = a_job(), .factors = {}, .change = change}), "");
  const ConstRow seen = declare({.job = a_job(), .factors = {}, .change = change}), row = now_.row;
  const std::size_t at = first_stage() + change->first;
  EXPECT_EQ(seen.count(layout_.stages), row.count(layout_.stages) + 1);
  EXPECT_EQ(seen[layout_.stage_count][1], row[layout_.stage_count][1] + 1);
  EXPECT_EQ(seen[layout_.tasks][at], static_cast<float>(change->second));
  for (const auto* leaf : {&layout_.tasks, &layout_.work_s, &layout_.tasks_left, &layout_.running,
                           &layout_.committed, &layout_.moving}) {
    const float parts = seen[*leaf][at] + seen[*leaf][at + 1];
    EXPECT_NEAR(parts, row[*leaf][at], 1e-5 * std::abs(row[*leaf][at]));
  }
  EXPECT_EQ(seen[layout_.mean_s][at + 1], row[layout_.mean_s][at]);
  EXPECT_NEAR(seen[layout_.job_work_s][1], row[layout_.job_work_s][1],
              1e-5 * row[layout_.job_work_s][1]);
  const auto same = [](std::int32_t s) { return s; };
  const auto in_truth = [&](std::int32_t s) {
    return s > static_cast<std::int32_t>(at) ? s - 1 : s;
  };
  EXPECT_EQ(closure_of_row(layout_, seen, in_truth), closure_of_row(layout_, row, same));
}

TEST_F(DeclaredRows, AnActionOnEitherPartIsOneOnTheStage) {
  const auto change = drawn(DagDeclarations::split_stage);
  const std::vector<Misreport> all{{.job = a_job(), .factors = {}, .change = change}};
  const auto at = static_cast<std::int32_t>(first_stage() + change->first);
  Batch chosen(spec_.action), action(spec_.action);
  chosen.resize(1), action.resize(1);
  const std::map<std::int32_t, std::int32_t> in_truth{
      {at - 1, at - 1}, {at, at}, {at + 1, at}, {at + 2, at + 1}};
  for (const auto& [seen, truth] : in_truth) {
    chosen.row(0).scalar(layout_.stage) = seen;
    chosen.row(0).scalar(layout_.limit) = 3;
    declarations_->translate(now_, all, std::as_const(chosen).row(0), action.row(0));
    EXPECT_EQ(action.row(0).scalar(layout_.stage), truth);
    EXPECT_EQ(action.row(0).scalar(layout_.limit), 3);
  }
}

TEST_F(DeclaredRows, AnEdgeSaysWhatFollowsFromOthers) {
  const auto change = drawn(DagDeclarations::extra_edge);
  ASSERT_TRUE(change);
  const ConstRow seen = declare({.job = a_job(), .factors = {}, .change = change});
  EXPECT_EQ(seen.count(layout_.edges), now_.row.count(layout_.edges) + 1);
  const auto same = [](std::int32_t s) { return s; };
  EXPECT_EQ(closure_of_row(layout_, seen, same), closure_of_row(layout_, now_.row, same));
  for (std::size_t s = 0; s < now_.row.count(layout_.stages); ++s)
    EXPECT_NEAR(seen[layout_.critical_s][s], now_.row[layout_.critical_s][s],
                1e-4 * now_.row[layout_.critical_s][s]);
}

TEST_F(DeclaredRows, WhatDescribesAnotherJobIsInadmissible) {
  const std::size_t n = stages(a_job());
  const auto factors = [&](double f) { return Misreport{a_job(), std::vector(n, f), {}}; };
  const auto change = [&](std::size_t op, std::size_t first, std::size_t second) {
    return wrong(
        {a_job(),
         {},
         Restructuring{op, static_cast<std::uint32_t>(first), static_cast<std::uint32_t>(second)}});
  };
  EXPECT_EQ(wrong(factors(0.8)), "");
  EXPECT_EQ(wrong(factors(1.2)), "");
  EXPECT_NE(wrong(factors(0.79)), "");
  EXPECT_NE(wrong({a_job(), {1.0}, {}}), "");
  const auto tasks = static_cast<std::size_t>(now_.row[layout_.tasks][first_stage()]);
  EXPECT_NE(change(DagDeclarations::split_stage, 0, 0).find("each part needs one"),
            std::string::npos);
  EXPECT_NE(change(DagDeclarations::split_stage, 0, tasks), "");
  EXPECT_NE(change(DagDeclarations::split_stage, n, 1), "");
  EXPECT_NE(change(DagDeclarations::extra_edge, 0, 0).find("does not wait for"), std::string::npos);
  EXPECT_NE(change(DagDeclarations::extra_edge, 0, n), "");
  EXPECT_NE(change(2, 0, 1), "");
  for (std::size_t e = 0; e < now_.row.count(layout_.edges); ++e) {
    const auto parent = static_cast<std::size_t>(now_.row[layout_.edge_parent][e]);
    if (parent < first_stage() || parent >= first_stage() + n) continue;
    const auto child = static_cast<std::size_t>(now_.row[layout_.edge_child][e]);
    EXPECT_EQ(change(DagDeclarations::extra_edge, parent - first_stage(), child - first_stage()),
              "edge: the job has this edge");
    EXPECT_NE(change(DagDeclarations::extra_edge, child - first_stage(), parent - first_stage()),
              "");
  }
}

/// Plays episodes in which users draw misreports, and checks each row that the policy sees.
TEST(MisreportingCluster, EpisodesStayThoseOfTheTruth) {
  Registry registry;
  envs::register_all(registry);
  const Spec spec = registry.spec(kEnv);
  const RandomEpisodes episodes(Rng(8), {.count = 12});
  Pool pool(spec, misreporting(spec, registry.env_factory(kEnv), DrawnMisreports(1)), episodes,
            {.slots = 3});
  RandomPolicy policy(spec);
  const auto layout = bind_layout<DagLayout>(spec);
  const std::size_t jct = spec.metric("avg_jct_s"), done = spec.metric("jobs_done");
  std::map<std::uint64_t, double> rewards;
  std::size_t ended = 0;
  play(pool, policy, Rng(9), [&](const Decisions& d, const Batch&) {
    for (std::size_t r = 0; r < d.asked.size(); ++r) {
      const ConstRow row = d.observation.row(r);
      rewards[d.asked[r].episode.id] += d.asked[r].since_last.reward;
      double stages = 0;
      for (const float n : row[layout.stage_count]) stages += static_cast<double>(n);
      EXPECT_EQ(stages, row.count(layout.stages));
      for (std::size_t s = 0; s < row.count(layout.stages); ++s) {
        EXPECT_GE(row[layout.tasks_left][s], 0);
        EXPECT_GE(row[layout.running][s], 0);
        EXPECT_GE(row[layout.tasks][s], row[layout.tasks_left][s] + row[layout.running][s]);
      }
      for (std::size_t j = 0; j < row.count(layout.jobs); ++j)
        EXPECT_GE(row[layout.stages_left][j], 1);
    }
    for (std::size_t i = 0; i < d.ended.size(); ++i) {
      const auto m = d.metrics_of(i);
      const double all = rewards[d.ended[i].episode.id] + d.ended[i].last.reward;
      EXPECT_NEAR(-all, m[jct] * m[done], 1e-6 * -all);
      ++ended;
    }
  });
  EXPECT_EQ(ended, 12u);
}

TEST(MisreportingCluster, AShareOfTheInputsHasMisreports) {
  Registry registry;
  envs::register_all(registry);
  const Spec spec = registry.spec(kEnv);
  const auto work_at_start = [&](double share, const EpisodeSource& episodes) {
    std::vector<std::vector<float>> all;
    const auto make = misreporting(spec, registry.env_factory(kEnv), DrawnMisreports(share));
    const auto env = make();
    const auto leaf = Batch(spec.observation).field<float>("job.work_s");
    for (std::uint64_t k = 0; const auto e = episodes.at(k); ++k) {
      Batch row(spec.observation);
      env->reset(*e, row.append());
      all.push_back(floats(std::as_const(row).row(0)[leaf]));
    }
    return all;
  };
  const RandomEpisodes episodes(Rng(2), {.count = 200, .repeat = 2});
  const auto truth = work_at_start(0, episodes), some = work_at_start(0.3, episodes);
  std::size_t changed = 0, most = 0;
  for (std::size_t e = 0; e < truth.size(); ++e) {
    std::size_t jobs = 0;
    for (std::size_t j = 0; j < truth[e].size(); ++j) jobs += truth[e][j] != some[e][j] ? 1 : 0;
    changed += jobs > 0 ? 1 : 0;
    most = std::max(most, jobs);
    if (e % 2 == 1) {
      EXPECT_EQ(some[e], some[e - 1]) << "the same inputs, the same misreports";
    }
  }
  EXPECT_NEAR(static_cast<double>(changed), 60, 26);  // two standard deviations of 100 inputs
  EXPECT_LE(most, DrawnMisreports::kMostJobs);
  EXPECT_EQ(work_at_start(0.3, episodes), some);
}

}  // namespace declarations_test
}  // namespace park::dag_scheduling
