"""Classes for the tests: an environment and a policy with all that a contract has, and bad ones."""

import os
import time

import numpy as np

import park_sdk
from park_sdk.plugins import End, Environment, Layout, Outcome, Policy


@park_sdk.environment
class Ward(Environment):
    """Beds of several wings; a patient gets care of a kind, by a number of nurses."""

    version = 3

    class Config:
        patients: int = park_sdk.field(6, "patients of an episode", min=1, max=1000)
        wings: list[int] = park_sdk.field([2, 3], "nurses of each wing", min=1, max=9)
        rule: str = park_sdk.field("open", "which care is allowed", choices=("open", "strict"))
        gap_s: float = park_sdk.field(10, "mean time between decisions", unit="s", min=0, max=1e4,
                                      open_min=True)
        tired: bool = park_sdk.field(False, "whether nurses are slower at the end")

        def check(self):
            if sum(self.wings) > 20:
                yield f"wings = {self.wings}: the sum is {sum(self.wings)}; allowed are 20"

    @staticmethod
    def layout(config):
        layout = Layout()
        layout.group("wing", len(config.wings))
        layout.group("patient", config.patients)
        layout.leaf("wing.nurses", "of a wing", dtype="i32", high=9, group="wing")
        layout.leaf("patient.wing", "where it lies", index_of="wing", group="patient")
        layout.leaf("patient.pulse", "last three", shape=(3,), high=300, unit="1/min",
                    group="patient")
        layout.leaf("hour", "of the day", dtype="i32", high=23, unit="category")
        layout.leaf("info.now_s", "the clock", dtype="f64", high=1e9, unit="s")
        layout.head("patient", "who is looked after", index_of="patient")
        layout.head("care", "the kind", high=2, given=["patient"])
        layout.head("nurses", "how many", low=1, high=9, given=["patient", "patient.wing"])
        layout.head("calm", "how calmly", dtype="f32", shape=(2,), low=-1, high=1)
        layout.mask("patient")
        layout.mask("care")
        layout.range("nurses")
        layout.metric("care_s", "mean time of a decision", unit="s")
        layout.metric("done", "patients looked after", lower_is_better=False)
        return layout

    def reset(self, episode, row):
        self.inputs, self.horizon_s = episode.inputs, episode.horizon_s
        self.left = list(range(self.config.patients))
        self.now_s, self.took_s = 0.0, []
        self.write(row)

    def step(self, action, row):
        assert set(action) == {"patient", "care", "nurses", "calm"}
        assert action["calm"].shape == (2,) and type(action["care"]) is int
        patient = self.left.pop(action["patient"])
        gap_s = self.inputs.split("care").split(patient).exponential(self.config.gap_s)
        before_s = self.now_s
        self.now_s = min(self.now_s + gap_s * (1 + action["care"]) / action["nurses"],
                         self.horizon_s)
        self.took_s.append(self.now_s - before_s)
        self.write(row)
        end = End.NONE if self.left else End.TERMINATED
        if self.now_s >= self.horizon_s:
            end = End.TRUNCATED
        return Outcome(-self.took_s[-1], self.took_s[-1], end)

    def write(self, row):
        wings = self.config.wings
        row.resize("wing", len(wings))
        row["wing.nurses"] = wings
        row["nurses.min"], row["nurses.max"] = 1, wings
        row["hour"], row["info.now_s"] = int(self.now_s / 3600) % 24, self.now_s
        row.resize("patient", len(self.left))
        for i, patient in enumerate(self.left):
            draw = self.inputs.split("patient").split(patient)
            row["patient.wing"][i] = draw.below(len(wings))
            row["patient.pulse"][i] = draw.uniform(60, 90, size=3)
            row["mask.patient"][i] = i == 0 or draw.uniform() < 0.7
            row["mask.care"][i] = (1, self.config.rule == "open", draw.uniform() < 0.5)

    def metrics(self):
        return {"done": len(self.took_s), "care_s": np.mean(self.took_s)}


@park_sdk.policy
class FirstAllowed(Policy):
    """The first patient who may be looked after, with the first care and one nurse."""

    environments = ("ward",)

    class Config:
        calm: float = park_sdk.field(0.5, "how calmly", min=-1, max=1, tune="0|0.5|1")

    def __init__(self, config, spec):
        super().__init__(config, spec)
        self.started = []

    def start(self, slot, episode, rng):
        self.started.append((slot, episode.number, rng.uniform()))

    def act(self, asked):
        mask, at = asked.observation["mask.patient"], asked.offsets("patient")
        n = len(asked.slot)
        return {
            "calm": np.full((n, 2), self.config.calm),
            "care": np.zeros(n, int),
            "nurses": np.ones(n, int),
            "patient": [mask[a:b].argmax() for a, b in zip(at, at[1:])],
        }

    def scores(self, rows, head, actions, candidates):
        if head == "calm":
            return None
        return -candidates.value.astype(float)


class Small(Environment):
    """The base of the bad ones: one leaf, one head."""

    @staticmethod
    def layout(config):
        layout = Layout()
        layout.leaf("x", "a number", high=1)
        layout.head("a", "a number", high=1)
        layout.metric("m", "a number")
        return layout

    def reset(self, episode, row):
        self.steps = 0

    def step(self, action, row):
        self.steps += 1
        return Outcome(0, 1, End.TERMINATED if self.steps == 3 else End.NONE)

    def metrics(self):
        return {"m": self.steps}


class ThrowsInReset(Small):
    def reset(self, episode, row):
        raise ValueError("the pump is stuck\nsecond line")


class Hangs(Small):
    def step(self, action, row):
        print("going to sleep")
        time.sleep(100)


class Dies(Small):
    def step(self, action, row):
        print("no more power")
        os._exit(7)


class Declines(Small):
    def __init__(self, config):
        raise OSError("no such pump")


class NamedAsAnother(Small):
    name = "load_balance"
