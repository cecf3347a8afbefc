"""An environment and a policy that are classes of Python. Both serve the command, too:

park run clinic --plugin clinic:Clinic --plugin clinic:ShortestWork --policy random,shortest_work
"""

import numpy as np

import park_sdk
from park_sdk.plugins import End, Environment, Layout, Outcome, Policy


@park_sdk.environment
class Clinic(Environment):
    """A nurse treats waiting patients, one after the other."""

    class Config:
        patients: int = park_sdk.field(20, "patients of an episode", min=1, max=10_000)
        gap_s: float = park_sdk.field(600, "mean time between arrivals", unit="s", min=1, max=1e5)

    @staticmethod
    def layout(config):
        layout = Layout()
        layout.group("patient", config.patients)
        layout.leaf("patient.waited_s", "since arrival", high=1e9, unit="s", group="patient")
        layout.leaf("patient.work_s", "of the treatment", high=1e9, unit="s", group="patient")
        layout.head("next", "who is treated now", index_of="patient")
        layout.metric("avg_wait_s", "mean time from arrival to treatment", unit="s")
        return layout

    def reset(self, episode, row):
        n, inputs = self.config.patients, episode.inputs
        gaps_s = inputs.split("gap").exponential(self.config.gap_s, n)
        self.arrival_s = np.cumsum(gaps_s) - gaps_s[0]
        self.work_s = inputs.split("work").exponential(500, n)
        self.coming, self.waiting, self.waits_s = list(range(n)), [], []
        self.now_s, self.horizon_s = 0.0, episode.horizon_s
        self.advance(row)

    def step(self, action, row):
        before_s, patient = self.now_s, self.waiting.pop(action["next"])
        self.waits_s.append(before_s - self.arrival_s[patient])
        self.now_s += self.work_s[patient]
        end = self.advance(row)
        return Outcome(-self.waits_s[-1], self.now_s - before_s, end)

    def advance(self, row):
        if self.coming and not self.waiting:
            self.now_s = max(self.now_s, self.arrival_s[self.coming[0]])
        self.now_s = min(self.now_s, self.horizon_s)
        while self.coming and self.arrival_s[self.coming[0]] <= self.now_s:
            self.waiting.append(self.coming.pop(0))
        row.resize("patient", len(self.waiting))
        row["patient.waited_s"] = self.now_s - self.arrival_s[self.waiting]
        row["patient.work_s"] = self.work_s[self.waiting]
        if self.now_s == self.horizon_s:
            return End.TRUNCATED
        return End.NONE if self.waiting else End.TERMINATED

    def metrics(self):
        return {"avg_wait_s": np.mean(self.waits_s) if self.waits_s else np.nan}


@park_sdk.policy
class ShortestWork(Policy):
    """Treats whoever needs the nurse for the shortest time."""

    environments = ("clinic",)

    def act(self, asked):
        work_s, at = asked.observation["patient.work_s"], asked.offsets("patient")
        return [work_s[a:b].argmin() for a, b in zip(at, at[1:])]


if __name__ == "__main__":
    episodes = park_sdk.Episodes.of_run(seed=1, count=20)
    stream = park_sdk.Stream("clinic(gap_s=450)", episodes)
    played = park_sdk.record(stream, park_sdk.Policy("shortest_work", stream.spec))
    print(f"{played.episodes['metric.avg_wait_s'].mean():.0f} s of waiting")
