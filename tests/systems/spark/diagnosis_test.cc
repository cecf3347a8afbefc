// Settings and logs of Spark applications, and what is said of them.
#include "systems/spark/diagnosis.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace park::spark {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

constexpr const char* kSound =
    "# ours\nspark.master yarn\nspark.jars=/a/park-spark-4.jar\n"
    "spark.plugins   park.spark.ParkPlugin\nspark.park.agent = tcp://10.0.0.7:5570\n";

Diagnosis of_settings(const std::string& conf) {
  Diagnosis found;
  diagnose_settings(conf, found);
  return found;
}

Diagnosis of_log(const std::string& log) {
  Diagnosis found;
  diagnose_log(log, found);
  return found;
}

TEST(Diagnosis, SoundSettingsHaveNoReason) {
  const Diagnosis found = of_settings(kSound);
  EXPECT_THAT(found.reasons, ElementsAre());
  EXPECT_THAT(found.facts, ElementsAre());
  EXPECT_FALSE(found.decided.has_value());
}

TEST(Diagnosis, WhatIsMissingInSettingsIsNamed) {
  EXPECT_THAT(of_settings("").reasons,
              ElementsAre(HasSubstr("spark.plugins: "), HasSubstr("spark.park.agent: is not set")));
  EXPECT_THAT(of_settings("").facts, ElementsAre(HasSubstr("park-spark-LINE.jar")));
  EXPECT_THAT(of_settings(std::string(kSound) + "spark.park.agnet x\n").reasons,
              ElementsAre(HasSubstr("spark.park.agnet: no such setting")));
  EXPECT_THAT(of_settings(std::string(kSound) + "spark.master mesos://h\n").reasons,
              ElementsAre(HasSubstr("spark.master: mesos://h")));
}

TEST(Diagnosis, AnAgentOnTheLoopbackInterfaceIsNotReachedFromAContainer) {
  const std::string there =
      std::string(kSound) + "spark.park.agent tcp://127.0.0.1:5570\nspark.submit.deployMode ";
  EXPECT_THAT(of_settings(there + "client").reasons, ElementsAre());
  EXPECT_THAT(of_settings(there + "cluster").reasons,
              ElementsAre(HasSubstr("the driver's own container")));
  EXPECT_THAT(of_settings(there + "cluster\nspark.park.loopback true").reasons, ElementsAre());
  EXPECT_THAT(of_settings(there + "cluster\nspark.park.agent tcp://h:1, tcp://localhost:2").reasons,
              ElementsAre(HasSubstr("spark.park.agent: tcp://localhost:2 is")));
}

TEST(Diagnosis, TheLastWordOfALogCounts) {
  const std::string decides = "10:00 INFO Agent: Park: the agent decides\n";
  const std::string silent = "10:01 WARN Agent: Park: Spark's own order decides: late\n";
  EXPECT_EQ(of_log(decides).decided, true);
  EXPECT_THAT(of_log(decides).reasons, ElementsAre());
  EXPECT_EQ(of_log(decides + silent).decided, false);
  EXPECT_THAT(of_log(decides + silent).reasons, ElementsAre("Spark's own order decides: late"));
  EXPECT_EQ(of_log(decides + silent + decides).decided, true);
  EXPECT_THAT(of_log(silent + decides).reasons, ElementsAre());
  const Diagnosis ended = of_log(
      decides + "INFO Park: 12 offers decided by the agent, 1 by Spark; 0 grants; hook 3 times\n");
  EXPECT_EQ(ended.decided, true);
  EXPECT_THAT(ended.facts, ElementsAre("12 offers decided by the agent, 1 by Spark; 0 grants"));
}

TEST(Diagnosis, APlainSparkHasAReason) {
  const Diagnosis refused =
      of_log("WARN Attachment: Park: spark.park.agent: no file; this is plain Spark\n");
  EXPECT_EQ(refused.decided, false);
  EXPECT_THAT(refused.reasons, ElementsAre("spark.park.agent: no file"));
  EXPECT_THAT(of_log("INFO SparkContext: hello\n").reasons,
              ElementsAre(HasSubstr("no line of the plugin")));
  EXPECT_THAT(of_log("java.lang.ClassNotFoundException: park.spark.ParkPlugin\n").reasons,
              ElementsAre(HasSubstr("its jar is not where Spark looks")));
}

}  // namespace
}  // namespace park::spark
