#!/usr/bin/env python3
"""Measures what a policy costs a stock Spark on a cluster of this machine.

    scripts/measure_spark.py                    writes results/spark_overhead.json
    scripts/measure_spark.py --repetitions 1 --queries 6,12    for a look

Wants an otherwise idle machine. Builds nothing: needs build/release/bin/park and what
scripts/spark.sh 4 tpch makes.
"""

import argparse
import json
import random
import re
import statistics
import sys
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path

import figures

sys.path.insert(0, str(figures.ROOT / "tests/spark"))
from cluster import Child, Cluster  # noqa: E402

BUILD = figures.ROOT / "build/spark"
LINE = "4"
WARM_UPS = 2
LIMIT_S = 3600
TOLD = re.compile(
    r"hook (\d+) times, p50 ([\d.]+) ms, p99 ([\d.]+) ms; offers \d+ times, p50 ([\d.]+) ms, "
    r"p99 ([\d.]+) ms; consults (\d+) times, p50 ([\d.]+) ms, p99 ([\d.]+) ms")


@dataclass(frozen=True)
class Way:
    """How decisions are taken; `mode` is None for plain Spark."""
    name: str
    policy: str = ""
    mode: str | None = None


WAYS = (Way("plain"), Way("wait", "fifo", "wait"), Way("async", "fifo", "async"))


class Run:
    """An application that runs all queries: first one after the other, to warm up all that takes
    part, the agent too; then all at once."""

    def __init__(self, cluster, folder, park, way, order):
        self.folder, self.way = Path(tempfile.mkdtemp(dir=folder)), way
        warm_up = list(order) * WARM_UPS
        rows = [f"after,q{q}" for q in (*warm_up, order[0])] + [f"0,q{q}" for q in order[1:]]
        arrivals = self.folder / "arrivals.csv"
        arrivals.write_text("\n".join(["time_s,job", *rows]) + "\n")
        conf = self.attach(park) if way.mode else {}
        driver = cluster.submit(
            self.folder.name, BUILD / f"park-spark-{LINE}.jar", "park.spark.Workload",
            BUILD / "tpch/sf0.01", BUILD / "tpch/queries", arrivals, self.folder / "jobs.json",
            conf=conf)  # fmt: skip
        if driver.wait(LIMIT_S) != 0:
            raise SystemExit(driver.text()[-4000:])
        if way.mode:
            self.agent.kill()
        self.text = driver.text()
        all_jobs = json.loads((self.folder / "jobs.json").read_text())["jobs"]
        self.jobs = [job for job in all_jobs if job["number"] >= len(warm_up)]

    def attach(self, park):
        endpoint = self.folder / "endpoint"
        self.agent = Child("agent", [park, "spark", "attach", "--policy", self.way.policy,
                                     "--endpoint", "tcp://127.0.0.1:*", "--endpoint-file",
                                     endpoint], self.folder)  # fmt: skip
        until = time.monotonic() + 30
        while not endpoint.exists():
            if time.monotonic() > until:
                raise SystemExit(self.agent.text())
            time.sleep(0.02)
        return {"spark.plugins": "park.spark.ParkPlugin", "spark.park.agent": str(endpoint),
                "spark.park.decision.mode": self.way.mode}  # fmt: skip

    @property
    def span_s(self):
        """From the first arrival to the last end."""
        return max(job["end_s"] for job in self.jobs) - min(job["arrival_s"] for job in self.jobs)

    @property
    def mean_jct_s(self):
        return statistics.fmean(job["end_s"] - job["arrival_s"] for job in self.jobs)

    @property
    def latencies(self):
        """Milliseconds, by name."""
        found = TOLD.search(self.text)
        if not found:
            raise SystemExit(f"no figures in:\n{self.text[-4000:]}")
        names = ("hook p50", "hook p99", "offer p50", "offer p99")
        figures_of = dict(zip(names, map(float, found.groups()[1:5])))
        return figures_of | {"consult p50": float(found[7]), "consult p99": float(found[8])}


DOCS = {
    "hook": "the plugin's own time in an offer of free slots, without Spark's and without waiting",
    "offer": "all of an offer: so long Spark's scheduler stands still",
    "consult": "from a question to its answer",
}


def found(runs):
    """The figures of all runs, by way."""
    plain = runs["plain"]
    at_once = f"{len(plain[0].jobs)} queries at once"
    yield figures.figure(f"{at_once}, plain", "s", [r.span_s for r in plain],
                         "first arrival to last end")
    for way in ("wait", "async"):
        some = runs[way]
        yield figures.figure(f"{at_once}, fifo, {way}, over plain", "1",
                             [a.span_s / b.span_s for a, b in zip(some, plain)],
                             "of the same repetition")
        yield figures.figure(f"mean JCT, fifo, {way}, over plain", "1",
                             [a.mean_jct_s / b.mean_jct_s for a, b in zip(some, plain)],
                             "of the same repetition")
        told = [r.latencies for r in some]
        for name in told[0]:
            yield figures.figure(f"{name}, {way}", "ms", [t[name] for t in told],
                                 DOCS[name.split()[0]])


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--repetitions", type=int, default=5)
    parser.add_argument("--queries", default=",".join(str(q) for q in range(1, 23)))
    parser.add_argument("--park", default=figures.ROOT / "build/release/bin/park")
    parser.add_argument("--out", default=figures.ROOT / "results/spark_overhead.json")
    arguments = parser.parse_args()
    runs = {way.name: [] for way in WAYS}
    draw = random.Random(1)
    queries = arguments.queries.split(",")
    with tempfile.TemporaryDirectory(prefix="park-spark-") as folder:
        cluster = Cluster(BUILD / f"spark-{LINE}", folder, options=["-XX:+UseSerialGC"])
        try:
            for repetition in range(arguments.repetitions):
                order = draw.sample(queries, len(queries))
                for way in draw.sample(WAYS, len(WAYS)):
                    print(f"repetition {repetition + 1}, {way.name}", flush=True)
                    runs[way.name].append(Run(cluster, folder, arguments.park, way, order))
        finally:
            cluster.close()
    notes = ["TPC-H at scale 0.01, Spark of line 4, 2 Workers with a one-core executor each, all "
             f"queries {WARM_UPS} times before to warm up; ways and queries in random order.",
             "wait: the offer waits for the decision, 50 ms at most; async: the slots stay free "
             "until it is there, and Spark's scheduler goes on meanwhile."]
    figures.write(arguments.out, "What a policy costs a stock Spark", "scripts/measure_spark.py",
                  list(found(runs)), notes)


if __name__ == "__main__":
    main()
