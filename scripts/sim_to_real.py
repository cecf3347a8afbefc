#!/usr/bin/env python3
"""Compares policies on a real Spark cluster of this machine with the simulation of the same jobs.

    scripts/sim_to_real.py                     writes results/sim_to_real.json
    scripts/sim_to_real.py --repetitions 1 --jobs 6 --queries 6,12 --scale 0.01    for a look

It measures each query alone, with one executor and with all, on warm ones; makes a workload of the
event logs; runs a sequence of arrivals on the cluster under each policy; and simulates the same
arrivals with that workload. Two experiments change one cause of the error each: simulations without
the driver's time, and with durations that were measured in the very runs, where the jobs share the
cores. Wants an otherwise idle machine. Builds nothing: needs build/release/bin/park and what
scripts/spark.sh 4 tpch=SCALE makes.
"""

import argparse
import json
import random
import statistics
import subprocess
import sys
import tempfile
from collections import defaultdict
from dataclasses import dataclass
from pathlib import Path

import figures

sys.path.insert(0, str(figures.ROOT / "tests/spark"))
from event_log import EventLog  # noqa: E402

BUILD = figures.ROOT / "build/spark"
EXECUTORS = 2  # no more than this machine has cores
POLICIES = ("fifo", "fair", "weighted_fair", "srpt_capped",
            "data/checkpoints/dag_scheduling-batch-bundled")
WARM_UP = "warmup"  # the name of jobs before the first arrival
EPISODES = 50  # of each simulation
T_95 = {2: 12.706, 3: 4.303, 4: 3.182, 5: 2.776, 6: 2.571, 7: 2.447, 8: 2.365, 9: 2.306, 10: 2.262}
# The whole graph of a query is there when it comes, as in the simulator.
PROPERTIES = """spark.sql.adaptive.enabled false
spark.sql.autoBroadcastJoinThreshold -1
spark.sql.shuffle.partitions 8
spark.sql.files.maxPartitionBytes 4m
spark.sql.files.openCostInBytes 0
spark.executor.extraJavaOptions -XX:+UseSerialGC
"""


class Lab:
    """Runs `park`, with files in a folder."""

    def __init__(self, arguments, folder):
        self.binary, self.folder = Path(arguments.park).resolve(), folder
        self.data = BUILD / f"tpch/sf{arguments.scale}"
        self.properties = folder / "spark.conf"
        self.properties.write_text(PROPERTIES)

    def park(self, *words):
        command = [str(word) for word in (self.binary, *words, "--json")]
        done = subprocess.run(command, cwd=figures.ROOT, capture_output=True, text=True,
                              check=False)  # fmt: skip
        if done.returncode != 0:
            raise SystemExit(f"{' '.join(command)}\n{done.stderr}")
        return json.loads(done.stdout)

    def arrivals(self, name, rows):
        path = self.folder / f"{name}.csv"
        path.write_text("\n".join(["time_s,job", *(f"{t},{job}" for t, job in rows)]) + "\n")
        return path

    def run_spark(self, name, policy, rows, executors, episodes):
        """Plays arrivals on a cluster; the result of the policy and the event logs."""
        print(name, flush=True)
        logs = self.folder / f"{name}.events"
        results = self.park(
            "spark", "run", "--policy", policy, "--workload", self.arrivals(name, rows),
            "--episodes", episodes, "--workers", executors, "--spark", BUILD / "spark-4",
            "--plugin", BUILD / "park-spark-4.jar", "--data", self.data, "--queries",
            BUILD / "tpch/queries", "--properties", self.properties, "--event-logs", logs)
        return results["results"][0], sorted(p for p in logs.glob("1/*/*") if p.name[0] != ".")

    def workload_of(self, name, logs):
        out = self.folder / f"{name}.park"
        self.park("workload", "import-spark", *logs, "--exclude", WARM_UP, "--name", name, "--out",
                  out)  # fmt: skip
        return out

    def simulate(self, name, rows, workload):
        """Mean completion time by policy."""
        env = (f'dag_scheduling(executors={EXECUTORS},arrival=file,workload="{workload}",'
               f'arrivals="{self.arrivals(name, rows)}",moving_delay_s=0)')  # fmt: skip
        results = self.park("run", env, "--policy", ",".join(POLICIES), "--episodes", EPISODES)
        return [one["metrics"]["avg_jct_s"]["mean"] for one in results["results"]]


@dataclass
class Profile:
    """What each query is when it has the cluster to itself."""
    workload: Path
    work_s: dict  # of its tasks
    driver_s: dict  # while it is in the system and none of its tasks runs


def profile(lab, warm_up, queries, repetitions, draw):
    logs = []
    for executors in range(1, EXECUTORS + 1):
        rows = warm_up + [("after", q) for q in draw.sample(queries, len(queries))]
        _, logs_here = lab.run_spark(f"alone-{executors}", "fifo", rows, executors, repetitions)
        logs += logs_here
    work_s, driver_s = defaultdict(list), defaultdict(list)
    for query in (q for log in logs_here for q in EventLog(log).queries if q.job != WARM_UP):
        work_s[query.job].append(query.work_s)
        driver_s[query.job].append(query.driver_s)
    def mean(of):
        return {job: statistics.fmean(values) for job, values in of.items()}
    return Profile(lab.workload_of("alone", logs), mean(work_s), mean(driver_s))


def poisson(alone, queries, jobs, load, draw):
    """Arrivals that keep the executors busy for that part of the time."""
    interval_s = statistics.fmean(alone.work_s.values()) / (EXECUTORS * load)
    times = [0.0]
    while len(times) < jobs:
        times.append(round(times[-1] + draw.expovariate(1 / interval_s), 3))
    return [(time, draw.choice(queries)) for time in times], interval_s


def simulations(lab, rows, alone, real_logs):
    """Mean completion times of each policy, by what is simulated."""
    driver_s = statistics.fmean(alone.driver_s[job] for _, job in rows)
    # A query comes to the executors when the driver has done its part.
    late = [(round(time + alone.driver_s[job], 3), job) for time, job in rows]
    late.sort(key=lambda row: row[0])
    shared = lab.workload_of("shared", real_logs)
    return {
        "simulated": [driver_s + s for s in lab.simulate("late", late, alone.workload)],
        "without the driver's time": lab.simulate("plain", rows, alone.workload),
        "durations of these runs": [driver_s + s for s in lab.simulate("late", late, shared)],
    }


def ranks(values):
    order = sorted(values)
    return [order.index(value) for value in values]


def correlation(a, b):
    """Spearman's, of ranks without ties."""
    n = len(a)
    return 1 - 6 * sum((x - y) ** 2 for x, y in zip(ranks(a), ranks(b))) / (n * (n * n - 1))


def half_width(values):
    """Of the 95 % interval of the mean."""
    n = len(values)
    return T_95.get(n, 2.2) * statistics.stdev(values) / n**0.5 if n > 1 else float("nan")


def table_of(real, simulated):
    table = {"title": "", "columns": ["policy", "real (s)", "95 % interval"], "rows": []}
    for name in simulated:
        table["columns"] += [f"{name} (s)", "error (%)"]
    for i, (policy, values) in enumerate(real.items()):
        mean, half = statistics.fmean(values), half_width(values)
        row = [policy.rpartition("/")[2], f"{mean:.2f}", f"[{mean - half:.2f}, {mean + half:.2f}]"]
        for values in simulated.values():
            row += [f"{values[i]:.2f}", f"{100 * (values[i] / mean - 1):+.1f}"]
        table["rows"].append(row)
    return table


def summary(real, simulated):
    """A line for each kind of simulation."""
    means = [statistics.fmean(values) for values in real.values()]
    for name, values in simulated.items():
        error = statistics.fmean(abs(s / r - 1) for s, r in zip(values, means))
        yield (f"{name}: mean error {100 * error:.1f} %, rank correlation (Spearman) of the "
               f"policies {correlation(means, values):.2f}.")


def read_arguments():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--repetitions", type=int, default=4, help="applications of each policy")
    parser.add_argument("--jobs", type=int, default=40)
    parser.add_argument("--load", type=float, default=0.8, help="part of the time that tasks run")
    parser.add_argument("--queries", default=",".join(str(q) for q in range(1, 23)))
    parser.add_argument("--warm-ups", type=int, default=1, help="times that all queries run before")
    parser.add_argument("--scale", default="0.1", help="of the data of TPC-H")
    parser.add_argument("--park", default=figures.ROOT / "build/release/bin/park")
    parser.add_argument("--out", default=figures.ROOT / "results/sim_to_real.json")
    return parser.parse_args()


def main():
    arguments = read_arguments()
    draw = random.Random(1)
    queries = [f"q{q}" for q in arguments.queries.split(",")]
    warm_up = [(-1, q) for q in queries] * arguments.warm_ups
    with tempfile.TemporaryDirectory(prefix="park-sim-to-real-") as name:
        lab = Lab(arguments, Path(name))
        alone = profile(lab, warm_up, queries, arguments.repetitions, draw)
        rows, interval_s = poisson(alone, queries, arguments.jobs, arguments.load, draw)
        real, logs = {}, []
        for i, policy in enumerate(POLICIES):
            result, some = lab.run_spark(f"real-{i}", policy, warm_up + rows, EXECUTORS,
                                         arguments.repetitions)  # fmt: skip
            real[policy] = result["per_episode"]["avg_jct_s"]
            logs += some
        simulated = simulations(lab, rows, alone, logs)
    driver_s = statistics.fmean(alone.driver_s[job] for _, job in rows)
    notes = [f"{arguments.jobs} arrivals of {len(queries)} queries of TPC-H at scale {arguments.scale}, "
             f"Poisson arrivals, one every {interval_s:.2f} s on average, which is a load of "
             f"{arguments.load}, on {EXECUTORS} Workers with a one-core executor each; "
             f"{arguments.repetitions} applications of each policy on warm executors.",
             "Times are from a query's beginning to its end by Spark's own events.",
             "Executors, driver and agent share the cores in the profile as in the runs; there are "
             "no more executors than cores.",
             "simulated: durations of each query alone on this cluster; a query comes to the "
             "executors when the driver has done its part, which is measured alone, too: "
             f"{driver_s:.2f} s on average.",
             "The other columns change one cause each: without the driver's time; with durations "
             "that were measured in these runs, where queries and their drivers share the cores.",
             *summary(real, simulated)]  # fmt: skip
    figures.write(arguments.out, "A real cluster and its simulation", "scripts/sim_to_real.py", [],
                  notes, [table_of(real, simulated)])  # fmt: skip


if __name__ == "__main__":
    main()
