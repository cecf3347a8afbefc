// Generated and imported jobs in the environment, from the workload's text to the metrics.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "park/core/episodes.h"
#include "park/core/registry.h"
#include "park/envs/dag_scheduling/workload/describe.h"
#include "park/envs/dag_scheduling/workload/generate.h"
#include "park/envs/dag_scheduling/workload/import_dag.h"
#include "park/envs/dag_scheduling/workload_file.h"
#include "park/envs/envs.h"
#include "tests/kit/temporary_file.h"

namespace park::test {
namespace generated_test {

class GeneratedWorkloadTest : public ::testing::Test {
 protected:
  GeneratedWorkloadTest() { envs::register_all(registry_); }

  static void generate(const std::string& fields, const std::string& path) {
    const auto config =
        parse_config<dag_scheduling::workload::GeneratorConfig>(parse_text("g(" + fields + ")"));
    dag_scheduling::write_workload(dag_scheduling::workload::generate_workload(config, "generated"),
                                   path);
  }

  /// A metric of each of the first episodes of a policy.
  std::vector<double> play(const std::string& env, const std::string& policy,
                           const std::string& metric, std::uint64_t episodes = 12) const {
    std::vector<Episode> list;
    for (std::uint64_t k = 0; k < episodes; ++k)
      list.push_back({.id = k, .inputs = 100 + k, .dynamics = 200 + k});
    const FixedEpisodes source(list);
    const auto stream = registry_.stream(env, source);
    const auto acting = registry_.policy(policy, stream->spec());
    const std::size_t at = stream->spec().metric(metric);
    std::vector<double> values(episodes);
    park::play(*stream, *acting, Rng(1), [&](const Decisions& d, const Batch&) {
      for (std::size_t e = 0; e < d.ended.size(); ++e)
        values[d.ended[e].episode.id] = d.metrics_of(e)[at];
    });
    return values;
  }

  static double mean(const std::vector<double>& values) {
    double sum = 0;
    for (const double v : values) sum += v;
    return sum / static_cast<double>(values.size());
  }

  TemporaryFile file_{""};
  Registry registry_;
};

TEST_F(GeneratedWorkloadTest, PoliciesDifferAsTheyShould) {
  generate("jobs=200,seed=4,stages_max=50,tasks_max=200", file_.path());
  const std::string env = "dag_scheduling(executors=20,jobs=25,workload=" + file_.path() + ")";
  std::map<std::string, double> jct;
  for (const std::string policy : {"fifo", "fair", "sjf_cp", "random"}) {
    jct[policy] = mean(play(env, policy, "avg_jct_s"));
    EXPECT_EQ(mean(play(env, policy, "jobs_done")), 25) << policy;
  }
  // Sizes are heavy-tailed, so who waits behind the large jobs decides.
  EXPECT_LT(jct["fair"], 0.8 * jct["fifo"]);
  EXPECT_LT(jct["sjf_cp"], jct["fair"]);
}

TEST_F(GeneratedWorkloadTest, DemandsForMemoryMeetClassesOfExecutors) {
  generate("jobs=200,seed=5,stages_max=20,tasks_max=100,memory_shape=1", file_.path());
  const auto env = [&](const std::string& classes) {
    return "dag_scheduling(executors=20,jobs=20,classes=[" + classes +
           "],workload=" + file_.path() + ")";
  };
  const std::string quarters =
      "class(share=0.25,memory=0.25),class(share=0.25,memory=0.5),class(share=0.25,memory=0.75),"
      "class(share=0.25)";
  for (const std::string policy : {"fifo", "fair", "random"}) {
    const double all = mean(play(env("class(share=1)"), policy, "avg_jct_s"));
    const double some = mean(play(env(quarters), policy, "avg_jct_s"));
    // A quarter of the stages fits only a quarter of the executors.
    EXPECT_GT(some, 1.1 * all) << policy;
  }
  EXPECT_THROW((void)registry_.spec(env("class(share=1,memory=0.5)")), Error);
}

/// One executor runs one task after the other, so an episode lasts as long as its work. Every
/// duration is drawn from the samples, whose mean is the stage's.
TEST_F(GeneratedWorkloadTest, OneExecutorTakesAsLongAsTheWork) {
  generate("jobs=1,seed=2,large_share=1,tasks_sigma=0.5,tasks_median=40", file_.path());
  const auto made = dag_scheduling::Workload::open(file_.path());
  const double work_s = dag_scheduling::workload::summarize(*made).total.work_s;
  const std::string env =
      "dag_scheduling(executors=1,jobs=1,moving_delay_s=0,workload=" + file_.path() + ")";
  EXPECT_NEAR(mean(play(env, "fifo", "makespan_s", 200)) / work_s, 1, 0.01);
}

TEST_F(GeneratedWorkloadTest, ImportedArrivalsAreThoseOfTheEpisode) {
  const std::string csv =
      "job,tasks,mean_s,arrival_s\nlate,1,5,1060\nearly,1,5,1000\nmiddle,1,5,1010\n";
  std::vector<dag_scheduling::workload::DagInput> inputs;
  inputs.push_back({"f", dag_scheduling::workload::DagForm::csv, files::memory_source(csv)});
  dag_scheduling::workload::DagImportReport report;
  dag_scheduling::write_workload(dag_scheduling::workload::import_dag(inputs, {}, report),
                                 file_.path());
  const TemporaryFile arrivals(dag_scheduling::workload::arrivals_csv(report.arrivals));
  const std::string env =
      "dag_scheduling(executors=1,moving_delay_s=0,arrival=file,arrivals=" + arrivals.path() +
      ",workload=" + file_.path() + ")";
  EXPECT_NEAR(play(env, "fifo", "makespan_s", 1)[0], 65, 1e-6);
  EXPECT_NEAR(play(env, "fifo", "avg_jct_s", 1)[0], 5, 1e-6);
}

}  // namespace generated_test
}  // namespace park::test
