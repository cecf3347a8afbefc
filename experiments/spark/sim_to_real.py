#!/usr/bin/env python3
"""Compares policies on a real Spark cluster of this machine with the simulation of the same jobs.

    experiments/spark/sim_to_real.py                     writes results/sim_to_real.json
    experiments/spark/sim_to_real.py --repetitions 1 --batch 4 --queries 6,12 --scales 0.01    for a look

It records a workload from the event logs of applications that run other jobs side by side; trains
a policy on it; runs a batch of jobs, queries of TPC-H on data of several sizes, on the cluster under
each policy; and simulates the same batch with that workload. Experiments change causes of the
error: simulations without the driver's time, and with a workload of queries that had the cluster to
themselves; and a cluster whose policies are not told the workload's durations and whose slots do
not wait for the next stage of their job, which the simulator has at once. Wants an otherwise idle
machine for two hours; with --folder it can be stopped and goes on there. Applications whose settings, files
of a policy, plugin, park or durations have changed since are run again. Builds nothing: needs
build/release/bin/park and what scripts/spark.sh 4 tpch=SCALE makes.
"""

import argparse
import itertools
import json
import math
import random
import re
import shutil
import statistics
import subprocess
import sys
from collections import defaultdict
from dataclasses import dataclass
from pathlib import Path

sys.path[:0] = [str(Path(__file__).resolve().parents[1]), str(Path(__file__).resolve().parents[1] / "learning")]
from intervals import student_quantile  # noqa: E402
from park_runs import figures, working_folder  # noqa: E402

sys.path.insert(0, str(figures.ROOT / "tests/systems/spark"))
import applications  # noqa: E402
from event_log import EventLog  # noqa: E402

BUILD = figures.ROOT / "build/spark"
EXECUTORS = 2  # no more than this machine has cores
HEURISTICS = ("fifo", "fair", "weighted_fair", "srpt_capped")
RECORDED = "fair"  # the policy of applications that a workload is made of
WARM_UP = "warmup"  # the name of jobs before the first arrival
EPISODES = 50  # of each simulation
ITERATIONS = 300  # of the training
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
        self.policies = {name: name for name in HEURISTICS}
        self.warm_up = [(-1, job) for job in arguments.warm_up]

    def park(self, *words):
        return self.park_and_warnings(*words)[0]

    def park_and_warnings(self, *words):
        command = [str(word) for word in (self.binary, *words, "--json")]
        done = subprocess.run(command, cwd=figures.ROOT, capture_output=True, text=True,
                              check=False)  # fmt: skip
        if done.returncode != 0:
            raise SystemExit(f"{' '.join(command)}\n{done.stderr}")
        return json.loads(done.stdout), done.stderr

    def arrivals(self, name, rows):
        path = self.folder / f"{name}.csv"
        path.write_text("\n".join(["time_s,job", *(f"{t},{job}" for t, job in rows)]) + "\n")
        return path

    def run_spark(self, name, policy, rows, durations=None, more_properties=""):
        """Plays arrivals on a cluster: what came out, and the event log. What a folder has of an
        earlier start is taken from there, where all that it depends on was the same."""
        properties, plugin = self.folder / f"{name}.conf", BUILD / "park-spark-4.jar"
        properties.write_text(PROPERTIES + more_properties)
        arrivals = self.arrivals(name, self.warm_up + rows)
        command = [
            "spark", "run", "--policy", policy, "--workload", arrivals, "--workers", EXECUTORS,
            "--spark", BUILD / "spark-4", "--plugin", plugin, "--data",
            BUILD / "tpch", "--queries", BUILD / "tpch/queries", "--properties", properties]
        if durations:
            command += ["--durations", durations]
        asked = [*map(str, command), arrivals.read_text(), properties.read_text(),
                 applications.circumstances(plugin, self.binary, policy, durations)]  # fmt: skip
        done, logs = self.folder / f"{name}.json", self.folder / f"{name}.events"
        if not done.exists() or json.loads(done.read_text())["asked"] != asked:
            print(name, flush=True)
            shutil.rmtree(logs, ignore_errors=True)
            found, warnings = self.park_and_warnings(*command, "--event-logs", logs)
            result = found["results"][0]
            result["decided"] = decided(result["decisions"], warnings)
            done.write_text(json.dumps({"asked": asked, "result": result}))
        log = next(p for p in logs.glob("1/*/*") if p.name[0] != ".")
        return json.loads(done.read_text())["result"], log

    def profile(self, name, logs):
        """The workload of the queries, and how long each was in the driver's hands."""
        workload = self.folder / f"{name}.park"
        self.park("workload", "import-spark", *logs, "--exclude", WARM_UP, "--name", name, "--out",
                  workload, "--overwrite")  # fmt: skip
        queries = [q for log in logs for q in EventLog(log).queries if q.job != WARM_UP]
        return Profile(workload, mean_by_job(queries, "work_s"), mean_by_job(queries, "driver_s"))

    def simulate(self, name, rows, workload):
        """Mean completion time by policy."""
        env = self.simulator(workload, f'arrival=file,arrivals="{self.arrivals(name, rows)}"')
        results = self.park("run", env, "--policy", ",".join(map(str, self.policies.values())),
                            "--episodes", EPISODES)  # fmt: skip
        return [one["metrics"]["avg_jct_s"]["mean"] for one in results["results"]]

    @staticmethod
    def simulator(workload, jobs):
        return f'dag_scheduling(executors={EXECUTORS},workload="{workload}",moving_delay_s=0,{jobs})'

    def train(self, workload, jobs):
        """A policy, on batches of so many jobs. What a folder has of an earlier start with the same
        workload and park is taken."""
        out = self.folder / "trained"
        asked = (f"{ITERATIONS} iterations of {jobs} jobs of {applications.digest([workload])} by "
                 f"{applications.digest_of_park(self.binary)}\n")  # fmt: skip
        if not (out / "done").exists() or (out / "done").read_text() != asked:
            shutil.rmtree(out, ignore_errors=True)
            print(f"trained, {ITERATIONS} iterations", flush=True)
            self.park("train", self.simulator(workload, f"jobs={jobs}"), "--algo", "ppo",
                      "--iterations", ITERATIONS, "--out", out)  # fmt: skip
            (out / "done").write_text(asked)
        self.policies["trained"] = out


@dataclass
class Profile:
    """What each query is."""
    workload: Path
    work_s: dict  # of its tasks
    driver_s: dict  # while it is in the system and has no stage to run


def decided(decisions, warnings):
    """Offers that the policy decided, at least, and those that Spark's own order did. `park spark run` tells the
    latter alone, as a warning; a decision fills a slot, and an offer has no more slots than there are executors."""
    found = re.search(r"(\d+) offers went by Spark's own order", warnings)
    return math.ceil(decisions / EXECUTORS), int(found[1]) if found else 0


def mean_by_job(queries, field):
    values = defaultdict(list)
    for query in queries:
        values[query.job].append(getattr(query, field))
    return {job: statistics.fmean(some) for job, some in values.items()}


def on_the_cluster(lab, name, rows, repetitions, draw, *how):
    """Mean completion times of each policy, of each repetition, and who decided; policies in random order."""
    real, by_whom = {policy: [] for policy in lab.policies}, {policy: [] for policy in lab.policies}
    for i in range(repetitions):
        for policy in draw.sample(list(real), len(real)):
            result, _ = lab.run_spark(f"{name}-{policy}-{i}", lab.policies[policy], rows, *how)
            real[policy] += result["per_episode"]["avg_jct_s"]
            by_whom[policy].append(result["decided"])
    return real, by_whom


def simulated_on_top(lab, rows, profile):
    """Mean completion times where a query comes to the executors when the driver has done its part."""
    late = sorted(((round(time + profile.driver_s[job], 3), job) for time, job in rows),
                  key=lambda row: row[0])  # fmt: skip
    driver_s = mean_by(rows, profile.driver_s)
    return [driver_s + s for s in lab.simulate("late", late, profile.workload)]


def mean_by(rows, value_of):
    return statistics.fmean(value_of[job] for _, job in rows)


def ranks(values):
    """The mean rank of equal ones."""
    order = sorted(values)
    return [order.index(value) + (order.count(value) - 1) / 2 for value in values]


def correlation(a, b):
    """Spearman's."""
    return statistics.correlation(ranks(a), ranks(b))


def half_width(values):
    """Of the 95 % interval of the mean."""
    n = len(values)
    return student_quantile(0.975, n - 1) * statistics.stdev(values) / n**0.5 if n > 1 else float("nan")


def table_of(title, real, simulated):
    table = {"title": title, "columns": ["policy", "real (s)", "95 % interval"], "rows": []}
    for name in simulated:
        table["columns"] += [f"{name} (s)", "error (%)"]
    for i, (policy, values) in enumerate(real.items()):
        mean, half = statistics.fmean(values), half_width(values)
        row = [policy, f"{mean:.2f}", f"[{mean - half:.2f}, {mean + half:.2f}]"]
        for values in simulated.values():
            row += [f"{values[i]:.2f}", f"{100 * (values[i] / mean - 1):+.1f}"]
        table["rows"].append(row)
    return table


def pairs_told_apart(real, values):
    """Pairs of policies whose paired difference on the cluster is not 0, with 95 % confidence, and
    those of them that a simulation has in the same order."""
    apart = right = 0
    for i, j in itertools.combinations(range(len(values)), 2):
        some = [a - b for a, b in zip(*(list(real.values())[k] for k in (i, j)))]
        mean = statistics.fmean(some)
        if abs(mean) > half_width(some):
            apart += 1
            right += (mean > 0) == (values[i] > values[j])
    return apart, right


def summary(case, real, simulated):
    """A line for each kind of simulation."""
    means = [statistics.fmean(values) for values in real.values()]
    for name, values in simulated.items():
        error = statistics.fmean(abs(s / r - 1) for s, r in zip(values, means))
        apart, right = pairs_told_apart(real, values)
        yield (f"{case}{name}: mean error {100 * error:.1f} %, rank correlation (Spearman) of "
               f"the policies {correlation(means, values):.2f}; of {apart} pairs of policies that "
               f"differ on the cluster with 95 % confidence {right} are in the same order.")


def read_arguments():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--repetitions", type=int, default=3, help="applications of each policy")
    parser.add_argument("--batch", type=int, default=16, help="jobs that come at once")
    parser.add_argument("--queries", default=",".join(str(q) for q in range(1, 23)))
    parser.add_argument("--scales", default="0.1,1", help="of the data of TPC-H")
    parser.add_argument("--folder", type=Path, help="keeps runs here and goes on with them")
    parser.add_argument("--park", default=figures.ROOT / "build/release/bin/park")
    parser.add_argument("--out", default=figures.ROOT / "results/sim_to_real.json")
    parser.add_argument("--note", action="append", default=[], help="what else is to be said of the run")
    arguments = parser.parse_args()
    arguments.queries, arguments.scales = arguments.queries.split(","), arguments.scales.split(",")
    arguments.jobs = [f"{s}g:{q}" for s in arguments.scales for q in arguments.queries]
    arguments.warm_up = arguments.jobs[:len(arguments.queries)]  # smallest data
    return arguments


def notes_of_settings(arguments, rows, others, shared, alone):
    """What was run, and on what workloads."""
    return [f"A batch of {arguments.batch} jobs, drawn from the {len(arguments.queries)} queries of TPC-H at the "
            f"scales {', '.join(arguments.scales)} with the same chance, comes at once; {EXECUTORS} "
            f"Workers with a one-core executor each; {arguments.repetitions} applications of each "
            "policy on warm executors, policies in random order.",
            "Executors, driver and agent share the cores, which makes tasks longer the more queries "
            "there are; there are no more executors than cores.",
            f"simulated: a workload recorded from {others} applications with other batches, as "
            f"large, under {RECORDED}; a query comes to the executors when the driver has done its "
            f"part, the time without a stage to run, {mean_by(rows, shared.driver_s):.2f} s on "
            "average.",
            f"trained: ppo on that workload, {ITERATIONS} iterations, seed 1, batches of {arguments.batch} jobs.",
            "On the cluster, policies are told that workload's durations (--durations), and slots wait "
            "for the next stage of their job where that is due (spark.park.settle), as in the "
            "simulation.",
            "The other columns change one cause each: without the driver's time; with a workload of "
            "queries that had the cluster to themselves. The second table is of a cluster that does "
            "neither: a stage is taken to last as long as what has been measured of its job, or of "
            "all, and a slot goes to another job before the next stage of its own is submitted.",
            f"Work of the tasks of the batch: {arguments.batch * mean_by(rows, shared.work_s):.1f} s as recorded "
            f"side by side, {arguments.batch * mean_by(rows, alone.work_s):.1f} s as recorded alone."]  # fmt: skip


def measure(arguments, folder):
    lab, draw = Lab(arguments, folder), random.Random(1)
    jobs, size = arguments.jobs, arguments.batch
    rows = [(0.0, job) for job in draw.choices(jobs, k=size)]
    # Every job is recorded, in batches as large as that one.
    deck = draw.sample(jobs, len(jobs))
    deck += draw.sample(jobs, -len(jobs) % size)
    others = [[(0.0, job) for job in deck[i:i + size]] for i in range(0, len(deck), size)]
    shared = lab.profile("shared", [lab.run_spark(f"shared-{i}", RECORDED, other)[1]
                                    for i, other in enumerate(others)])  # fmt: skip
    lab.train(shared.workload, size)
    alone = lab.profile("alone", [lab.run_spark("alone", "fifo", [("after", j) for j in deck])[1]])
    real, by_whom = on_the_cluster(lab, "real", rows, arguments.repetitions, draw, shared.workload)
    bare, by_whom_bare = on_the_cluster(lab, "bare", rows, arguments.repetitions, draw, None,
                                        "spark.park.settle 0ms\n")  # fmt: skip
    by_whom |= {f"{policy} (neither told nor waiting)": some for policy, some in by_whom_bare.items()}
    doubts = applications.doubts(by_whom)
    simulated = {
        "simulated": simulated_on_top(lab, rows, shared),
        "without the driver's time": lab.simulate("plain", rows, shared.workload),
        "queries alone": simulated_on_top(lab, rows, alone),
    }
    at_once = {"simulated": simulated["simulated"]}
    notes = [*notes_of_settings(arguments, rows, len(others), shared, alone),
             *summary("", real, simulated),
             *summary("neither told nor waiting; ", bare, at_once),
             f"{applications.shares(by_whom)} These are upper bounds: an offer may have had one decision for each "
             "executor.", *doubts, *arguments.note]
    figures.write(arguments.out, "A real cluster and its simulation",
                  figures.command(), [], notes, [table_of(f"{size} queries at once", real, simulated),
                          table_of("policies not told durations, slots that do not wait", bare,
                                   at_once)],
                  page=Path(__file__).resolve().parent.name)  # fmt: skip
    for line in doubts:
        print(line)


def main():
    arguments = read_arguments()
    with working_folder(arguments.folder, "park-sim-to-real-") as folder:
        measure(arguments, folder)


if __name__ == "__main__":
    main()
