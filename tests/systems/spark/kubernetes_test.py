#!/usr/bin/env python3
"""The plugin with Spark's backend for Kubernetes, against a server that stands for one.

    tests/systems/spark/kubernetes_test.py PARK LINE [UNITTEST_OPTION...]

It shows which pods are asked for, that their executors are scheduled, and what comes of one that is
lost. It says nothing of placing, networks, accounts, images, eviction and cluster mode. 77 where
the server is not there; scripts/spark.sh 4 tpch kubernetes sets it up.
"""

import os
import signal
import sys
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))
from cluster_test import ALL, BUILD, FEW, LIMIT_S, ROOT, SHORT, TPCH, ClusterCase  # noqa: E402
from mock_kubernetes import MockKubernetes  # noqa: E402


class KubernetesCase(ClusterCase):
    @classmethod
    def make_cluster(cls):
        return MockKubernetes(
            BUILD / f"cluster-{cls.line}", BUILD / "kubernetes/jars", cls.folder)  # fmt: skip


class ResultsTest(KubernetesCase):
    queries = ALL

    def test_pods_are_asked_for_and_the_results_are_those_of_plain_spark(self):
        before = len(self.cluster.asked())
        agent = self.agent()
        jobs = self.run_queries("fair", ALL, agent)
        self.check_results(jobs, ALL)
        counts = self.counts("fair")
        print(counts, self.cluster.asked())
        self.assertGreater(counts.by_agent, 10)
        self.assertEqual(set(self.cluster.asked()[before:]), {("1", "768Mi")})
        self.assertEqual(agent.result()["metrics"]["jobs_done"]["mean"], len(ALL))


class KillTest(KubernetesCase):
    def test_an_executor_dies_and_there_is_a_new_pod(self):
        agent = self.agent()
        driver = self.start_queries("killed", FEW * 4, agent, SHORT, gap_s=3)
        driver.wait_for("the agent decides", LIMIT_S)
        before = len(self.cluster.started())
        os.kill(self.cluster.started()[-1], signal.SIGKILL)
        driver.wait_for("Lost executor", LIMIT_S)
        self.check_results(self.finish_queries("killed", driver), FEW * 4)
        self.assertGreater(len(self.cluster.started()), before)
        self.assertEqual(agent.result()["metrics"]["jobs_done"]["mean"], 4 * len(FEW))


def skip_without_kubernetes(line):
    for needed in (BUILD / f"park-spark-{line}.jar", BUILD / f"cluster-{line}/complete",
                   BUILD / "kubernetes/complete", TPCH / "sf0.01"):  # fmt: skip
        if not needed.exists():
            print(f"skipped: {needed.relative_to(ROOT)} is not there; "
                  f"scripts/spark.sh {line} tpch kubernetes makes it")
            sys.exit(77)


def main():
    if len(sys.argv) < 3:
        sys.exit(__doc__)
    ClusterCase.park, ClusterCase.line = os.path.abspath(sys.argv[1]), sys.argv[2]
    skip_without_kubernetes(ClusterCase.line)
    unittest.main(argv=[sys.argv[0], *sys.argv[3:]])


if __name__ == "__main__":
    main()
