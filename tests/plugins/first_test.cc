// The plug-in that was built with the first header: it loads, plays, and gives the bytes that were
// recorded then. And the first header's structs stand where they stood.
#include <gtest/gtest.h>

#include <cstddef>
#include <fstream>

#include "park/core/golden.h"
#include "park/plugin.h"
#include "tests/kit/scratch_folder.h"
#include "tests/plugins/loaded.h"

namespace park::test {
namespace first_test {

// The last member of each struct of the first header. Structs only grow behind it.
static_assert(offsetof(ParkError, capacity) == 16);
static_assert(offsetof(ParkGroup, capacity) == 16);
static_assert(offsetof(ParkLeaf, shape) == 24 && offsetof(ParkLeaf, given_count) == 96);
static_assert(offsetof(ParkRecord, group_count) == 32);
static_assert(offsetof(ParkMetric, doc) == 32);
static_assert(offsetof(ParkSpec, observation) == 40 && offsetof(ParkSpec, text) == 88);
static_assert(offsetof(ParkField, choices) == 72 && offsetof(ParkField, field_count) == 128);
static_assert(offsetof(ParkRow, counts) == 16 && offsetof(ParkNewRow, counts) == 16);
static_assert(offsetof(ParkRows, offsets) == 24);
static_assert(offsetof(ParkEpisode, horizon_s) == 32);
static_assert(offsetof(ParkOutcome, end) == 24 && offsetof(ParkOutcome, skipped) == 32);
static_assert(offsetof(ParkEventArg, label) == 24 && offsetof(ParkEventStage, arg_count) == 32);
static_assert(offsetof(ParkSink, lane) == 16 && offsetof(ParkSink, value) == 48);
static_assert(offsetof(ParkEnvType, configure) == 32 && offsetof(ParkEnvType, clone) == 120);
static_assert(offsetof(ParkEnvType, step_many) == 128);
static_assert(offsetof(ParkContext, id) == 16);
static_assert(offsetof(ParkDecider, next) == 16 && offsetof(ParkDecider, stopped) == 48);
static_assert(offsetof(ParkSystemType, create) == 64 && offsetof(ParkSystemType, stop) == 88);
static_assert(offsetof(ParkQuestions, ended) == 64 && offsetof(ParkQuestions, done) == 136);
static_assert(offsetof(ParkScores, score) == 24);
static_assert(offsetof(ParkPolicyType, create) == 64 && offsetof(ParkPolicyType, may_wait) == 112);
static_assert(offsetof(ParkInput, read) == 24);
static_assert(offsetof(ParkImport, append) == 32 && offsetof(ParkImport, made) == 56);
static_assert(offsetof(ParkImporterType, fields) == 72 && offsetof(ParkImporterType, run) == 88);
static_assert(offsetof(ParkHost, self) == 32 && offsetof(ParkHost, refuse) == 40);
static_assert(offsetof(ParkPlugin, envs) == 40 && offsetof(ParkPlugin, importer_count) == 96);

TEST(FirstPlugin, GivesWhatWasRecorded) {
  const Registry registry = registry_of(first_plugin());
  std::ifstream in(PARK_SOURCE_DIR "/tests/plugins/first/golden.txt");
  const ReplayReport report = replay(in, registry);
  EXPECT_EQ(report.env, "first_jobs(jobs=4,scale=2)");
  EXPECT_EQ(report.decisions, 4u);
  for (const Difference& d : report.differences)
    ADD_FAILURE() << d.line << ": " << d.field << ": " << d.expected << ", now " << d.found;
}

TEST(FirstPlugin, OffersOneOfEverything) {
  const plugins::Plugin first = first_plugin();
  EXPECT_EQ(first.name(), "first");
  EXPECT_EQ(first.version(), "1.0");
  EXPECT_EQ(first.offer().environments.size(), 1u);
  EXPECT_EQ(first.offer().systems.size(), 1u);
  EXPECT_EQ(first.offer().policies.size(), 1u);
  EXPECT_EQ(first.offer().importers.size(), 1u);
}

TEST(FirstPlugin, ChecksItsOwnRules) {
  const Registry registry = registry_of(first_plugin());
  EXPECT_EQ(error_of([&] { static_cast<void>(registry.spec("first_jobs(jobs=32,scale=10)")); }),
            "jobs, scale: allowed is a product up to 300");
  EXPECT_NE(error_of([&] { static_cast<void>(registry.spec("first_jobs(jobs=33)")); }), "no error");
}

}  // namespace first_test
}  // namespace park::test
