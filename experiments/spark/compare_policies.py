#!/usr/bin/env python3
"""Compares policies on a real Spark of this machine until the comparison is decided, or says how many
applications that would take.

    experiments/spark/compare_policies.py                    all; each writes results/spark_policies_MIX_EXECUTORS.json
    experiments/spark/compare_policies.py --mixes tpch --executors 2                         one of them
    experiments/spark/compare_policies.py --least 3 --most 3 --batch 4 --mixes tpch --executors 2    for a look
    experiments/spark/compare_policies.py --policy trained=runs/mine --policy tree='tree(file="my.tree")'

A block has one application of each way, in random order, all with the same arrivals; the next block
has others. So differences between ways are of the same jobs. Executors run every query once before the
first arrival. After --pilot blocks the spread of the paired differences tells how many blocks it takes
to tell a difference of --difference from none with 80 % power at 95 % confidence; that is printed, and
so many are run, between --least and --most.

Before the pilot an application runs every job of the mix once, alone, in Spark's own order. The workload of
its event log has the durations that all agents are told (--durations), as the simulator tells its policies.
The rank correlation is with the simulation of the same arrivals on that workload. Wants an otherwise idle
machine for hours; with --folder it can be stopped and goes on there. Applications whose settings, files of a
policy, plugin, park or durations have changed since are run again. Files that policies name are looked for from
the root of the tree. Builds nothing: needs build/release/bin/park and what scripts/spark.sh 4 tpch=0.1 tpch=1
makes.
"""

import argparse
import json
import math
import random
import shutil
import statistics
import sys
import time
from pathlib import Path
from types import SimpleNamespace

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
from park_runs import figures, working_folder  # noqa: E402

sys.path.insert(0, str(figures.ROOT / "tests/systems/spark"))
import applications  # noqa: E402
import event_log  # noqa: E402
import sim_to_real  # noqa: E402
from cluster import Child, Cluster  # noqa: E402

BUILD = figures.ROOT / "build/spark"
LINE, LIMIT_S = "4", 7200
BASE = "fifo"  # what the others are compared with
POWER_Z = 1.960 + 0.842  # two-sided 95 % confidence, 80 % power
MOST_NEEDED = 1000  # applications that a table names
FIFO_OF_SPARK = "FIFO of Spark"
PLAIN = {FIFO_OF_SPARK: {}, "FAIR of Spark": {"spark.scheduler.mode": "FAIR"}}
WARM = [f"0.1g:{q}" for q in range(1, 23)]
# All of the simulation's ways are of the same kind: the whole graph is known when a query comes.
CONF = dict(line.split(" ", 1) for line in sim_to_real.PROPERTIES.splitlines())
ALL = [f"{s}g:{q}" for s in ("0.1", "1") for q in range(1, 23)]
LONG = [f"1g:{q}" for q in (9, 18, 21)]
SHORT = [f"0.1g:{q}" for q in (2, 6, 11, 12, 14, 19)]


def tpch(draw, size):
    """All queries and both scales alike, at once."""
    return [(0.0, job) for job in draw.choices(ALL, k=size)]


def skewed(draw, size):
    """Mostly short jobs, some long ones, as they come: nobody has tuned anything on it."""
    at, rows = 0.0, []
    for _ in range(size):
        rows.append((round(at, 3), draw.choice(LONG if draw.random() < 0.2 else SHORT)))
        at += draw.expovariate(1 / 1.5)
    return rows


MIXES = {"tpch": (tpch, ALL), "skewed": (skewed, LONG + SHORT)}  # and all jobs that it may draw


class Case:
    """A mix on so many executors."""

    def __init__(self, arguments, folder, mix, executors):
        self.arguments, self.mix, self.executors = arguments, mix, executors
        self.title = f"{mix}, {executors} executors"
        self.folder = folder / f"{mix}-{executors}"
        self.folder.mkdir(exist_ok=True)
        self.ways = {**dict.fromkeys(PLAIN), **{p: p for p in sim_to_real.HEURISTICS},
                     **arguments.policy}  # fmt: skip
        self.found = {way: [] for way in self.ways}  # mean completion times, of each block
        self.decided = {way: [] for way, policy in self.ways.items() if policy is not None}
        self.rows, self.workload = [], None
        self.lab = sim_to_real.Lab(
            SimpleNamespace(park=self.arguments.park, warm_up=WARM), self.folder)

    def run(self):
        of_cluster = self.folder / "cluster"
        shutil.rmtree(of_cluster, ignore_errors=True)
        of_cluster.mkdir()
        cluster = Cluster(BUILD / f"spark-{LINE}", of_cluster, workers=self.executors,
                          options=["-XX:+UseSerialGC"])  # fmt: skip
        try:
            self.record(cluster)
            self.play(cluster, self.arguments.pilot)
            needed = self.needed()
            blocks = max(self.arguments.least, min(self.arguments.most, needed))
            print(f"{self.title}: {needed} applications of each way tell a "
                  f"difference of {self.arguments.difference:.0%} with 80 % power; {blocks} are run",
                  flush=True)  # fmt: skip
            self.play(cluster, blocks)
        finally:
            cluster.close()
        return needed

    def record(self, cluster):
        """The workload whose durations all agents and the simulator have."""
        rows = [("after", job) for job in MIXES[self.mix][1]]
        work = self.application(cluster, "recorded", FIFO_OF_SPARK, rows)
        self.workload = self.lab.profile("recorded", [next((work / "events").iterdir())]).workload

    def play(self, cluster, blocks):
        for i in range(len(self.rows), blocks):
            draw = random.Random(f"{self.mix} {i}")
            self.rows.append(MIXES[self.mix][0](draw, self.arguments.batch))
            for way in draw.sample(list(self.ways), len(self.ways)):
                name = f"{i}-{way.replace(' ', '-')}"
                work = self.application(cluster, name, way, self.rows[-1])
                jobs = json.loads((work / "jobs.json").read_text())["jobs"]
                self.found[way].append(statistics.fmean(job["end_s"] - job["arrival_s"] for job in jobs))
                if way in self.decided:
                    self.decided[way].append(json.loads((work / "decided.json").read_text()))

    def application(self, cluster, name, way, rows):
        """The folder of an application, of an earlier start where all that it depends on was the same."""
        work, jar = self.folder / name, BUILD / f"park-spark-{LINE}.jar"
        lines = ["time_s,job", *(f"{t},{job}" for t, job in [(-1, job) for job in WARM] + rows)]
        asked = json.dumps({
            "policy": self.ways[way], "conf": CONF | PLAIN.get(way, {}), "arrivals": lines,
            "digests": applications.circumstances(
                jar, self.lab.binary, self.ways[way], self.workload),
        }, indent=1)  # fmt: skip
        done = work / "asked.json"
        if not done.exists() or done.read_text() != asked:
            print(f"{self.title}, {name}", flush=True)
            shutil.rmtree(work, ignore_errors=True)
            work.mkdir()
            (work / "arrivals.csv").write_text("\n".join(lines) + "\n")
            self.play_one(cluster, work, jar, way)
            done.write_text(asked)
        return work

    def play_one(self, cluster, work, jar, way):
        """Plays the arrivals of a folder, and leaves there what came out."""
        conf, agent = CONF | PLAIN.get(way, {}) | event_log.settings(work / "events"), None
        if self.ways[way] is not None:
            agent = Child("agent", [
                self.lab.binary, "spark", "attach", "--policy", self.ways[way], "--endpoint",
                "tcp://127.0.0.1:*", "--endpoint-file", work / "endpoint", "--durations",
                self.workload], work, cwd=figures.ROOT)  # fmt: skip
            wait_for(work / "endpoint", agent)
            conf |= {"spark.plugins": "park.spark.ParkPlugin",
                     "spark.park.agent": str(work / "endpoint")}  # fmt: skip
        driver = cluster.submit(
            work.name, jar, "park.spark.Workload", BUILD / "tpch", BUILD / "tpch/queries",
            work / "arrivals.csv", work / "jobs.json", conf=conf)
        try:
            if driver.wait(LIMIT_S) != 0:
                raise SystemExit(driver.text()[-4000:])
        finally:
            if agent:
                agent.kill()
        if agent:
            (work / "decided.json").write_text(json.dumps(applications.decided(driver)))

    def differences(self, way):
        """Of the same block, relative to the base."""
        return [a / b - 1 for a, b in zip(self.found[way], self.found[BASE])]

    def needed(self):
        """Blocks to tell the difference that is asked for, of all ways."""
        return max(applications_needed(self.differences(way), self.arguments.difference)
                   for way in self.ways if way != BASE)  # fmt: skip

    def correlation(self):
        """With the simulation, over the ways that it has."""
        self.lab.policies = {way: text for way, text in self.ways.items() if text is not None}
        sim_to_real.EXECUTORS = self.executors
        sim_to_real.EPISODES = 10
        simulated = [self.lab.simulate(f"block-{i}", rows, self.workload)
                     for i, rows in enumerate(self.rows)]  # fmt: skip
        means = [statistics.fmean(values) for values in zip(*simulated)]
        return sim_to_real.correlation(
            [statistics.fmean(self.found[way]) for way in self.lab.policies], means)

    def table(self):
        rows = []
        for way, values in self.found.items():
            mean, half = statistics.fmean(values), sim_to_real.half_width(values)
            row = [way, f"{mean:.2f}", f"[{mean - half:.2f}, {mean + half:.2f}]", self.by_spark(way)]
            if way == BASE:
                rows.append([*row, "", "", ""])
                continue
            some = self.differences(way)
            mean, half = statistics.fmean(some), sim_to_real.half_width(some)
            rows.append([*row, f"{100 * mean:+.1f}",
                         f"[{100 * (mean - half):+.1f}, {100 * (mean + half):+.1f}]",
                         verdict(some, self.arguments.difference)])  # fmt: skip
        return {"title": "", "rows": rows,
                "columns": ["policy", "mean completion time (s)", "95 % interval",
                            "offers decided by Spark (%)", f"over {BASE} (%)", "95 % interval",
                            "differs"]}  # fmt: skip

    def by_spark(self, way):
        """The offers that the policy of a way did not decide, as a cell of the table."""
        if way not in self.decided:
            return ""
        return f"{100 * applications.share_by_spark(self.decided[way]):.1f}"


def applications_needed(differences, told):
    """So many of each way tell a difference of that size from none, by the spread of some."""
    return math.ceil((POWER_Z * statistics.stdev(differences) / told) ** 2) + 2


def verdict(differences, told):
    """Whether a way differs from the base: by the interval of its mean, or else by what it would
    take to tell the difference that was observed."""
    mean, half = statistics.fmean(differences), sim_to_real.half_width(differences)
    if abs(mean) > half:
        return "yes"
    if abs(mean) + half <= told:
        return f"no difference of {100 * told:g} %"
    needed = applications_needed(differences, abs(mean)) if mean else math.inf
    return (f"no; about {needed} applications would" if needed <= MOST_NEEDED else
            f"no; more than {MOST_NEEDED} applications would")  # fmt: skip


def wait_for(file, agent):
    until = time.monotonic() + 60
    while not file.exists():
        if agent.process.poll() is not None or time.monotonic() > until:
            raise SystemExit(agent.text())
        time.sleep(0.02)


def read_arguments():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--pilot", type=int, default=3, help="blocks before the power calculation")
    parser.add_argument("--least", type=int, default=10)
    parser.add_argument("--most", type=int, default=20)
    parser.add_argument("--difference", type=float, default=0.05, help="that is to be told")
    parser.add_argument("--batch", type=int, default=16, help="jobs of an application")
    parser.add_argument("--mixes", default=",".join(MIXES))
    parser.add_argument("--executors", default="2,4")
    parser.add_argument("--policy", action="append", default=[], metavar="NAME=POLICY")
    parser.add_argument("--folder", type=Path, help="keeps applications here and goes on with them")
    parser.add_argument("--park", default=figures.ROOT / "build/release/bin/park")
    parser.add_argument("--out", type=Path, default=figures.ROOT / "results", help="folder of the results")
    arguments = parser.parse_args()
    if arguments.pilot < 2:
        parser.error("--pilot: must be 2 or more; the spread is of several")
    arguments.policy = dict(one.split("=", 1) for one in arguments.policy)
    return arguments


def measure(arguments, folder, mix, executors):
    """Plays a case and writes its results. What makes them doubtful."""
    case = Case(arguments, folder, mix, executors)
    needed = case.run()
    doubts = applications.doubts(case.decided)
    figures.write(
        arguments.out / f"spark_policies_{mix}_{executors}.json",
        f"Policies on a real Spark: {case.title}", figures.command(), [],
        [f"{len(case.rows)} applications of each policy; the pilot's spread asks for {needed} to "
         f"tell {arguments.difference:.0%}; rank correlation (Spearman) with the simulation "
         f"{case.correlation():.2f}.",
         "Differences are of applications with the same arrivals, one after the other "
         "in random order, on executors that have run every query before.",
         "All policies are told the durations (--durations) of a workload that was recorded before: each "
         "job of the mix once, alone, in Spark's own order. The simulation is of the same workload.",
         *doubts], [case.table()], page=Path(__file__).resolve().parent.name)  # fmt: skip
    return [f"{case.title}: {line}" for line in doubts]


def main():
    arguments, doubts = read_arguments(), []
    with working_folder(arguments.folder, "park-spark-policies-") as folder:
        for mix in arguments.mixes.split(","):
            for executors in map(int, arguments.executors.split(",")):
                doubts += measure(arguments, folder, mix, executors)
    for line in doubts:
        print(line)


if __name__ == "__main__":
    main()
