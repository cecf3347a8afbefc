#!/usr/bin/env python3
"""Write a large event log in Spark's form, to try the importer with.

    tests/envs/dag_scheduling/workload/generate_spark_log.py --bytes 1e9 --jobs 10000 --out build/large.log
    tests/envs/dag_scheduling/workload/generate_spark_log.py --bytes 1e9 | park workload import-spark /dev/stdin --out x.park

The events are those of tests/data/spark/1g-6.log.gz, a recorded log, with other numbers: SQL queries
of two Spark jobs (the second names the stages of the first again, which are skipped), Spark jobs
on their own and in job groups, up to four jobs at a time on 64 executors, tasks that fail and run
again, speculative copies, failed and cancelled jobs, an executor now and then that goes and comes.
Equal arguments give equal logs. At the end a line on stderr tells what is in it.
"""

import argparse
import gzip
import heapq
import json
import random
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[4]
EXECUTORS = 64
START = 1_795_000_000_000  # ms


def templates():
    """The first event of each kind in the recorded log."""
    found = {}
    with gzip.open(ROOT / "tests/data/spark/1g-6.log.gz", "rt") as file:
        for line in file:
            event = json.loads(line)
            found.setdefault(event["Event"].rpartition(".")[2], event)
    return found


class Log:
    def __init__(self, out, seed):
        self.out, self.random = out, random.Random(seed)
        self.kinds = templates()
        self.bytes = self.lines = 0
        self.tasks = self.stages = self.jobs = self.rdds = 0
        self.free = [(START, number) for number in range(EXECUTORS)]  # when an executor is idle
        self.names = [str(number) for number in range(EXECUTORS)]
        self.next_name = EXECUTORS
        self.pending = []  # (time, order, event): what is still to be written
        self.order = 0
        for kind in ("SparkListenerLogStart", "SparkListenerApplicationStart"):
            self.write(self.kinds[kind])
        for name in self.names:
            self.executor(name, START)

    def write(self, event):
        line = json.dumps(event, separators=(",", ":")) + "\n"
        self.out.write(line.encode())
        self.bytes += len(line)
        self.lines += 1

    def at(self, time, event):
        """Events are put in order of time."""
        self.order += 1
        heapq.heappush(self.pending, (time, self.order, event))

    def flush(self, until):
        while self.pending and self.pending[0][0] <= until:
            self.write(heapq.heappop(self.pending)[2])

    def executor(self, name, time):
        event = self.kinds["SparkListenerExecutorAdded"] | {"Timestamp": time, "Executor ID": name}
        self.at(time, event)

    def stage(self, rdd, tasks, parents):
        template = self.kinds["SparkListenerJobStart"]["Stage Infos"][0]
        infos = [info | {"RDD ID": rdd + i} for i, info in enumerate(template["RDD Info"])]
        self.stages += 1
        return template | {"Stage ID": self.stages, "Number of Tasks": tasks, "RDD Info": infos,
                           "Parent IDs": parents}  # fmt: skip

    def job_start(self, time, stages, properties):
        self.jobs += 1
        self.at(time, self.kinds["SparkListenerJobStart"] | {
            "Job ID": self.jobs, "Submission Time": time, "Stage Infos": stages,
            "Stage IDs": [stage["Stage ID"] for stage in stages], "Properties": properties})  # fmt: skip
        return self.jobs

    def job_end(self, time, job, result=None):
        self.at(time, self.kinds["SparkListenerJobEnd"] | {
            "Job ID": job, "Completion Time": time,
            "Job Result": result or {"Result": "JobSucceeded"}})  # fmt: skip

    def task(self, stage, index, ready, reason="Success", attempt=0, speculative=False):
        """One attempt of a task on the executor that is free first; returns when it ends."""
        idle, number = heapq.heappop(self.free)
        launch = max(idle, ready)
        finish = launch + 20 + int(self.random.expovariate(1 / 400))
        heapq.heappush(self.free, (finish + 1, number))
        if self.random.random() < 1e-4:  # the executor goes with its last task's end
            name = self.names[number]
            self.at(finish + 1, {"Event": "SparkListenerExecutorRemoved", "Timestamp": finish + 1,
                                 "Executor ID": name, "Removed Reason": "gone"})  # fmt: skip
            self.names[number] = str(self.next_name)
            self.next_name += 1
            self.executor(self.names[number], finish + 1)
            executor = name
        else:
            executor = self.names[number]
        template = self.kinds["SparkListenerTaskEnd"]
        common = {"Stage ID": stage["Stage ID"], "Stage Attempt ID": 0}
        info = template["Task Info"] | {
            "Task ID": self.tasks, "Index": index, "Attempt": attempt, "Partition ID": index,
            "Launch Time": launch, "Executor ID": executor, "Speculative": speculative}  # fmt: skip
        self.tasks += 1
        self.at(launch, {"Event": "SparkListenerTaskStart", **common, "Task Info": info | {
            "Finish Time": 0, "Accumulables": []}})  # fmt: skip
        good = reason == "Success"
        self.at(finish, template | common | {
            "Task End Reason": {"Reason": reason},
            "Task Info": info | {"Finish Time": finish, "Failed": not good}})  # fmt: skip
        return finish

    def run_stage(self, stage, ready):
        end = ready
        for index in range(stage["Number of Tasks"]):
            chance = self.random.random()
            start = ready
            if chance < 0.004:
                start = self.task(stage, index, ready, "ExceptionFailure")
            end = max(end, self.task(stage, index, start, attempt=int(chance < 0.004)))
            if chance > 0.997:
                self.task(stage, index, start, "TaskKilled", 1, True)
        return end


def properties(**more):
    return {"spark.app.name": "large", "spark.rdd.scope": '{"id":"7","name":"map"}'} | more


def add_query(log, number, time, sizes):
    """Two Spark jobs of one query; the second skips what the first has run."""
    root = str(number)
    tags = properties(**{"spark.sql.execution.id": root, "spark.sql.execution.root.id": root})
    sql = "org.apache.spark.sql.execution.ui.SparkListenerSQLExecution"
    log.at(time, log.kinds["SparkListenerSQLExecutionStart"] | {
        "Event": sql + "Start", "executionId": number, "rootExecutionId": number, "time": time})  # fmt: skip
    first, second = log.rdds + 1, log.rdds + 10
    log.rdds += 30
    scan = log.stage(first, sizes[0], [])
    job = log.job_start(time, [scan], tags)
    time = log.run_stage(scan, time)
    log.job_end(time, job)
    again = log.stage(first, sizes[0], [])
    reduce = log.stage(second, sizes[1], [again["Stage ID"]])
    job = log.job_start(time, [again, reduce], tags)
    time = log.run_stage(reduce, time)
    log.job_end(time, job)
    log.at(time + 1, {"Event": sql + "End", "executionId": number, "time": time, "errorMessage": ""})
    return time + 1


def add_job(log, number, time, sizes):
    """One Spark job, on its own or in a group; a few fail or are cancelled."""
    tags = properties() if number % 2 else properties(**{"spark.jobGroup.id": f"cell {number}"})
    log.rdds += 30
    scan = log.stage(log.rdds, sizes[0], [])
    reduce = log.stage(log.rdds + 10, sizes[1], [scan["Stage ID"]])
    job = log.job_start(time, [scan, reduce], tags)
    time = log.run_stage(scan, time)
    chance = log.random.random()
    if chance < 0.01:
        text = "cancelled" if chance < 0.005 else "aborted due to stage failure"
        log.job_end(time, job, {"Result": "JobFailed",
                                "Exception": {"Message": f"Job {job} {text}", "Stack Trace": []}})  # fmt: skip
        return time
    time = log.run_stage(reduce, time)
    log.job_end(time, job)
    return time


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--bytes", type=float, default=1e9, help="size of the log (default 1e9)")
    parser.add_argument("--jobs", type=int, default=10_000, help="at least so many jobs")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--out", default="", help="file to write; stdout without it")
    options = parser.parse_args()
    out = open(options.out, "wb") if options.out else sys.stdout.buffer
    log = Log(out, options.seed)
    # What one job may take: its Spark jobs and stages cost some 20 kB, each task about 5.
    tasks = max(2, int((options.bytes / options.jobs - 20_000) / 4_900))
    lanes = [START + 1000 + i for i in range(4)]  # when each of four users is ready
    heapq.heapify(lanes)
    jobs = 0
    while jobs < options.jobs or log.bytes < options.bytes:
        time = heapq.heappop(lanes)
        sizes = [max(1, int(log.random.uniform(0.4, 1.4) * tasks)), max(1, tasks // 8)]
        add = add_query if jobs % 2 else add_job
        heapq.heappush(lanes, add(log, jobs, time, sizes) + log.random.randrange(50))
        jobs += 1
        log.flush(lanes[0])
    log.flush(float("inf"))
    log.write({"Event": "SparkListenerApplicationEnd", "Timestamp": max(lanes)})
    out.flush()
    print(f"{log.bytes} bytes, {log.lines} lines, {jobs} jobs, {log.jobs} Spark jobs,"
          f" {log.tasks} tasks", file=sys.stderr)  # fmt: skip


if __name__ == "__main__":
    try:
        main()
    except BrokenPipeError:
        sys.exit(1)
