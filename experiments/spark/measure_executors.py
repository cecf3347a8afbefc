#!/usr/bin/env python3
"""Measures what executors that come and go save: executor-seconds and completion times.

    experiments/spark/measure_executors.py                  writes results/spark_executors.json
    experiments/spark/measure_executors.py --repetitions 1 --queries 6,12    for a look

Queries come with pauses. Three ways: executors that stay; Spark's dynamic allocation; executors as the
policy's limits say (spark.park.executors=policy). All are under the same policy. An executor counts from when
its Worker launches it, since it has the core from then on, until its process is gone or the application ends.
Wants an otherwise idle machine; builds nothing: needs build/release/bin/park and what
scripts/spark.sh 4 tpch=SCALE makes.
"""

import argparse
import datetime
import json
import random
import re
import statistics
import sys
import tempfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "scripts"))
import figures  # noqa: E402

sys.path.insert(0, str(figures.ROOT / "tests/systems/spark"))
import applications  # noqa: E402
import event_log  # noqa: E402
from cluster import Child, Cluster  # noqa: E402
from compare_policies import BUILD, LIMIT_S, LINE, wait_for  # noqa: E402

EXECUTORS, IDLE = 4, "5s"
# Lines of a Worker's log: when it launches an executor, and when the process is gone.
EXECUTOR = re.compile(r"(?m)^(\S+) INFO Worker: (?:(Asked to launch) executor|Executor) (\S+/\d+) (?:for|finished)\b")
DAY_S = 24 * 3600
WAYS = {
    "stay": {},
    "Spark's dynamic allocation": {
        "spark.dynamicAllocation.enabled": "true",
        "spark.dynamicAllocation.shuffleTracking.enabled": "true",
        "spark.dynamicAllocation.shuffleTracking.timeout": IDLE,
        "spark.dynamicAllocation.minExecutors": "1",
        "spark.dynamicAllocation.maxExecutors": str(EXECUTORS),
        "spark.dynamicAllocation.executorIdleTimeout": IDLE,
    },
    "the policy's limits": {
        "spark.park.executors": "policy", "spark.park.executors.idle": IDLE,
        "spark.dynamicAllocation.maxExecutors": str(EXECUTORS),
    },
}  # fmt: skip


def executor_seconds(log, workers):
    """From the Workers' logs, which have the time of day, and the event log, which has the application's end."""
    application, end_s = None, None
    for line in log.read_text().splitlines():
        event = json.loads(line)
        kind = event["Event"].rpartition(".")[2]
        if kind == "SparkListenerApplicationStart":
            application = event["App ID"]
        elif kind == "SparkListenerApplicationEnd":
            end_s = seconds_of_day(datetime.datetime.fromtimestamp(event["Timestamp"] / 1e3).time())
    begun, ended = {}, {}
    for time, launched, name in EXECUTOR.findall(workers):
        # Less than half a day from the end of the application, where it is midnight in between too.
        before_s = (end_s - seconds_of_day(datetime.time.fromisoformat(time)) + DAY_S / 2) % DAY_S - DAY_S / 2
        if name.startswith(f"{application}/"):
            (begun if launched else ended)[name] = before_s
    return sum(before_s - max(0.0, ended.get(name, 0.0)) for name, before_s in begun.items())


def seconds_of_day(time):
    return time.hour * 3600 + time.minute * 60 + time.second + time.microsecond / 1e6


def application(cluster, folder, arguments, way, rows):
    work = Path(tempfile.mkdtemp(dir=folder))
    arrivals = work / "arrivals.csv"
    arrivals.write_text("\n".join(["time_s,job", *(f"{t},q{q}" for t, q in rows)]) + "\n")
    agent = Child("agent", [arguments.park, "spark", "attach", "--policy", arguments.policy,
                            "--endpoint", "tcp://127.0.0.1:*", "--endpoint-file",
                            work / "endpoint"], work)  # fmt: skip
    wait_for(work / "endpoint", agent)
    conf = {"spark.plugins": "park.spark.ParkPlugin", "spark.park.agent": str(work / "endpoint")}
    driver = cluster.submit(
        work.name, BUILD / f"park-spark-{LINE}.jar", "park.spark.Workload",
        BUILD / f"tpch/sf{arguments.scale}", BUILD / "tpch/queries", arrivals, work / "jobs.json",
        conf=conf | WAYS[way] | event_log.settings(work / "events"))  # fmt: skip
    try:
        if driver.wait(LIMIT_S) != 0:
            raise SystemExit(driver.text()[-4000:])
    finally:
        agent.kill()
    jobs = json.loads((work / "jobs.json").read_text())["jobs"]
    jct_s = statistics.fmean(job["end_s"] - job["arrival_s"] for job in jobs)
    workers = "".join(worker.text() for worker in cluster.workers)
    used_s = executor_seconds(next((work / "events").iterdir()), workers)
    return used_s, jct_s, applications.decided(driver)


def read_arguments():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--repetitions", type=int, default=5)
    parser.add_argument("--queries", default=",".join(str(q) for q in range(1, 23)))
    parser.add_argument("--pause", type=float, default=15, help="seconds between arrivals, on average")
    parser.add_argument("--policy", default="fair")
    parser.add_argument("--scale", default="0.1", help="of the data of TPC-H")
    parser.add_argument("--park", default=figures.ROOT / "build/release/bin/park")
    parser.add_argument("--out", default=figures.ROOT / "results/spark_executors.json")
    return parser.parse_args()


def play_all(arguments):
    """Executor-seconds, mean completion time and who decided, of each repetition, by way."""
    runs, draw = {way: [] for way in WAYS}, random.Random(1)
    with tempfile.TemporaryDirectory(prefix="park-spark-") as folder:
        cluster = Cluster(BUILD / f"spark-{LINE}", folder, workers=EXECUTORS,
                          options=["-XX:+UseSerialGC"])  # fmt: skip
        try:
            for i in range(arguments.repetitions):
                at, rows = 0.0, []
                for query in draw.sample(queries := arguments.queries.split(","), len(queries)):
                    rows.append((round(at, 3), query))
                    at += draw.expovariate(1 / arguments.pause)
                for way in draw.sample(list(WAYS), len(WAYS)):
                    print(f"repetition {i + 1}, {way}", flush=True)
                    runs[way].append(application(cluster, folder, arguments, way, rows))
        finally:
            cluster.close()
    return runs


def found_of(runs):
    """The figures of all runs."""
    found = []
    for way, some in runs.items():
        for k, (name, unit) in enumerate((("executor-seconds", "s"), ("mean completion time", "s"))):
            found.append(figures.figure(f"{name}, {way}", unit, [one[k] for one in some]))
        if way != "stay":
            saved = [1 - a[0] / b[0] for a, b in zip(some, runs["stay"])]
            slower = [a[1] / b[1] for a, b in zip(some, runs["stay"])]
            found.append(figures.figure(f"executor-seconds saved, {way}", "1", saved,
                                        "of executors that stay, same arrivals"))
            found.append(figures.figure(f"mean completion time over staying, {way}", "1", slower))
    return found


def main():
    arguments = read_arguments()
    runs = play_all(arguments)
    decided = {way: [one[2] for one in some] for way, some in runs.items()}
    doubts = applications.doubts(decided)
    figures.write(arguments.out, "Executors that come and go", figures.command(), found_of(runs),
                  [f"{EXECUTORS} one-core executors at most; the policy {arguments.policy}; queries "
                   f"come every {arguments.pause:g} s on average; an executor goes after {IDLE} without "
                   "a task. Executor-seconds are from the launch by the Worker to the end of the process.",
                   applications.shares(decided), *doubts],
                  page=Path(__file__).resolve().parent.name)  # fmt: skip
    for line in doubts:
        print(line)


if __name__ == "__main__":
    main()
