#!/usr/bin/env python3
"""`park spark run` on a real cluster: what it counts, and what it writes.

    tests/systems/spark/run_test.py PARK LINE

77 where there is no Spark; scripts/spark.sh sets it up.
"""

import json
import os
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))
from cluster_test import BUILD, TPCH, skip_without_spark  # noqa: E402
from event_log import EventLog  # noqa: E402

ARRIVALS = """time_s,job
-1,q6
-1,q12
0,q6
0.5,q12
after,q14
"""
JOBS = 3  # without those that warm up
POLICIES = ("fair", "fifo")


class RunTest(unittest.TestCase):
    park, line = None, "4"

    def test_what_warms_up_is_not_counted(self):
        with tempfile.TemporaryDirectory(prefix="park-spark-") as name:
            folder = Path(name)
            arrivals, logs, timeline = (folder / n for n in ("a.csv", "logs", "timeline.json"))
            arrivals.write_text(ARRIVALS)
            done = subprocess.run(
                [self.park, "spark", "run", "--policy", ",".join(POLICIES), "--workload", arrivals,
                 "--spark", BUILD / f"spark-{self.line}", "--plugin",
                 BUILD / f"park-spark-{self.line}.jar", "--data", TPCH / "sf0.01", "--queries",
                 TPCH / "queries", "--event-logs", logs, "--timeline", timeline, "--json"],
                capture_output=True, text=True)  # fmt: skip
            self.assertEqual(done.returncode, 0, done.stderr)
            print(done.stderr)
            results = json.loads(done.stdout)["results"]
            self.assertEqual([one["policy"] for one in results], list(POLICIES))
            for i, one in enumerate(results):
                self.check(one["metrics"], next((logs / f"{i + 1}/1").glob("app-*")))
            self.assertEqual(len(json.loads(timeline.read_text())["timelines"]), len(POLICIES))

    def check(self, metrics, log):
        self.assertEqual(metrics["jobs_done"]["mean"], JOBS)
        queries = [query for query in EventLog(log).queries if query.job != "warmup"]
        self.assertEqual(len(queries), JOBS)
        by_log = sum(query.took_s for query in queries)
        self.assertAlmostEqual(-metrics["reward"]["mean"] / by_log, 1, delta=0.01)
        self.assertAlmostEqual(metrics["avg_jct_s"]["mean"] * JOBS / by_log, 1, delta=0.01)
        self.assertGreater(metrics["utilisation"]["mean"], 0)
        self.assertLessEqual(metrics["utilisation"]["mean"], 1)


def main():
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    RunTest.park, RunTest.line = os.path.abspath(sys.argv[1]), sys.argv[2]
    skip_without_spark(RunTest.line)
    unittest.main(argv=sys.argv[:1])


if __name__ == "__main__":
    main()
