#!/usr/bin/env python3
"""Compares policies on a real Spark cluster of this machine with the simulation of the same jobs.

    scripts/sim_to_real.py                     writes results/sim_to_real.json
    scripts/sim_to_real.py --repetitions 2 --jobs 10    smaller, for a look

It measures each query alone, with all executors and with one, on warm ones; makes a workload of
the event logs; runs a sequence of arrivals on the cluster under each policy; and simulates the same
arrivals with that workload. Wants an otherwise idle machine. Builds nothing: needs
build/release/bin/park and what scripts/spark.sh 4 tpch makes.
"""

import argparse
import json
import random
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path

import figures

sys.path.insert(0, str(figures.ROOT / "tests/spark"))
from cluster import Cluster  # noqa: E402

BUILD = figures.ROOT / "build/spark"
QUERIES = range(1, 23)
EXECUTORS = 2
POLICIES = ("fifo", "fair", "weighted_fair", "srpt_capped",
            "data/checkpoints/dag_scheduling-batch-bundled")
WARM_UP = "warmup"  # what bridge/spark calls jobs before the first arrival
T_95 = {2: 12.706, 3: 4.303, 4: 3.182, 5: 2.776, 6: 2.571, 7: 2.447, 8: 2.365, 9: 2.306, 10: 2.262}


def park(binary, *words):
    command = [str(word) for word in (binary, *words)]
    done = subprocess.run(command, cwd=figures.ROOT, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        raise SystemExit(f"{' '.join(command)}\n{done.stderr}")
    return json.loads(done.stdout)


def write_arrivals(path, rows):
    path.write_text("\n".join(["time_s,job", *(f"{t},q{q}" for t, q in rows)]) + "\n")
    return path


def warm_up():
    """Each query twice: code of its own is compiled by then."""
    return [(-1, q) for q in QUERIES] * 2


def profile(folder, binary, repetitions, draw):
    """The workload that this machine's executors give, alone with each query."""
    logs = []
    cluster = Cluster(BUILD / "spark-4", folder, workers=EXECUTORS, options=["-XX:+UseSerialGC"])
    try:
        for executors in range(1, EXECUTORS + 1):
            for repetition in range(repetitions):
                name = f"profile-{executors}-{repetition}"
                print(name, flush=True)
                arrivals = write_arrivals(folder / f"{name}.csv", warm_up() + [
                    ("after", q) for q in draw.sample(QUERIES, len(QUERIES))])
                events = folder / name
                events.mkdir()
                driver = cluster.submit(
                    name, BUILD / "park-spark-4.jar", "park.spark.Workload",
                    BUILD / "tpch/sf0.01", BUILD / "tpch/queries", arrivals,
                    folder / f"{name}.json", conf={
                        "spark.cores.max": str(executors), "spark.eventLog.enabled": "true",
                        "spark.eventLog.dir": f"file:{events}",
                        "spark.eventLog.rolling.enabled": "false",
                        "spark.eventLog.compress": "false"})  # fmt: skip
                if driver.wait(7200) != 0:
                    raise SystemExit(driver.text()[-4000:])
                logs += [str(path) for path in events.iterdir()]
    finally:
        cluster.close()
    out = folder / "profile.park"
    park(binary, "workload", "import-spark", *logs, "--exclude", WARM_UP, "--out", out, "--json")
    return out


def completion_times(log):
    """What each query of an application took, by its event log; without those that warm up."""
    job_of, begins, took = {}, {}, []
    for line in Path(log).read_text().splitlines():
        event = json.loads(line)
        kind = event["Event"].rpartition(".")[2]
        if kind == "SparkListenerSQLExecutionStart":
            begins[event["executionId"]] = event["time"]
        elif kind == "SparkListenerJobStart":
            properties = event["Properties"]
            root = properties.get("spark.sql.execution.root.id")
            if root is not None:
                job_of[int(root)] = properties["park.job"]
        elif kind == "SparkListenerSQLExecutionEnd" and event["executionId"] in job_of:
            if job_of[event["executionId"]] != WARM_UP:
                took.append((event["time"] - begins[event["executionId"]]) / 1e3)
    return took


def measure(folder, binary, arrivals, repetitions):
    """Mean completion times of each policy, by repetition, on the cluster."""
    real = {}
    for policy in POLICIES:
        print(policy, flush=True)
        logs = folder / f"logs-{len(real)}"
        park(binary, "spark", "run", "--policy", policy, "--workload", arrivals, "--episodes",
             repetitions, "--workers", EXECUTORS, "--spark", BUILD / "spark-4", "--plugin",
             BUILD / "park-spark-4.jar", "--data", BUILD / "tpch/sf0.01", "--queries",
             BUILD / "tpch/queries", "--event-logs", logs, "--json")  # fmt: skip
        real[policy] = [statistics.fmean(completion_times(log))
                        for log in sorted(logs.glob("1/*/*"))]  # fmt: skip
    return real


def simulate(binary, arrivals, workload):
    """Mean completion time of each policy in the simulation."""
    env = (f'dag_scheduling(executors={EXECUTORS},arrival=file,arrivals="{arrivals}",'
           f'workload="{workload}",moving_delay_s=0)')  # fmt: skip
    results = park(binary, "run", env, "--policy", ",".join(POLICIES), "--episodes", 50, "--json")
    return [one["metrics"]["avg_jct_s"]["mean"] for one in results["results"]]


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


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--repetitions", type=int, default=5)
    parser.add_argument("--jobs", type=int, default=40)
    parser.add_argument("--interval-s", type=float, default=1.5, help="mean time between arrivals")
    parser.add_argument("--park", default=figures.ROOT / "build/release/bin/park")
    parser.add_argument("--out", default=figures.ROOT / "results/sim_to_real.json")
    arguments = parser.parse_args()
    draw = random.Random(1)
    times = [0.0]
    while len(times) < arguments.jobs:
        times.append(round(times[-1] + draw.expovariate(1 / arguments.interval_s), 3))
    rows = [(time, draw.choice(QUERIES)) for time in times]
    with tempfile.TemporaryDirectory(prefix="park-sim-to-real-") as name:
        folder = Path(name)
        workload = profile(folder, arguments.park, arguments.repetitions, draw)
        real = measure(folder, arguments.park,
                       write_arrivals(folder / "real.csv", warm_up() + rows),
                       arguments.repetitions)  # fmt: skip
        simulated = simulate(arguments.park, write_arrivals(folder / "sim.csv", rows), workload)
    means = [statistics.fmean(values) for values in real.values()]
    table = {"title": "", "columns": ["policy", "real (s)", "95 % interval", "simulated (s)",
                                      "error (%)"], "rows": []}
    for (policy, values), mean, sim in zip(real.items(), means, simulated):
        half = half_width(values)
        table["rows"].append([
            policy.rpartition("/")[2], f"{mean:.2f}", f"[{mean - half:.2f}, {mean + half:.2f}]",
            f"{sim:.2f}", f"{100 * (sim / mean - 1):+.1f}"])
    notes = [f"{arguments.jobs} TPC-H queries at scale 0.01, Poisson arrivals, one every "
             f"{arguments.interval_s} s on average, on {EXECUTORS} Workers with a one-core executor "
             f"each; {arguments.repetitions} applications of each policy on warm executors.",
             "Executors, driver and agent share the cores in the profile as in the runs; there are "
             "no more executors than cores.",
             f"Rank correlation (Spearman) of the means: {correlation(means, simulated):.2f}."]
    figures.write(arguments.out, "A real cluster and its simulation", "scripts/sim_to_real.py", [],
                  notes, [table])


if __name__ == "__main__":
    main()
