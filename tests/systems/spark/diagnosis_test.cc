// Settings and logs of Spark applications, and what is said of them.
#include "systems/spark/diagnosis.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <initializer_list>
#include <string>
#include <utility>

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

TEST(Diagnosis, SettingsAreReadAsJavaReadsProperties) {
  EXPECT_THAT(of_settings("! ours\nspark.jars: park-spark-4.jar\nspark.plugins :"
                          "park.spark.ParkPlugin\nspark.park.agent:tcp://10.0.0.7:5570\n")
                  .reasons,
              ElementsAre());
}

TEST(Diagnosis, ValuesAreThoseThatThePluginAllows) {
  const auto reasons = [](const std::string& line) {
    return of_settings(std::string(kSound) + line).reasons;
  };
  for (const char* sound :
       {"spark.park.misses 1000", "spark.park.decision.timeout 10s", "spark.park.settle 0",
        "spark.park.retry 10M", "spark.park.decision.mode async", "spark.park.executors.idle 100",
        "spark.park.settle 999us", "spark.park.agent a.json, tcp://h:1", "spark.park.key x"})
    EXPECT_THAT(reasons(sound), ElementsAre()) << sound;
  for (const auto& [line, what] : std::initializer_list<std::pair<const char*, const char*>>{
           {"spark.park.misses abc", "spark.park.misses: abc is not allowed; it is 1 to 1000"},
           {"spark.park.misses 0", "0 is not allowed"},
           {"spark.park.misses 3s", "3s is not allowed"},
           {"spark.park.decision.timeout 20s",
            "spark.park.decision.timeout: 20s is not allowed; it is a time of 1ms to 10000ms"},
           {"spark.park.settle -1", "-1 is not allowed"},
           {"spark.park.retry 99999999999999d", "is not allowed"},
           {"spark.park.retry 1 week", "1 week is not allowed"},
           {"spark.park.decision.mode later", "later is not allowed; it is wait or async"},
           {"spark.park.loopback yes", "yes is not allowed; it is false or true"},
           {"spark.park.executors mine", "mine is not allowed; it is spark, policy or shared"},
           {"spark.park.agent ipc:///tmp/x",
            "spark.park.agent: endpoint: ipc:///tmp/x is a socket file, which Java cannot open"},
           {"spark.park.agent a.json,http://h:1", "\"http://h:1\" is none"},
           {"spark.park.agent tcp://h", "\"tcp://h\" is none; allowed is tcp://HOST:PORT"},
           {"spark.park.agent tcp://a/b:5570", "\"tcp://a/b:5570\" is none"},
           {"spark.park.agent tcp://h:*", "\"tcp://h:*\" has no port"},
           {"spark.park.agent tcp://h:70000", "the port of tcp://h:70000 is not in 1 to 65535"}})
    EXPECT_THAT(reasons(line), ElementsAre(HasSubstr(what))) << line;
}

TEST(Diagnosis, WhatKeepsExecutorsFromBeingSizedIsNamed) {
  const std::string cluster = std::string(kSound) + "spark.master spark://h:7077\n";
  const std::string shared = cluster + "spark.park.executors shared\n";
  EXPECT_THAT(of_settings(shared).reasons, ElementsAre());
  EXPECT_THAT(of_settings(shared + "spark.dynamicAllocation.enabled true").reasons,
              ElementsAre(HasSubstr("spark.dynamicAllocation.enabled: Spark sizes")));
  EXPECT_THAT(of_settings(shared + "spark.executor.cores 2").reasons,
              ElementsAre(HasSubstr("spark.executor.cores is 2 and spark.task.cpus is 1")));
  EXPECT_THAT(of_settings(shared + "spark.master yarn").reasons,
              ElementsAre(HasSubstr("yarn is none of a standalone cluster")));
  EXPECT_THAT(of_settings(shared + "spark.decommission.enabled false").reasons,
              ElementsAre(HasSubstr("spark.decommission.enabled: false")));
  EXPECT_THAT(of_settings(shared + "spark.decommission.enabled true").reasons, ElementsAre());
  EXPECT_THAT(of_settings(shared + "spark.park.agent tcp://h:1,").reasons, ElementsAre());
  EXPECT_THAT(of_settings(shared + "spark.park.agent a.json,tcp://h:1").reasons,
              ElementsAre(HasSubstr("spark.park.agent: a.json, tcp://h:1 is not allowed; it is one "
                                    "agent where spark.park.executors is shared")));
}

TEST(Diagnosis, WhatKeepsAPolicyFromSizingIsAFactSinceItDecidesAllTheSame) {
  const auto fact = [](const std::string& more) {
    const Diagnosis sized =
        of_settings(std::string(kSound) + "spark.park.executors policy\n" + more);
    EXPECT_THAT(sized.reasons, ElementsAre());
    return sized.facts.empty() ? "" : sized.facts.back();
  };
  const std::string few = "spark.executor.instances 2\n";
  EXPECT_THAT(fact("spark.master spark://h:7077"),
              HasSubstr("nor spark.executor.instances is set"));
  EXPECT_EQ(fact(few), "");
  EXPECT_THAT(fact(few + "spark.decommission.enabled false"),
              HasSubstr("spark.decommission.enabled: false"));
  for (const std::string local : {"local", "local[2]"})
    EXPECT_THAT(fact(few + "spark.master " + local), HasSubstr(local + " cannot change them"));
}

TEST(Diagnosis, ASummaryHasTheLastWordOnlyWhereNothingCameBefore) {
  const std::string summary =
      "INFO Park: 5 offers decided by the agent, 3000 by Spark; 0 grants of no use; hook x\n";
  const Diagnosis late =
      of_log("Park: the agent decides\nPark: Spark's own order decides: late\n" + summary);
  EXPECT_EQ(late.decided, false);
  EXPECT_THAT(late.reasons, ElementsAre("Spark's own order decides: late"));
  EXPECT_THAT(late.facts, ElementsAre(HasSubstr("5 offers decided by the agent, 3000 by Spark")));
  EXPECT_EQ(of_log(summary).decided, true);
  EXPECT_EQ(of_log("Park: 0 offers decided by the agent, 9 by Spark; 0 grants\n").decided, false);
  EXPECT_FALSE(of_log("Park: 0 offers decided by the agent, 0 by Spark; 0 grants\n").decided);
}

TEST(Diagnosis, ASettingThatEndsTheStartIsNamed) {
  const std::string stack = "\tat park.spark.ParkPlugin$1.init(ParkPlugin.java:37)\n";
  for (const char* said : {"spark.park.misses: abc is not allowed; it is 1 to 1000",
                           "spark.park.mises: no such setting; allowed are spark.park.agent"}) {
    const std::string line = std::string("java.lang.IllegalArgumentException: ") + said + "\n";
    const Diagnosis found = of_log(line + stack + "Caused by: " + line);
    EXPECT_EQ(found.decided, false);
    EXPECT_THAT(found.reasons, ElementsAre(said));
  }
  const Diagnosis line = of_log(
      "java.lang.IllegalArgumentException: Park: the plugin is for Spark 4; this is Spark 3.5, "
      "which has no master spark+park://h:7077\n");
  EXPECT_EQ(line.decided, false);
  EXPECT_THAT(line.reasons, ElementsAre(HasSubstr("this is Spark 3.5")));
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
