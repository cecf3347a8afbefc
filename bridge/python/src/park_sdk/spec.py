"""What an environment tells about itself."""

from __future__ import annotations

import dataclasses
from typing import Any

import numpy as np

from park_sdk import _core
from park_sdk.entry_points import find, find_all
from park_sdk.errors import ParkError

# The types of numbers by their names in a spec.
DTYPES: dict[str, Any] = {
    "u8": np.uint8,
    "i32": np.int32,
    "i64": np.int64,
    "f32": np.float32,
    "f64": np.float64,
}


@dataclasses.dataclass(frozen=True)
class Leaf:
    """One named array of a record.

    `shape` is that of a row, or of one element where there is a `group`. `low` and `high` are
    inclusive and finite. `index_of` names the group of the observation that the values select an
    element of. `given` of an action is an earlier head, then index leaves to follow from its value.
    """

    name: str
    dtype: str  # u8, i32, i64, f32 or f64
    shape: tuple[int, ...]
    low: float
    high: float
    unit: str
    doc: str
    group: str = ""
    index_of: str = ""
    given: tuple[str, ...] = ()

    @property
    def width(self) -> int:
        """Numbers of one element: the product of the shape."""
        width = 1
        for n in self.shape:
            width *= n
        return width


@dataclasses.dataclass(frozen=True)
class Group:
    """A ragged dimension: its leaves have the same number of elements, at most `capacity`."""

    name: str
    capacity: int


@dataclasses.dataclass(frozen=True)
class Record:
    """A flat, ordered record of leaves."""

    leaves: tuple[Leaf, ...]
    groups: tuple[Group, ...] = ()

    def capacity(self, group: str) -> int:
        """The most elements that a row of the group has."""
        return next(g.capacity for g in self.groups if g.name == group)


@dataclasses.dataclass(frozen=True)
class Metric:
    """A figure per episode."""

    name: str
    unit: str
    lower_is_better: bool
    doc: str


@dataclasses.dataclass(frozen=True)
class Spec:
    """Spaces, metrics and traits of an environment; `version` rises when results change."""

    name: str
    summary: str
    reference: str
    version: int
    observation: Record
    action: Record
    metrics: tuple[Metric, ...]
    system: bool = False
    replayable: bool = True
    twin: str = ""
    text: str = ""
    layout_hash: str = ""
    cloneable: bool = False

    def metric(self, name: str) -> int:
        """The column of a metric in `metrics` of ended episodes. Raises ParkError where there is none."""
        names = [m.name for m in self.metrics]
        if name not in names:
            raise ParkError("unknown_name", f"metric '{name}': {self.name} has {', '.join(names)}")
        return names.index(name)

    @staticmethod
    def from_dict(d: dict[str, Any]) -> Spec:
        """Of the dicts that the compiled part gives."""
        rest = {k: v for k, v in d.items() if k not in ("observation", "action", "metrics")}
        return Spec(
            observation=_record(d["observation"]),
            action=_record(d["action"]),
            metrics=tuple(Metric(**m) for m in d["metrics"]),
            **rest,
        )

    def to_dict(self) -> dict[str, Any]:
        """For the compiled part."""
        return dataclasses.asdict(self)


def _record(d: dict[str, Any]) -> Record:
    return Record(
        tuple(Leaf(**leaf) for leaf in d["leaves"]), tuple(Group(**g) for g in d["groups"])
    )


def spec(env: str) -> Spec:
    """The spec of a text such as ``load_balance(servers=4)``."""
    find(env)
    return Spec.from_dict(_core.spec(env))


def environments() -> list[str]:
    """Names of the simulated environments, with those that installed packages have."""
    find_all("park.envs")
    return _core.environments()


def policies(env: str) -> list[str]:
    """Names of the heuristics that understand an environment."""
    find(env)
    find_all("park.policies")
    return [name for name in _core.policies(_core.spec(env)) if name != "remote"]
