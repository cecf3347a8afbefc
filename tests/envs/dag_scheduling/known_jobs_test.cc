// Jobs that a cluster has measured, regardless of what their users declare.
#include "park/envs/dag_scheduling/known_jobs.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <utility>

#include "park/core/policy.h"
#include "park/core/registry.h"
#include "park/envs/envs.h"

namespace park::dag_scheduling {
namespace known_jobs_test {

constexpr const char* kEnv = "dag_scheduling(executors=8,jobs=5)";

/// Rows of a cluster with jobs at work, and the same rows where users declare other durations.
class DeclaredDurations : public ::testing::Test {
 protected:
  DeclaredDurations() {
    const RandomEpisodes episodes(Rng(6), {.count = 1});
    const auto stream = registry_.stream(kEnv, episodes);
    RandomPolicy policy(spec_);
    int decisions = 0;
    play(*stream, policy, Rng(3), [&](const Decisions& d, const Batch&) {
      if (++decisions % 10 == 0) truth_.append(d.observation, 0);
      return truth_.rows() < 4;
    });
  }

  /// The rows; in the third one two jobs are declared, by factors within those limits.
  Batch declared(double low, double high) {
    const auto declarations = registry_.env_factory(kEnv)()->declarations();
    Batch all(spec_.observation);
    Rng rng(7);
    for (std::size_t r = 0; r < truth_.rows(); ++r) {
      const Moment now{.row = std::as_const(truth_).row(r)};
      std::vector<std::uint64_t> jobs;
      declarations->present(now, jobs);
      std::vector<Misreport> lies;
      for (std::size_t j = 0; r == 2 && j < 2; ++j) {
        Misreport& lie = lies.emplace_back(Misreport{.job = jobs.at(j)});
        lie.factors.resize(declarations->quantities(now, jobs.at(j)));
        for (double& f : lie.factors) f = rng.uniform(low, high);
      }
      declarations->show(now, lies, all.append());
    }
    return all;
  }

  static Registry filled() {
    Registry registry;
    envs::register_all(registry);
    return registry;
  }
  Registry registry_ = filled();
  Spec spec_ = registry_.spec(kEnv);
  Batch truth_{spec_.observation};
};

TEST_F(DeclaredDurations, BecomeMeasuredOnesWithWhatFollows) {
  const MeasuredJobs jobs(spec_);
  const auto layout = bind_layout<DagLayout>(spec_);
  const Batch lies = declared(0.9, 1.1);
  const auto measured = jobs.describe(lies);
  ASSERT_TRUE(measured);
  ASSERT_EQ(measured->rows(), truth_.rows());
  for (std::size_t r = 0; r < truth_.rows(); ++r) {
    const ConstRow row = std::as_const(*measured).row(r), truth = std::as_const(truth_).row(r);
    EXPECT_TRUE(std::ranges::equal(row[layout.mean_s], truth[layout.mean_s]));
    for (const auto* leaf :
         {&layout.work_s, &layout.critical_s, &layout.job_work_s, &layout.job_work_left_s}) {
      ASSERT_EQ(row[*leaf].size(), truth[*leaf].size());
      for (std::size_t i = 0; i < row[*leaf].size(); ++i)
        EXPECT_NEAR(row[*leaf][i], truth[*leaf][i], 1e-6 * truth[*leaf][i]);
    }
    EXPECT_EQ(std::ranges::equal(std::as_const(lies).row(r)[layout.mean_s], truth[layout.mean_s]),
              r != 2);
  }
}

TEST_F(DeclaredDurations, AreLeftWhereNothingElseWasMeasured) {
  EXPECT_FALSE(MeasuredJobs(spec_).describe(truth_)) << "the truth";
  EXPECT_FALSE(MeasuredJobs(spec_).describe(declared(1.6, 1.7))) << "like no known job";
  Spec nameless = spec_;
  nameless.text.clear();
  EXPECT_FALSE(MeasuredJobs(nameless).describe(declared(0.9, 1.1))) << "nobody knows any job";
}

}  // namespace known_jobs_test
}  // namespace park::dag_scheduling
