"""A server and a queue of jobs with known sizes: which of the waiting jobs is next?

Time 0 is the arrival of the first job. Each time the server is free and jobs wait, one of them is
chosen; its service is not interrupted. The reward of a decision is minus the job-seconds in the
system until the next one, so the sum over an episode is minus the sum of all response times
(Little's law). The episode terminates when the last job has left; at its horizon it is truncated.

Source: M/G/1 with known sizes. T. Phipps, "Machine repair as a priority waiting-line problem",
Operations Research 4(1), 1956.
"""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import park_sdk
from park_sdk.layout import Layout
from park_sdk.plugins import End, Environment, Episode, Outcome
from park_sdk.rows import Row

MOST_JOBS = 100_000
MOST_TIME_S = 1e6  # mean time between arrivals, mean size
LONGEST_DRAW = 40.0  # exponential draws stay below so many means


class Job(NamedTuple):
    """A job: when it came, and the time that the server needs for it."""

    arrived_s: float
    size_s: float


@park_sdk.environment
class SingleServer(Environment):
    """choose which of the waiting jobs a server takes next"""

    name = "newenv"
    reference = "Phipps, Machine repair as a priority waiting-line problem, 1956"

    class Config:
        """The defaults: Poisson arrivals that keep the server busy for 80 % of the time."""

        jobs: int = park_sdk.field(200, "jobs of an episode", min=1, max=MOST_JOBS)
        interval_s: float = park_sdk.field(
            1.25, "mean time between arrivals, which are Poisson", unit="s", min=1e-3, max=MOST_TIME_S
        )
        size_s: float = park_sdk.field(
            1.0, "mean size of a job: the time that the server needs for it", unit="s", min=1e-3,
            max=MOST_TIME_S,
        )
        sizes: str = park_sdk.field(
            "exponential", "distribution of the sizes", choices=("exponential", "constant")
        )

    @staticmethod
    def layout(config: Any) -> Layout:
        """What is observed, what is decided, what is reported."""
        episode_s = LONGEST_DRAW * config.jobs * (config.interval_s + config.size_s)
        layout = Layout()
        layout.leaf("to_come", "jobs of the episode that have not arrived yet", high=config.jobs)
        # A group: its leaves have one value for each job that waits, in the order of arrival.
        layout.group("jobs", config.jobs)
        layout.leaf("job.size_s", "time that the server needs for the job", unit="s", group="jobs",
                    high=LONGEST_DRAW * config.size_s)
        layout.leaf("job.wait_s", "time since it arrived", unit="s", group="jobs", high=episode_s)
        layout.head("next", "the job that the server takes next", index_of="jobs")
        layout.metric("avg_response_s",
                      "mean time from arrival to completion over the jobs served", unit="s")
        layout.metric("avg_wait_s",
                      "mean time from arrival to start of service over the jobs started", unit="s")
        layout.metric("utilisation", "part of the time in which the server is busy",
                      lower_is_better=False)
        return layout

    def reset(self, episode: Episode, row: Row) -> None:
        """Takes the first job."""
        self._inputs, self._horizon_s = episode.inputs, episode.horizon_s
        self._now_s = self._job_seconds = self._busy_s = 0.0
        self._waits_s: list[float] = []
        self._responses_s: list[float] = []
        self._waiting: list[Job] = []
        self._arrived, self._busy = 0, False
        self._next = self._drawn(0.0)
        self._pass_until(0.0)
        self._observe(row)

    def step(self, action: dict[str, Any], row: Row) -> Outcome:
        """Serves the chosen job, then waits for the next question or the end."""
        asked_s, job_seconds = self._now_s, self._job_seconds
        end = self._serve(self._waiting.pop(action["next"]))
        self._observe(row)
        return Outcome(job_seconds - self._job_seconds, self._now_s - asked_s, end)

    def metrics(self) -> dict[str, float]:
        """NaN for what an episode that was cut off does not define."""
        return {
            "avg_response_s": _mean(self._responses_s),
            "avg_wait_s": _mean(self._waits_s),
            "utilisation": self._busy_s / self._now_s if self._now_s > 0 else math.nan,
        }

    def _serve(self, job: Job) -> End:
        self._waits_s.append(self._now_s - job.arrived_s)
        self._busy = True
        self._pass_until(self._now_s + job.size_s)
        if self._now_s >= self._horizon_s:
            return End.TRUNCATED
        self._busy = False
        self._responses_s.append(self._now_s - job.arrived_s)
        if self._waiting:
            return End.NONE
        if self._arrived == self.config.jobs:
            return End.TERMINATED
        self._pass_until(self._next.arrived_s)
        return End.NONE if self._now_s < self._horizon_s else End.TRUNCATED

    def _drawn(self, before_s: float) -> Job:
        """The job that arrives next. What it is like depends on its number alone, so it is the same
        job whatever was done before."""
        draw, config = self._inputs.split(self._arrived), self.config
        gap_s = draw.split("gap").exponential(config.interval_s) if self._arrived > 0 else 0.0
        constant = config.sizes == "constant"
        size_s = config.size_s if constant else draw.split("size").exponential(config.size_s)
        return Job(before_s + gap_s, size_s)

    def _pass_until(self, time_s: float) -> None:
        """Moves the clock, but not past the horizon. Jobs that arrive up to then join the queue."""
        until_s = min(time_s, self._horizon_s)
        while self._arrived < self.config.jobs and self._next.arrived_s <= until_s:
            self._pass(self._next.arrived_s)
            self._waiting.append(self._next)
            self._arrived += 1
            self._next = self._drawn(self._now_s)
        self._pass(until_s)

    def _pass(self, to_s: float) -> None:
        passed_s = to_s - self._now_s
        self._job_seconds += (len(self._waiting) + self._busy) * passed_s
        self._busy_s += self._busy * passed_s
        self._now_s = to_s

    def _observe(self, row: Row) -> None:
        row["to_come"] = self.config.jobs - self._arrived
        row.resize("jobs", len(self._waiting))
        row["job.size_s"] = [job.size_s for job in self._waiting]
        row["job.wait_s"] = [self._now_s - job.arrived_s for job in self._waiting]


def _mean(values: list[float]) -> float:
    return sum(values) / len(values) if values else math.nan
