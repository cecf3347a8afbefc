#!/usr/bin/env python3
"""The parts of experiments/spark that need no Spark."""

import statistics
import subprocess
import sys
import unittest
from pathlib import Path
from unittest import mock

ROOT = Path(__file__).resolve().parents[3]
sys.path[:0] = [str(ROOT / "experiments/spark"), str(Path(__file__).parent)]

import compare_policies  # noqa: E402
import record_spark_logs  # noqa: E402


class Verdicts(unittest.TestCase):
    def test_an_interval_apart_from_0_decides(self):
        self.assertEqual(compare_policies.verdict([-0.11, -0.1, -0.09], 0.05), "yes")
        self.assertEqual(compare_policies.verdict([0.011, 0.01, 0.009], 0.05), "yes")

    def test_a_short_interval_around_0_excludes_the_difference(self):
        self.assertEqual(compare_policies.verdict([-0.01, 0.01, 0.0, 0.005], 0.05),
                         "no difference of 5 %")

    def test_else_the_observed_difference_says_how_many_would_decide(self):
        some = [0.3, -0.1, 0.2, -0.1]
        needed = (2.802 * statistics.stdev(some) / statistics.fmean(some)) ** 2 + 2
        self.assertEqual(compare_policies.verdict(some, 0.05),
                         f"no; about {int(needed) + 1} applications would")
        for some in ([0.3, -0.301, 0.2, -0.2], [0.3, -0.3]):
            self.assertEqual(compare_policies.verdict(some, 0.05),
                             "no; more than 1000 applications would")


class Recording(unittest.TestCase):
    def test_a_master_that_does_not_start_leaves_no_process(self):
        begun = []

        def start(cluster, *_):
            begun.append(subprocess.Popen(["sleep", "60"]))
            cluster.children.append(begun[-1])

        with mock.patch.object(record_spark_logs.Cluster, "start", start), \
                mock.patch.object(record_spark_logs.Cluster, "wait", side_effect=SystemExit), \
                self.assertRaises(SystemExit), record_spark_logs.Cluster():
            self.fail("it has started")
        self.assertEqual([child.poll() is None for child in begun], [False])


if __name__ == "__main__":
    unittest.main()
