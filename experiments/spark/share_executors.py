#!/usr/bin/env python3
"""Compares ways to share a standalone cluster's executors over applications, on this machine.

    experiments/spark/share_executors.py                                 writes results/spark_sharing.json
    experiments/spark/share_executors.py --blocks 1 --applications 3    for a look

Applications arrive one after another; each has one query whose tasks sleep, so that two cores are enough
for the executors. A block has all ways in random order, with the same applications. Spark's own ways: the
first application has all executors (standalone's default); each has at most half of them
(spark.cores.max); dynamic allocation. Park's: one agent that shares them by a policy (docs/spark.md). The
same applications are simulated, each as one job, with what an executor takes to come as moving_delay_s.
Wants an otherwise idle machine; builds nothing: needs build/release/bin/park and what scripts/spark.sh 4
tpch makes.
"""

import argparse
import json
import random
import statistics
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "scripts"))
import figures  # noqa: E402

sys.path.insert(0, str(figures.ROOT / "experiments/learning"))
sys.path.insert(0, str(figures.ROOT / "tests/systems/spark"))
import applications  # noqa: E402
import event_log  # noqa: E402
from cluster import Child, Cluster  # noqa: E402
from compare_policies import BUILD, LIMIT_S, LINE, wait_for  # noqa: E402
from intervals import mean_and_half  # noqa: E402

IDLE = "2s"
FIRST = "Spark: the first has all"
DYNAMIC = {
    "spark.dynamicAllocation.enabled": "true",
    "spark.dynamicAllocation.shuffleTracking.enabled": "true",
    "spark.dynamicAllocation.shuffleTracking.timeout": IDLE,
    "spark.dynamicAllocation.minExecutors": "0",
    "spark.dynamicAllocation.executorIdleTimeout": IDLE,
}  # fmt: skip
POLICIES = ("fair", "srpt_capped")
# Tasks, and what each sleeps: mostly short ones, some long ones.
SHORT, LONG = ((4, 2.0), (8, 2.0), (6, 4.0)), ((32, 4.0), (40, 4.0))


@dataclass(frozen=True)
class Job:
    """The query of an application."""
    at_s: float  # when its driver is started
    tasks: int
    task_s: float

    @property
    def query(self):
        return (f"select max(coalesce(slept, '')) is not null from (select reflect('java.lang.Thread', 'sleep', "
                f"{round(1000 * self.task_s)}L) as slept from range(0, {self.tasks}, 1, {self.tasks}))")  # fmt: skip


def drawn(draw, applications, gap_s):
    at, jobs = 0.0, []
    for _ in range(applications):
        tasks, task_s = draw.choice(LONG if draw.random() < 0.3 else SHORT)
        jobs.append(Job(round(at, 2), tasks, task_s))
        at += draw.expovariate(1 / gap_s)
    return jobs


def ways_of(executors):
    """Settings of the applications by way, and the agent's policy where there is one."""
    half = {"spark.cores.max": str(max(1, executors // 2))}
    own = {FIRST: ({}, None), "Spark: half for each": (half, None), "Spark: dynamic allocation": (DYNAMIC, None)}
    shared = {"spark.plugins": "park.spark.ParkPlugin", "spark.park.executors": "shared",
              "spark.park.executors.idle": IDLE}  # fmt: skip
    return own | {f"Park: {policy}": (shared, policy) for policy in POLICIES}


class Block:
    """Some applications under one way after the other."""

    def __init__(self, arguments, folder, number):
        self.arguments, self.folder = arguments, Path(folder) / f"block{number}"
        self.jobs = drawn(random.Random(number), arguments.applications, arguments.gap)
        self.decided = {}  # by the ways that have an agent: of each application
        self.folder.mkdir()
        for i, job in enumerate(self.jobs):
            (self.folder / f"{i}").mkdir()
            (self.folder / f"{i}/q1.sql").write_text(job.query + "\n")
        (self.folder / "arrivals.csv").write_text("time_s,job\n0,q1\n")

    def agent(self, policy, work):
        return Child("agent", [
            self.arguments.park, "spark", "attach", "--policy", policy, "--endpoint", "tcp://127.0.0.1:*",
            "--endpoint-file", work / "endpoint", "--share", self.arguments.executors,
        ], work, cwd=figures.ROOT)  # fmt: skip

    def play(self, cluster, way):
        """Completion time of each application's query, and what its first executor took to come."""
        conf, policy = ways_of(self.arguments.executors)[way]
        work = Path(tempfile.mkdtemp(dir=self.folder))
        agent = self.agent(policy, work) if policy else None
        if agent:
            wait_for(work / "endpoint", agent)
            conf = conf | {"spark.park.agent": str(work / "endpoint")}
        begin = time.monotonic()
        try:
            drivers = []
            for i, job in enumerate(self.jobs):
                time.sleep(max(0.0, begin + job.at_s - time.monotonic()))
                drivers.append(cluster.submit(
                    f"{work.name}-{i}", BUILD / f"park-spark-{LINE}.jar", "park.spark.Workload",
                    BUILD / "tpch/sf0.01", self.folder / f"{i}", self.folder / "arrivals.csv",
                    work / f"{i}.json", conf=conf | event_log.settings(work / f"events{i}")))  # fmt: skip
            for driver in drivers:
                if driver.wait(LIMIT_S) != 0:
                    raise SystemExit(driver.text()[-4000:])
        finally:
            if agent:
                agent.kill()
        if agent:
            self.decided[way] = [applications.decided(driver) for driver in drivers]
        return [self.took(work / f"{i}.json", next((work / f"events{i}").iterdir())) for i in range(len(self.jobs))]

    @staticmethod
    def took(result, log):
        (job,) = json.loads(result.read_text())["jobs"]
        events = [json.loads(line) for line in log.read_text().splitlines()]

        def first(kind, field):
            return min(e[field] for e in events if e["Event"].endswith(kind)) / 1e3

        waited = first("ExecutorAdded", "Timestamp") - first("JobStart", "Submission Time")
        return job["end_s"] - job["arrival_s"], waited

    def simulate(self, policy, moving_s):
        """Completion time of each application as a job of the simulator."""
        graphs = {"schema": "park.workload", "version": 1, "name": "applications", "jobs": [
            {"name": f"a{i}", "arrival_s": job.at_s, "stages": [
                {"id": "sleep", "tasks": job.tasks, "mean_s": job.task_s},
                {"id": "count", "parents": ["sleep"], "tasks": 1, "mean_s": 0.1}]}
            for i, job in enumerate(self.jobs)]}  # fmt: skip
        source = self.folder / "jobs.json"
        source.write_text(json.dumps(graphs))
        files = self.folder / "jobs.park", self.folder / "simulated.csv"
        subprocess.run([self.arguments.park, "data", "workload", "import", "dag", source, "--inflation", "none",
                        "--overwrite", "--out", files[0], "--arrivals", files[1], "--quiet"], check=True,
                       capture_output=True)  # fmt: skip
        env = (f'dag_scheduling(executors={self.arguments.executors},arrival=file,workload="{files[0]}",'
               f'arrivals="{files[1]}",moving_delay_s={moving_s:.3f},warmup_delay_s=0,inflation=none)')  # fmt: skip
        done = subprocess.run([self.arguments.park, "run", env, "--policy", policy, "--episodes", "1", "--json",
                               "--quiet"], cwd=figures.ROOT, check=True, capture_output=True, text=True)  # fmt: skip
        return json.loads(done.stdout)["results"][0]["metrics"]["avg_jct_s"]["mean"]


def interval(values):
    if len(values) < 2:
        return f"{values[0]:.3g}"
    return figures.plus_minus(*mean_and_half(values))


def table(blocks, found, moving_s):
    rows, means = [], {way: [statistics.fmean(t for t, _ in one) for one in some] for way, some in found.items()}
    for way, (_, policy) in ways_of(blocks[0].arguments.executors).items():
        simulated = [block.simulate(policy, moving_s) for block in blocks] if policy else []
        rows.append([way, interval(means[way]),
                     interval([a / b for a, b in zip(means[way], means[FIRST])]),
                     interval([max(t for t, _ in one) for one in found[way]]),
                     interval(simulated) if simulated else ""])  # fmt: skip
    return {"title": "", "rows": rows, "columns": [
        "way", "mean completion time (s)", f"over {FIRST}", "longest of a block (s)", "simulated (s)"]}  # fmt: skip


def read_arguments():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--blocks", type=int, default=3)
    parser.add_argument("--applications", type=int, default=4, help="of a block")
    parser.add_argument("--gap", type=float, default=20, help="seconds between their starts, on average")
    parser.add_argument("--executors", type=int, default=4)
    parser.add_argument("--park", type=Path, default=figures.ROOT / "build/release/bin/park")
    parser.add_argument("--out", default=figures.ROOT / "results/spark_sharing.json")
    return parser.parse_args()


def main():
    arguments = read_arguments()
    ways = list(ways_of(arguments.executors))
    found = {way: [] for way in ways}
    with tempfile.TemporaryDirectory(prefix="park-spark-") as folder:
        blocks = [Block(arguments, folder, i) for i in range(arguments.blocks)]
        cluster = Cluster(BUILD / f"spark-{LINE}", folder, workers=arguments.executors)
        try:
            for i, block in enumerate(blocks):
                for way in random.Random(f"order {i}").sample(ways, len(ways)):
                    found[way].append(block.play(cluster, way))
                    print(f"block {i + 1}, {way}: {[round(t, 1) for t, _ in found[way][-1]]}", flush=True)
        finally:
            cluster.close()
        waits = [wait for way in ways if way.startswith("Park") for one in found[way] for _, wait in one]
        moving_s = statistics.quantiles(waits, n=4)[0]  # of those that need not wait for another to go
        rows = table(blocks, found, moving_s)
    decided = {way: sum((block.decided[way] for block in blocks), []) for way in ways if way in blocks[0].decided}
    doubts = applications.doubts(decided)
    figures.write(
        arguments.out, "Executors shared over applications", figures.command(),
        [figures.figure("an application's wait for its first executor, Park", "s", waits)],
        [f"{arguments.executors} executors of one core; {arguments.blocks} blocks of {arguments.applications} "
         f"applications, one every {arguments.gap:g} s on average; tasks sleep. Completion times are from the query to "
         "its result; intervals of 95 %, Student's t over blocks; ratios of the same block. Simulated: each application "
         f"one job, moving_delay_s={moving_s:.1f}, the quartile of the waits for a first executor. Workers of one core "
         "leave nothing to spark.deploy.spreadOut: spread out and packed are the same",
         applications.shares(decided), *doubts],
        [rows], page=Path(__file__).resolve().parent.name)  # fmt: skip
    for line in doubts:
        print(line)


if __name__ == "__main__":
    main()
