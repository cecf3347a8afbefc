"""What an application's event log tells, where Spark has written it plain and in one file."""

import json
import math
from dataclasses import dataclass, field
from pathlib import Path

# What has Spark write it so.
SETTINGS = {
    "spark.eventLog.enabled": "true",
    "spark.eventLog.compress": "false",
    "spark.eventLog.rolling.enabled": "false",
}


def settings(folder):
    """Those of an application that writes its log into a new folder."""
    Path(folder).mkdir(parents=True)
    return SETTINGS | {"spark.eventLog.dir": f"file:{folder}"}


@dataclass
class Query:
    """Times are in seconds."""
    begin_s: float
    end_s: float | None = None
    job: str | None = None  # its tag; none where it ran no task, such as the making of a view
    tasks: list = field(default_factory=list)  # launch and finish of each
    stages: list = field(default_factory=list)  # submission and completion of each

    @property
    def took_s(self):
        return self.end_s - self.begin_s

    @property
    def work_s(self):
        return sum(finish - launch for launch, finish in self.tasks)

    @property
    def driver_s(self):
        """While it was in the system and had no stage to run."""
        staged, until = 0.0, self.begin_s
        for submission, completion in sorted(self.stages):
            staged += max(0.0, min(completion, self.end_s) - max(submission, until))
            until = max(until, completion)
        return self.took_s - staged


class EventLog:
    """`queries` that ended; `copies` of tasks that are slow; `again`: stages (id, attempt) whose
    output was there and was lost; why executors were `lost`; when they came and went: `spans`, by
    their ids."""

    def __init__(self, path):
        self.copies, self.again, self.lost, self.spans = 0, [], [], {}
        self.all, self.query_of, self.computed = {}, {}, set()
        with open(path, encoding="utf-8") as lines:
            for line in lines:
                event = json.loads(line)
                take = getattr(self, event["Event"].rpartition(".")[2], None)
                if take:
                    take(event)
        self.queries = [q for q in self.all.values() if q.job is not None and q.end_s is not None]

    def executors_at(self, time_s):
        return sum(begin <= time_s < end for begin, end in self.spans.values())

    def SparkListenerExecutorAdded(self, event):
        self.spans[event["Executor ID"]] = event["Timestamp"] / 1e3, math.inf

    def SparkListenerExecutorRemoved(self, event):
        self.lost.append(event["Removed Reason"])
        at_s = event["Timestamp"] / 1e3
        # One may go before it has come, and one that is given back may be told of twice.
        begin, end = self.spans.get(event["Executor ID"], (at_s, at_s))
        self.spans[event["Executor ID"]] = begin, min(end, at_s)

    def SparkListenerSQLExecutionStart(self, event):
        self.all[event["executionId"]] = Query(event["time"] / 1e3)

    def SparkListenerSQLExecutionEnd(self, event):
        self.all[event["executionId"]].end_s = event["time"] / 1e3

    def SparkListenerJobStart(self, event):
        root = event["Properties"].get("spark.sql.execution.root.id")
        if root is None:
            return
        query = self.all[int(root)]
        query.job = event["Properties"].get("park.job", "")
        self.query_of |= dict.fromkeys(event["Stage IDs"], query)

    def SparkListenerStageSubmitted(self, event):
        stage = event["Stage Info"]
        if stage["RDD Info"][0]["RDD ID"] in self.computed:
            self.again.append((stage["Stage ID"], stage["Stage Attempt ID"]))

    def SparkListenerStageCompleted(self, event):
        stage = event["Stage Info"]
        if "Failure Reason" not in stage:
            self.computed.add(stage["RDD Info"][0]["RDD ID"])
        if stage["Stage ID"] in self.query_of:
            self.query_of[stage["Stage ID"]].stages.append(
                (stage["Submission Time"] / 1e3, stage["Completion Time"] / 1e3))

    def SparkListenerTaskStart(self, event):
        self.copies += event["Task Info"]["Speculative"]

    def SparkListenerTaskEnd(self, event):
        task = event["Task Info"]
        if event["Stage ID"] in self.query_of:
            self.query_of[event["Stage ID"]].tasks.append(
                (task["Launch Time"] / 1e3, task["Finish Time"] / 1e3))
