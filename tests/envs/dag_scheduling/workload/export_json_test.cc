#include "park/envs/dag_scheduling/workload/export_json.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <sstream>

#include "park/core/rng.h"
#include "park/envs/dag_scheduling/workload_file.h"
#include "tests/envs/dag_scheduling/workload/dag_support.h"

namespace park::test {
namespace export_json_test {

std::string exported(const dag_scheduling::Workload& workload) {
  std::string out;
  dag_scheduling::workload::export_json(workload, [&](std::string_view piece) { out += piece; });
  return out;
}

/// What comes back is the same, byte by byte.
void expect_round_trip(const dag_scheduling::Workload& workload) {
  const std::string text = exported(workload);
  const Imported back = import_form(dag_scheduling::workload::DagForm::json, {text});
  EXPECT_EQ(dag_scheduling::workload_bytes(back.workload), dag_scheduling::workload_bytes(workload))
      << text;
}

TEST(ExportJson, LosesNothing) {
  expect_round_trip(sample_workload());
  expect_round_trip(sample_workload(dag_scheduling::Inflation{}));
}

TEST(ExportJson, LosesNothingOfTheBundledWorkload) {
  expect_round_trip(dag_scheduling::read_workload(std::string(PARK_SOURCE_DIR) +
                                                  "/data/workloads/tpch/tpch.park"));
}

TEST(ExportJson, LosesNothingOfStrangeNumbersAndTexts) {
  Rng rng(5);
  for (int n = 0; n < 50; ++n) {
    dag_scheduling::WorkloadBuilder builder("n \"\\/\xC3\xA9\xF0\x9F\x98\x80", "a\nb\t\x01",
                                            dag_scheduling::Inflation::fitted());
    for (int j = 0; j < 5; ++j) {
      dag_scheduling::JobProfile job{"j" + std::to_string(j), {}};
      for (std::uint16_t s = 0; s < 6; ++s) {
        dag_scheduling::StageProfile& stage = job.stages.emplace_back();
        stage.tasks = 1 + static_cast<std::int32_t>(rng.below(10'000'000));
        stage.cpus = static_cast<float>(rng.pareto(0.3, 1e-6));
        if (stage.cpus > 1e6F) stage.cpus = 1e6F;
        stage.memory = static_cast<float>(rng.uniform());
        stage.run_s = rng.uniform(0, 1e6);
        stage.cpu_s = rng.exponential(1e-3);
        if (s > 0) stage.parents = {static_cast<std::uint16_t>(rng.below(s))};
        for (std::size_t w = 0; w < dag_scheduling::kWaves; ++w)
          stage.cells.push_back(
              {static_cast<dag_scheduling::Wave>(w),
               static_cast<std::uint16_t>(1 + rng.below(65535)),
               {1, 1 + static_cast<std::uint32_t>(rng.bits() >> 33), 4294967295U}});
      }
      builder.add_job(job);
    }
    expect_round_trip(builder.build());
  }
}

TEST(ExportJson, IsJsonOfItsSchema) {
  const auto json = nlohmann::json::parse(exported(sample_workload()));
  EXPECT_EQ(json.at("schema"), "park.workload");
  EXPECT_EQ(json.at("version"), 1);
  EXPECT_EQ(json.at("jobs").at(0).at("stages").at(1).at("parents"), nlohmann::json::array({0}));
  EXPECT_EQ(json.at("jobs").at(0).at("stages").at(0).at("cells").at(0).at("durations_s").at(0),
            0.9);
}

TEST(ExportJson, RefusesWhatJsonCannotHold) {
  dag_scheduling::WorkloadBuilder builder("w", "");
  dag_scheduling::JobProfile job = sample_jobs()[1];
  job.name = "caf\xE9";
  builder.add_job(job);
  const dag_scheduling::Workload workload = builder.build();
  EXPECT_EQ(error_of([&] { (void)exported(workload); }),
            "job caf\xE9: its name is not UTF-8, JSON cannot hold it");
}

}  // namespace export_json_test
}  // namespace park::test
