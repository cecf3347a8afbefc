#!/usr/bin/env python3
"""The parts of experiments/spark that need no Spark."""

import datetime
import json
import random
import statistics
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path
from unittest import mock

ROOT = Path(__file__).resolve().parents[3]
sys.path[:0] = [str(ROOT / "experiments/spark"), str(Path(__file__).parent)]

import applications  # noqa: E402
import compare_policies  # noqa: E402
import measure_executors  # noqa: E402
import record_spark_logs  # noqa: E402
import sim_to_real  # noqa: E402

SUMMARY = """20:13:46.391 INFO ParkTaskScheduler: Park: 90 offers decided by the agent, 10 by Spark; \
3 grants of no use, 2 answers that were none, 1 offers without a grant while nothing ran, 4 late answers; hook
"""


class Driver:
    """What a driver that has ended said."""

    def __init__(self, said):
        self.text = lambda: said


class Decided(unittest.TestCase):
    def test_the_driver_says_who_decided(self):
        self.assertEqual(applications.summary_line.counts(SUMMARY), (90, 10, 3, 2, 1))
        self.assertEqual(applications.decided(Driver(SUMMARY)), (90, 10))
        with self.assertRaisesRegex(SystemExit, "not there until the end:\nplain"):
            applications.decided(Driver("plain"))

    def test_a_warning_of_a_run_says_how_many_spark_decided(self):
        with mock.patch.object(sim_to_real, "EXECUTORS", 2):
            self.assertEqual(sim_to_real.decided(21, ""), (11, 0))
            warning = "warning: fair: 7 offers went by Spark's own order, where no decision came in time"
            self.assertEqual(sim_to_real.decided(20, f"some\n{warning}\n"), (10, 7))

    def test_ways_that_spark_decided_are_named(self):
        counts = {"fair": [(100, 0), (90, 10)], "slow": [(80, 20), [100, 5]], "none": [(0, 0)]}
        self.assertEqual(applications.share_by_spark(counts["fair"]), 0.05)
        self.assertIn("fair 5.0 %, slow 12.2 %, none 0.0 %.", applications.shares(counts))
        (line,) = applications.doubts(counts)
        self.assertIn("more than 5 % of the offers of slow.", line)
        self.assertEqual(applications.doubts({"fair": counts["fair"]}), [])


class Circumstances(unittest.TestCase):
    """What an application depends on."""

    def setUp(self):
        scratch = tempfile.TemporaryDirectory(prefix="park-spark-")
        self.addCleanup(scratch.cleanup)
        self.root = Path(scratch.name)

    def write(self, name, text=""):
        path = self.root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
        return path

    def test_files_that_a_policy_names(self):
        def files(text):
            found = applications.files_of_policy(text, self.root)
            return [str(path.relative_to(self.root)) for path in found]

        for folder in ("runs/a/best", "runs/a/latest", "data/checkpoints/b"):
            for name in ("policy.safetensors", "manifest.json"):
                self.write(f"{folder}/{name}")
        self.write("my own.tree")
        best = ["runs/a/best/manifest.json", "runs/a/best/policy.safetensors"]
        bundled = ["data/checkpoints/b/manifest.json", "data/checkpoints/b/policy.safetensors"]
        self.assertEqual(files("runs/a"), best)
        self.assertEqual(files(str(self.root / "runs/a")), best)
        self.assertEqual(files("b"), bundled)
        self.assertEqual(files("data/checkpoints/b(sample=true)"), bundled)
        self.assertEqual(files('tree(file="my own.tree")'), ["my own.tree"])
        self.assertEqual(files('mix(a=runs/a,b="b")'), bundled + best)
        self.assertEqual(files("srpt_capped(c=12,s=0.25)"), [])
        self.assertEqual(files("1+" * 5000), [])

    def test_a_change_of_any_file_is_noticed(self):
        jar, park, durations = self.write("a.jar"), self.write("bin/park"), self.write("d.park")
        library, tree = self.write("lib/a.so"), self.write("a.tree")
        told = [applications.circumstances(jar, park, f'tree(file="{tree}")', durations)]
        for path in (jar, park, durations, library, tree):
            path.write_text("other")
            told.append(applications.circumstances(jar, park, f'tree(file="{tree}")', durations))
        self.assertEqual(len(set(map(str, told))), 6)
        plain = applications.circumstances(jar, park, None, None)
        park.write_text("again")
        self.assertEqual(applications.circumstances(jar, park, None, None), plain)


class ExecutorSeconds(unittest.TestCase):
    """As Spark's Workers log the launch and the end of executors."""

    WORKERS = """23:59:50.500 INFO Worker: Asked to launch executor app-1/0 for park workload
23:59:50.600 INFO ExecutorRunner: Launch command: "java" "--executor-id" "0" "--app-id" "app-1"
23:59:58.000 INFO Worker: Asked to kill executor app-1/0
23:59:58.100 INFO ExecutorRunner: Runner thread for executor app-1/0 interrupted
23:59:58.500 INFO Worker: Executor app-1/0 finished with state KILLED message Runner thread
23:59:58.500 INFO Worker: Asked to launch executor app-1/1 for park workload
23:59:59.500 INFO Worker: Executor app-1/1 finished with state EXITED message it never registered
00:00:05.000 INFO Worker: Asked to launch executor app-1/2 for park workload
00:00:10.400 INFO Worker: Executor app-1/2 finished with state KILLED message after the end
00:00:08.000 INFO Worker: Asked to launch executor app-1/3 for park workload
00:00:09.000 INFO Worker: Asked to launch executor app-10/0 for park workload
"""

    def test_an_executor_counts_from_its_launch_until_it_is_gone(self):
        end = datetime.datetime(2026, 11, 29, 0, 0, 10).timestamp() * 1e3  # of the local day
        events = [{"Event": "SparkListenerApplicationStart", "App ID": "app-1"},
                  {"Event": "SparkListenerApplicationEnd", "Timestamp": end}]  # fmt: skip
        with tempfile.TemporaryDirectory(prefix="park-spark-") as folder:
            log = Path(folder) / "app-1"
            log.write_text("\n".join(map(json.dumps, events)))
            self.assertAlmostEqual(
                measure_executors.executor_seconds(log, self.WORKERS), 8 + 1 + 5 + 2)


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


class Mixes(unittest.TestCase):
    def test_a_mix_draws_what_is_recorded_of_it(self):
        for mix, (draw, jobs) in compare_policies.MIXES.items():
            self.assertEqual(len(set(jobs)), len(jobs), mix)
            self.assertEqual({job for _, job in draw(random.Random(1), 1000)}, set(jobs), mix)


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
