#!/usr/bin/env python3
"""The plugin on YARN: results as of plain Spark, in client and cluster mode, and what dies.

    tests/systems/spark/yarn_test.py PARK LINE [UNITTEST_OPTION...]

77 where there is no YARN; scripts/spark.sh 4 tpch yarn sets it up.
"""

import os
import signal
import sys
import time
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))
from cluster_test import ALL, BUILD, FEW, LIMIT_S, ROOT, SHORT, TPCH, ClusterCase  # noqa: E402
from yarn import EXECUTORS, MASTERS, Yarn  # noqa: E402

LEARNED = ROOT / "data/checkpoints/dag_scheduling-batch-bundled"
# All of this cluster is one machine.
LOOPBACK = {"spark.park.loopback": "true"}
LEASE_S = 60  # at most, until an agent takes a driver that says nothing for dead


class YarnCase(ClusterCase):
    @classmethod
    def make_cluster(cls):
        return Yarn(BUILD / f"cluster-{cls.line}", BUILD / "yarn/jars", cls.folder)

    def master(self):
        """The process of the application's master, when it is there."""
        return self.cluster.containers(MASTERS)


class ShortTest(YarnCase):
    def test_a_policy_decides_in_both_modes_and_the_results_are_the_same(self):
        for mode in ("client", "cluster"):
            agent = self.agent()
            jobs = self.run_queries(mode, FEW, agent, LOOPBACK, mode=mode)
            self.check_results(jobs, FEW, mode)
            counts = self.counts(mode)
            print(f"{mode}: {counts}")
            self.assertGreater(counts.by_agent, 0, mode)
            self.assertEqual(agent.result()["metrics"]["jobs_done"]["mean"], len(FEW), mode)

    def test_an_agent_on_the_loopback_interface_is_refused_in_cluster_mode(self):
        agent = self.agent()
        name = "refused"
        jobs = self.run_queries(name, FEW[:1], agent, mode="cluster")
        self.check_results(jobs, FEW[:1])
        said = [line for line in self.cluster.named[name].text().splitlines() if "Park: " in line]
        print("\n".join(said))
        self.assertEqual(len(said), 1)
        self.assertIn("is the driver's own container", said[0])
        self.assertIn("this is plain Spark", said[0])

    def test_an_endpoint_file_that_was_not_brought_along_is_told(self):
        name = "absent"
        jobs = self.run_queries(name, FEW[:1], "agent.json", mode="cluster")
        self.check_results(jobs, FEW[:1])
        self.assertIn("--files brings it there", self.cluster.named[name].text())


class ResultsTest(YarnCase):
    """All queries, in both modes, under a heuristic and a policy that has learned."""

    queries = ALL

    def test_the_results_of_all_queries_are_those_of_plain_spark(self):
        for mode in ("client", "cluster"):
            for policy in ("fifo", str(LEARNED)):
                name = f"{mode}-{Path(policy).name}"
                agent = self.agent(policy=policy)
                # The endpoint file goes with the application.
                settings = LOOPBACK | {"spark.files": str(agent.file)}
                where = agent.file.name if mode == "cluster" else str(agent.file)
                jobs = self.run_queries(name, ALL, where, settings, mode=mode)
                self.check_results(jobs, ALL, name)
                counts = self.counts(name)
                print(f"{name}: {counts}")
                self.assertGreater(counts.by_agent, 10, name)
                self.assertEqual(agent.result()["metrics"]["jobs_done"]["mean"], len(ALL), name)


class DynamicTest(YarnCase):
    def test_executors_go_when_the_policy_leaves_them_idle(self):
        agent = self.agent()
        jobs = self.run_queries("sized", FEW, agent, {
            "spark.park.executors": "policy", "spark.park.executors.idle": "2s",
            "spark.dynamicAllocation.maxExecutors": "2"}, gap_s=40)  # fmt: skip
        self.check_results(jobs, FEW)
        said = self.cluster.named["sized"].text()
        print("\n".join(line for line in said.splitlines() if "executors are needed" in line))
        self.assertIn("1 executors are needed; 1 go", said)
        self.assertEqual(agent.result()["metrics"]["jobs_done"]["mean"], len(FEW))


class KillTest(YarnCase):
    def start(self, name, agent, mode="client", conf=None):
        driver = self.start_queries(
            name, FEW * 4, agent, SHORT | LOOPBACK | (conf or {}), gap_s=3, mode=mode)  # fmt: skip
        driver.wait_for("the agent decides", LIMIT_S)
        return driver

    def wait_for_another_executor(self, before, driver):
        """One comes that was not there, while the application runs."""
        until = time.monotonic() + LIMIT_S
        while set(self.cluster.containers(EXECUTORS)) <= before:
            self.assertIsNone(driver.process.poll(), "it ended without another executor")
            self.assertLess(time.monotonic(), until)
            time.sleep(0.2)

    def test_an_executor_dies(self):
        agent = self.agent()
        driver = self.start("executor", agent)
        before = set(self.cluster.containers(EXECUTORS))
        os.kill(min(before), signal.SIGKILL)
        driver.wait_for("Lost executor", LIMIT_S)
        self.wait_for_another_executor(before, driver)
        self.check_results(self.finish_queries("executor", driver), FEW * 4)
        self.assertEqual(agent.result()["metrics"]["jobs_done"]["mean"], 4 * len(FEW))

    def test_the_master_dies_and_all_executors_with_it_and_come_back(self):
        agent = self.agent()
        driver = self.start("master", agent)
        before = self.cluster.containers(EXECUTORS)
        os.kill(self.master()[0], signal.SIGKILL)
        self.check_results(self.finish_queries("master", driver), FEW * 4)
        self.assertGreaterEqual(driver.text().count("Lost executor"), len(before))
        self.assertEqual(agent.result()["metrics"]["jobs_done"]["mean"], 4 * len(FEW))

    def test_the_master_dies_with_the_driver_and_the_application_begins_again(self):
        """The second attempt has the same application id: it is a run of its own."""
        agent = self.agent(applications=2)
        driver = self.start("attempts", agent, "cluster", {"spark.yarn.maxAppAttempts": "2"})
        os.kill(self.master()[0], signal.SIGKILL)
        driver.wait_for("(?s)the agent decides.*the agent decides", LIMIT_S)
        self.check_results(self.finish_queries("attempts", driver), FEW * 4)
        result = agent.result(LEASE_S)
        print(result)
        self.assertGreater(result["decisions"], 0)

    def test_the_agent_dies_and_another_one_takes_over(self):
        first = self.agent()
        driver = self.start("agent", first)
        first.close()
        driver.wait_for("Spark's own order decides", LIMIT_S)
        second = self.agent(endpoint=first.file)
        driver.wait_for("(?s)Spark's own order decides.*the agent decides", LIMIT_S)
        self.check_results(self.finish_queries("agent", driver), FEW * 4)
        self.assertGreater(second.result()["decisions"], 0)


def skip_without_yarn(line):
    for needed in (BUILD / f"park-spark-{line}.jar", BUILD / f"cluster-{line}/complete",
                   BUILD / "yarn/complete", TPCH / "sf0.01"):  # fmt: skip
        if not needed.exists():
            print(f"skipped: {needed.relative_to(ROOT)} is not there; "
                  f"scripts/spark.sh {line} tpch yarn makes it")
            sys.exit(77)


def main():
    if len(sys.argv) < 3:
        sys.exit(__doc__)
    ClusterCase.park, ClusterCase.line = os.path.abspath(sys.argv[1]), sys.argv[2]
    skip_without_yarn(ClusterCase.line)
    unittest.main(argv=[sys.argv[0], *sys.argv[3:]])


if __name__ == "__main__":
    main()
