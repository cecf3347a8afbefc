#!/usr/bin/env python3
"""Measures what a policy costs a stock Spark on a cluster of this machine.

    experiments/spark/measure_spark.py                    writes results/spark_overhead.json
    experiments/spark/measure_spark.py --repetitions 1 --queries 6,12    for a look

Wants an otherwise idle machine. Builds nothing: needs build/release/bin/park and what
scripts/spark.sh 4 tpch=SCALE makes.
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

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "scripts"))
import figures  # noqa: E402

sys.path.insert(0, str(figures.ROOT / "tests/systems/spark"))
from cluster import Child, Cluster  # noqa: E402

BUILD = figures.ROOT / "build/spark"
LINE = "4"
WARM_UPS = 1
LIMIT_S = 3600
TOLD = re.compile(
    r"(hook|offers|consults) \d+ times, p50 ([\d.]+) ms, p99 ([\d.]+) ms, ([\d.]+) s in all")


@dataclass(frozen=True)
class Way:
    """How decisions are taken; `mode` is None for plain Spark."""
    name: str
    policy: str = ""
    mode: str | None = None


WAYS = (Way("plain"), Way("wait", "fifo", "wait"), Way("async", "fifo", "async"))


class Run:
    """An application that runs all queries: one after the other, first to warm up all that takes
    part, the agent too; then all at once."""

    def __init__(self, cluster, folder, arguments, way, order):
        self.folder, self.way = Path(tempfile.mkdtemp(dir=folder)), way
        one_by_one = list(order) * (WARM_UPS + 1)
        rows = [f"after,q{q}" for q in (*one_by_one, order[0])] + [f"0,q{q}" for q in order[1:]]
        arrivals = self.folder / "arrivals.csv"
        arrivals.write_text("\n".join(["time_s,job", *rows]) + "\n")
        conf = self.attach(arguments.park) if way.mode else {}
        driver = cluster.submit(
            self.folder.name, BUILD / f"park-spark-{LINE}.jar", "park.spark.Workload",
            BUILD / f"tpch/sf{arguments.scale}", BUILD / "tpch/queries", arrivals,
            self.folder / "jobs.json", conf=conf)  # fmt: skip
        if driver.wait(LIMIT_S) != 0:
            raise SystemExit(driver.text()[-4000:])
        if way.mode:
            self.agent.kill()
        # Of hooks, offers and consults: milliseconds p50 and p99, and seconds in all.
        self.told = {name: tuple(map(float, figures)) for name, *figures in
                     TOLD.findall(driver.text())}  # fmt: skip
        if way.mode and self.told.keys() != DOCS.keys():
            raise SystemExit(f"no times in what the driver said:\n{driver.text()[-4000:]}")
        jobs = json.loads((self.folder / "jobs.json").read_text())["jobs"]
        jobs.sort(key=lambda job: job["number"])
        self.all = jobs
        self.one_by_one = jobs[len(order) * WARM_UPS:len(one_by_one)]
        self.at_once = jobs[len(one_by_one):]

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


DOCS = {
    "hook": "the plugin's own time in an offer of free slots, without Spark's and without waiting",
    "offers": "all of an offer: so long Spark's scheduler stands still",
    "consults": "from a question to its answer",
}


def span_s(jobs):
    """From the first arrival to the last end."""
    return max(job["end_s"] for job in jobs) - min(job["arrival_s"] for job in jobs)


def mean_jct_s(jobs):
    return statistics.fmean(job["end_s"] - job["arrival_s"] for job in jobs)


def found(runs):
    """The figures of all runs, by way."""
    n = len(runs["plain"][0].at_once)
    measured = (
        (f"{n} queries one by one", lambda r: span_s(r.one_by_one), "first arrival to last end"),
        (f"{n} queries at once", lambda r: span_s(r.at_once), "first arrival to last end"),
        ("mean JCT at once", lambda r: mean_jct_s(r.at_once), "from arrival to end"),
    )
    plain = {name: [of(r) for r in runs["plain"]] for name, of, _ in measured}
    for name, _, doc in measured:
        yield figures.figure(f"{name}, plain", "s", plain[name], doc)
    for way in ("wait", "async"):
        for name, of, _ in measured:
            yield figures.figure(f"{name}, fifo, {way}, over plain", "1",
                                 [of(a) / b for a, b in zip(runs[way], plain[name])],
                                 "of the same repetition")
        for name, doc in DOCS.items():
            for i, quantile in enumerate(("p50", "p99")):
                yield figures.figure(f"{name} {quantile}, {way}", "ms",
                                     [r.told[name][i] for r in runs[way]], doc)  # fmt: skip
        yield figures.figure(
            f"time in hooks and consults, {way}", "1",
            [(r.told["hook"][2] + r.told["consults"][2]) / span_s(r.all) for r in runs[way]],
            "of the time of all queries, one by one and at once")


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--repetitions", type=int, default=5)
    parser.add_argument("--queries", default=",".join(str(q) for q in range(1, 23)))
    parser.add_argument("--scale", default="0.1", help="of the data of TPC-H")
    parser.add_argument("--park", default=figures.ROOT / "build/release/bin/park")
    parser.add_argument("--out", default=figures.ROOT / "results/spark_overhead.json")
    parser.add_argument("--note", action="append", default=[], help="what else is to be said of the run")
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
                    runs[way.name].append(Run(cluster, folder, arguments, way, order))
        finally:
            cluster.close()
    notes = [f"TPC-H at scale {arguments.scale}, Spark of line {LINE}, 2 Workers with a one-core "
             "executor each, which have a lower priority than driver and agent. All queries one by "
             f"one, {WARM_UPS} time to warm up and once more, then all at once; ways and queries in "
             "random order.",
             "One by one, the order of the queries is the same with and without the agent. At once "
             "it is not: Spark's own order is that of its jobs, of which a query has several.",
             "wait: the offer waits for the decision, 50 ms at most; async: the slots stay free "
             "until it is there, and Spark's scheduler goes on meanwhile.", *arguments.note]
    figures.write(arguments.out, "What a policy costs a stock Spark",
                  figures.command(), list(found(runs)), notes,
                  page=Path(__file__).resolve().parent.name)


if __name__ == "__main__":
    main()
