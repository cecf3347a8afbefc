// The generator of workloads against the distributions that its parameters name.
#include "park/envs/dag_scheduling/workload/generate.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <set>

#include "park/core/rng.h"
#include "park/core/text.h"
#include "park/envs/dag_scheduling/workload/describe.h"
#include "park/envs/dag_scheduling/workload/graph.h"
#include "park/envs/dag_scheduling/workload/spread.h"
#include "park/envs/dag_scheduling/workload_file.h"
#include "tests/envs/dag_scheduling/workload/support.h"

namespace park::test {
namespace generate_test {

using dag_scheduling::workload::GeneratorConfig;

GeneratorConfig config(const std::string& fields) {
  return parse_config<GeneratorConfig>(parse_text("g(" + fields + ")"));
}

std::vector<dag_scheduling::JobProfile> jobs_of(const GeneratorConfig& c) {
  const dag_scheduling::Workload made = dag_scheduling::workload::generate_workload(c, "g");
  std::vector<dag_scheduling::JobProfile> all;
  for (const auto& job : made.jobs()) all.push_back(dag_scheduling::job_profile(made, job));
  return all;
}

/// The largest distance between the distribution of the samples and a continuous one, times the
/// root of their number: Kolmogorov's statistic, above 1.95 in 1 of 1000 cases.
double kolmogorov(std::vector<double> samples, const std::function<double(double)>& cdf) {
  std::sort(samples.begin(), samples.end());
  const double n = static_cast<double>(samples.size());
  double distance = 0;
  for (std::size_t i = 0; i < samples.size(); ++i) {
    const double at = cdf(samples[i]);
    distance =
        std::max({distance, at - static_cast<double>(i) / n, static_cast<double>(i + 1) / n - at});
  }
  return distance * std::sqrt(n);
}
constexpr double kMostKolmogorov = 1.95;

/// Pearson's statistic of counts against probabilities, as a standard normal number (Wilson and
/// Hilferty). Neighbouring cells are joined until ten are expected.
double pearson(const std::vector<double>& counts, const std::vector<double>& probabilities) {
  double total = 0, count = 0, expected = 0, statistic = 0, cells = 0;
  for (const double c : counts) total += c;
  for (std::size_t i = 0; i < counts.size(); ++i) {
    count += counts[i];
    expected += total * probabilities[i];
    if (expected < 10 && i + 1 < counts.size()) continue;
    if (expected > 0) {
      statistic += (count - expected) * (count - expected) / expected;
      ++cells;
    }
    count = expected = 0;
  }
  const double k = 2 / (9 * (cells - 1));
  return (std::cbrt(statistic / (cells - 1)) - (1 - k)) / std::sqrt(k);
}
constexpr double kMostPearson = 3.1;  // exceeded in 1 of 1000 cases

constexpr const char* kMany = "jobs=20000,task_variation=0";

TEST(Generate, NumbersOfStagesAreAsDocumented) {
  for (const std::string& fields :
       {std::string(kMany), std::string(kMany) + ",seed=2",
        std::string(kMany) + ",large_share=0.2,stages_shape=0.8,stages_max=40"}) {
    const GeneratorConfig c = config(fields);
    std::vector<double> counts(c.stages_max + 1), probabilities(c.stages_max + 1);
    double large = 0;
    for (std::uint64_t k = 0; k < c.jobs; ++k) {
      const std::size_t stages = dag_scheduling::workload::generate_job(c, k).stages.size();
      ASSERT_LE(stages, c.stages_max);
      ++counts[stages];
      large += stages >= 4;
    }
    for (std::size_t s = 1; s <= 3; ++s) probabilities[s] = (1 - c.large_share) / 3;
    const auto above = [&](double s) { return std::pow(4 / s, c.stages_shape); };
    const double end = above(c.stages_max + 1);
    for (double s = 4; s <= c.stages_max; ++s)
      probabilities[static_cast<std::size_t>(s)] =
          c.large_share * (above(s) - above(s + 1)) / (1 - end);
    const double jobs = static_cast<double>(c.jobs);
    const double sd = std::sqrt(c.large_share * (1 - c.large_share) / jobs);
    EXPECT_NEAR(large / jobs, c.large_share, 3.3 * sd) << fields;
    EXPECT_LT(pearson(counts, probabilities), kMostPearson) << fields;
  }
}

TEST(Generate, DefaultsHaveTheShapeOfIndustrialTraces) {
  double large = 0, huge = 0, count = 0;
  const GeneratorConfig c = config(kMany);
  for (std::uint64_t k = 0; k < c.jobs; ++k) {
    const std::size_t stages = dag_scheduling::workload::generate_job(c, k).stages.size();
    large += stages >= 4;
    huge += stages >= 100;
    ++count;
  }
  EXPECT_NEAR(large / count, 0.59, 0.012);
  EXPECT_GT(huge, 20);  // some have hundreds
}

/// Of all stages of a workload.
struct Sizes {
  std::vector<double> tasks, duration_s, memory;
};
Sizes sizes_of(const GeneratorConfig& c) {
  Sizes all;
  for (const dag_scheduling::JobProfile& job : jobs_of(c))
    for (const dag_scheduling::StageProfile& stage : job.stages) {
      all.tasks.push_back(stage.tasks);
      all.duration_s.push_back(stage.cells[0].durations_ms[0] / 1e3);
      all.memory.push_back(stage.memory);
      EXPECT_EQ(stage.cells[0].durations_ms.size(), 1U);
      EXPECT_EQ(stage.cpus, static_cast<float>(c.cpus));
    }
  return all;
}

/// Of a lognormal number below `max`.
double lognormal(double x, double median, double sigma, double max) {
  const auto p = [&](double v) {
    return dag_scheduling::workload::normal_probability(std::log(v / median) / sigma);
  };
  return x >= max ? 1 : p(x) / p(max);
}

TEST(Generate, TasksDurationsAndMemoryAreAsDocumented) {
  for (const std::string& fields :
       {std::string("jobs=3000,task_variation=0"),
        std::string(
            "jobs=3000,task_variation=0,seed=9,tasks_median=30,tasks_sigma=0.7,tasks_max=60,"
            "duration_median_s=50,duration_sigma=2,duration_max_s=900,memory_shape=1,"
            "memory_max=16,cpus=2")}) {
    const GeneratorConfig c = config(fields);
    const Sizes sizes = sizes_of(c);
    ASSERT_GT(sizes.tasks.size(), 10000U);
    const auto of_tasks = [&](double x) {
      return lognormal(x, c.tasks_median, c.tasks_sigma, c.tasks_max);
    };
    std::vector<double> counts(c.tasks_max + 1), probabilities(c.tasks_max + 1);
    for (const double tasks : sizes.tasks) ++counts.at(static_cast<std::size_t>(tasks));
    for (double t = 1; t <= c.tasks_max; ++t)
      probabilities[static_cast<std::size_t>(t)] = of_tasks(t) - (t > 1 ? of_tasks(t - 1) : 0);
    EXPECT_LT(pearson(counts, probabilities), kMostPearson) << fields;
    // Rounding to ms moves the distribution by far less than what the test can see.
    const double duration = kolmogorov(sizes.duration_s, [&](double x) {
      return lognormal(x, c.duration_median_s, c.duration_sigma, c.duration_max_s);
    });
    EXPECT_LT(duration, kMostKolmogorov) << fields;
    const double memory = kolmogorov(
        sizes.memory, [&](double x) { return std::pow(x / c.memory_max, c.memory_shape); });
    EXPECT_LT(memory, kMostKolmogorov) << fields;
  }
}

/// Heavy tails: the largest few hold much of the whole.
TEST(Generate, TailsAreHeavy) {
  Sizes sizes = sizes_of(config("jobs=3000,task_variation=0"));
  const auto share_of_largest = [](std::vector<double>& all) {
    std::sort(all.rbegin(), all.rend());
    double sum = 0, top = 0;
    for (std::size_t i = 0; i < all.size(); ++i) {
      sum += all[i];
      if (i < all.size() / 20) top += all[i];
    }
    return top / sum;
  };
  EXPECT_GT(share_of_largest(sizes.tasks), 0.4);
  EXPECT_GT(share_of_largest(sizes.duration_s), 0.25);
  std::vector<double> work;
  const dag_scheduling::Workload made =
      dag_scheduling::workload::generate_workload(config("jobs=3000"), "g");
  for (const auto& job : dag_scheduling::workload::summarize(made).per_job)
    work.push_back(job.work_s);
  EXPECT_GT(share_of_largest(work), 0.4);
}

TEST(Generate, GraphsAreAcyclicConnectedAndEndInOneStage) {
  for (const std::string fields :
       {"jobs=400", "jobs=200,widening=0", "jobs=200,widening=1", "jobs=200,reuse=1"}) {
    for (const dag_scheduling::JobProfile& job : jobs_of(config(fields))) {
      ASSERT_EQ(dag_scheduling::workload::topological(job).size(), job.stages.size());
      std::vector<std::size_t> children(job.stages.size());
      for (std::size_t s = 0; s < job.stages.size(); ++s)
        for (const std::uint16_t parent : job.stages[s].parents) {
          EXPECT_LT(parent, s);
          ++children[parent];
        }
      EXPECT_EQ(std::count(children.begin(), children.end(), 0U), 1);  // so all lead to the last
      EXPECT_EQ(children.back(), 0U);
    }
  }
}

TEST(Generate, WideningAndReuseShapeTheGraph) {
  const auto of = [](const std::string& fields) {
    return dag_scheduling::workload::summarize(dag_scheduling::workload::generate_workload(
        config("jobs=300,large_share=1,stages_max=60,task_variation=0," + fields), "g"));
  };
  for (const auto& job : of("widening=0,reuse=0").per_job) {
    EXPECT_EQ(job.levels, job.stages);  // chains
    EXPECT_EQ(job.edges, job.stages - 1);
  }
  const auto chains = of("widening=0,reuse=0"), normal = of("reuse=0"),
             flat = of("widening=1,reuse=0");
  const auto levels = [](const dag_scheduling::workload::WorkloadSummary& all) {
    double sum = 0;
    for (const auto& job : all.per_job) sum += static_cast<double>(job.levels);
    return sum / 300;
  };
  EXPECT_LT(levels(normal), 0.8 * levels(chains));
  EXPECT_LT(levels(flat), 0.8 * levels(normal));
  EXPECT_GT(of("reuse=0.5").total.edges, normal.total.edges * 5 / 4);
  EXPECT_EQ(normal.total.edges, normal.total.stages - 300);
}

/// The distance to the stage that a stage feeds: geometric, cut off at the last stage.
TEST(Generate, DistancesAreAsDocumented) {
  const GeneratorConfig c =
      config("jobs=4000,large_share=1,stages_shape=0.1,stages_max=30,reuse=0,task_variation=0");
  constexpr std::size_t kStages = 16, kFrom = 5, kMost = kStages - 1 - kFrom;
  std::vector<double> counts(kMost + 1), probabilities(kMost + 1);
  for (const dag_scheduling::JobProfile& job : jobs_of(c)) {
    if (job.stages.size() < kStages) continue;
    for (std::size_t s = 0; s < job.stages.size(); ++s)
      for (const std::uint16_t parent : job.stages[s].parents)
        if (job.stages.size() == kStages && parent == kFrom) ++counts[s - parent];
  }
  const double p = std::pow(kStages, -0.5);
  for (std::size_t d = 1; d <= kMost; ++d)
    probabilities[d] = (d < kMost ? p : 1) * std::pow(1 - p, static_cast<double>(d - 1));
  EXPECT_LT(pearson(counts, probabilities), kMostPearson);
}

TEST(Generate, EqualParametersGiveEqualBytes) {
  const auto bytes = [](const std::string& fields) {
    return dag_scheduling::workload_bytes(
        dag_scheduling::workload::generate_workload(config(fields), "g"));
  };
  EXPECT_EQ(bytes("jobs=50,seed=3"), bytes("jobs=50,seed=3"));
  EXPECT_NE(bytes("jobs=50,seed=3"), bytes("jobs=50,seed=4"));
}

/// The bytes of one workload: they change only with the generator's version.
TEST(Generate, BytesOfAVersion) {
  const auto bytes = dag_scheduling::workload_bytes(
      dag_scheduling::workload::generate_workload(config("jobs=20"), "g"));
  const std::string_view text(reinterpret_cast<const char*>(bytes.data()), bytes.size());
  EXPECT_EQ(dag_scheduling::workload::kGeneratorVersion, 1);
  EXPECT_EQ(hash_text(text), 18390498133192709232U);
}

TEST(Generate, AJobIsTheSameForAnyNumberOfJobs) {
  const auto few = jobs_of(config("jobs=7,seed=5")), many = jobs_of(config("jobs=40,seed=5"));
  ASSERT_EQ(few.size(), 7U);
  EXPECT_TRUE(std::equal(few.begin(), few.end(), many.begin()));
  EXPECT_EQ(dag_scheduling::workload::generate_job(config("seed=5"), 39), many[39]);
}

/// One parameter changes what it speaks of and nothing else.
TEST(Generate, ParametersAreIndependent) {
  const auto some = jobs_of(config("jobs=30")), other = jobs_of(config("jobs=30,tasks_sigma=0.1"));
  for (std::size_t j = 0; j < some.size(); ++j) {
    ASSERT_EQ(some[j].stages.size(), other[j].stages.size());
    for (std::size_t s = 0; s < some[j].stages.size(); ++s) {
      dag_scheduling::StageProfile same = other[j].stages[s];
      same.tasks = some[j].stages[s].tasks;
      EXPECT_EQ(same, some[j].stages[s]);
    }
  }
}

TEST(Generate, VariationWithinAStageIsAsDocumented) {
  for (const dag_scheduling::JobProfile& job : jobs_of(config("jobs=20,duration_median_s=1000")))
    for (const dag_scheduling::StageProfile& stage : job.stages) {
      const auto& samples = stage.cells[0].durations_ms;
      double mean = 0, squares = 0;
      for (const double ms : samples) mean += ms / static_cast<double>(samples.size());
      for (const double ms : samples)
        squares += (ms - mean) * (ms - mean) / static_cast<double>(samples.size());
      EXPECT_NEAR(std::sqrt(squares) / mean, 0.4, 1e-4);
    }
}

TEST(Generate, ExtremesAreLegal) {
  for (const std::string fields :
       {"large_share=0", "large_share=1,stages_shape=0.1,stages_max=10000", "stages_max=4",
        "tasks_median=0.1,tasks_sigma=5,tasks_max=1", "tasks_sigma=0,tasks_median=0.1",
        "tasks_median=1000000,tasks_max=10000000,tasks_sigma=5", "duration_sigma=0",
        "duration_median_s=0.001,duration_max_s=0.001,duration_sigma=5", "task_variation=3",
        "duration_median_s=100000,duration_max_s=100000,duration_sigma=5,task_variation=3",
        "memory_max=0", "memory_shape=0.01", "memory_shape=100,memory_max=1000000000",
        "inflation=model", "cpus=0"}) {
    EXPECT_NO_THROW(
        (void)dag_scheduling::workload::generate_workload(config("jobs=20," + fields), "g"))
        << fields;
  }
}

TEST(Generate, RefusesWhatContradictsItself) {
  EXPECT_EQ(error_of([] { (void)config("tasks_median=9,tasks_max=8"); }),
            "tasks_median = 9 is above tasks_max = 8");
  EXPECT_EQ(error_of([] { (void)config("duration_median_s=9,duration_max_s=8"); }),
            "duration_median_s = 9 is above duration_max_s = 8");
}

TEST(Generate, ProvenanceIsTheCommand) {
  EXPECT_EQ(
      dag_scheduling::workload::generate_workload(config("jobs=2,seed=8,large_share=0.5"), "g")
          .provenance(),
      "park workload generate --jobs 2 --seed 8 --large-share 0.5 (synthetic, generator "
      "version 1)");
}

}  // namespace generate_test
}  // namespace park::test
