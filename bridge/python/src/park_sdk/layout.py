"""What an environment of Python declares: leaves, groups, heads and metrics."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from park_sdk.errors import ParkError
from park_sdk.spec import Group, Leaf, Metric, Record

DTYPE_NAMES = ("u8", "i32", "i64", "f32", "f64")


class Layout:
    """The observation, the action and the metrics of an environment, in the order of declaration.

    Names are lower-case words joined by dots. Bounds are inclusive and finite. A leaf whose name
    begins with ``info.`` is for people and tools; networks leave it out.
    """

    def __init__(self) -> None:
        self._leaves: list[Leaf] = []
        self._groups: list[Group] = []
        self._heads: list[Leaf] = []
        self._metrics: list[Metric] = []

    def group(self, name: str, capacity: int) -> None:
        """A ragged dimension: each row has 0 to `capacity` elements. It reserves no memory."""
        self._groups.append(Group(name, int(capacity)))

    def leaf(
        self,
        name: str,
        doc: str,
        *,
        dtype: str = "f32",
        shape: Sequence[int] = (),
        low: float = 0.0,
        high: float | None = None,
        unit: str = "1",
        group: str = "",
        index_of: str = "",
    ) -> None:
        """An array of the observation.

        dtype: u8, i32, i64, f32 or f64. unit: "category" for an i32 leaf whose values are names,
        such as of states; networks then see no order in them. shape: of a row, or with a `group`
        of one element. index_of: its values, which are i32, select an element of that group; `high`
        is then the group's capacity - 1.
        """
        if index_of:
            dtype, high = "i32", self._last_of(index_of, name) if high is None else high
        self._leaves.append(
            Leaf(name, dtype, tuple(shape), *_bounds(name, dtype, low, high), unit, doc, group,
                 index_of)
        )

    def head(
        self,
        name: str,
        doc: str,
        *,
        dtype: str = "i32",
        shape: Sequence[int] = (),
        low: float = 0.0,
        high: float | None = None,
        unit: str = "1",
        index_of: str = "",
        given: Sequence[str] = (),
    ) -> None:
        """A part of the action: an element of a group (`index_of`), a whole number from `low` to
        `high`, or with dtype f32 numbers of [0, 1] or [-1, 1].

        given: an earlier head that selects an element, and then index leaves to follow from there;
        the mask or the range of this head is looked up at the element where that ends.
        """
        if index_of:
            high = self._last_of(index_of, name) if high is None else high
        self._heads.append(
            Leaf(name, dtype, tuple(shape), *_bounds(name, dtype, low, high), unit, doc, "",
                 index_of, tuple(given))
        )

    def mask(self, head: str, doc: str = "1: the value is allowed") -> None:
        """The leaf ``mask.HEAD`` (u8): 1 where a value of a discrete head is allowed.

        It has a number for each value of the head, of an index head one for each element.
        """
        h = self._head(head)
        shape: tuple[int, ...] = () if h.index_of else (int(h.high - h.low) + 1,)
        group = h.index_of or self._end_of(h)
        self._leaves.append(Leaf(f"mask.{head}", "u8", shape, 0, 1, "1", doc, group))

    def range(self, head: str, doc: str = "of the allowed values") -> None:
        """The leaves ``HEAD.min`` and ``HEAD.max`` (i32): bounds of a discrete head in each row."""
        h = self._head(head)
        for which, word in (("min", "lowest"), ("max", "highest")):
            self._leaves.append(
                Leaf(f"{head}.{which}", "i32", (), h.low, h.high, h.unit, f"the {word} {doc}",
                     self._end_of(h))
            )

    def metric(
        self, name: str, doc: str, *, unit: str = "1", lower_is_better: bool = True
    ) -> None:
        """A figure of each episode; the first one is the objective."""
        self._metrics.append(Metric(name, unit, lower_is_better, doc))

    def records(self) -> tuple[Record, Record, tuple[Metric, ...]]:
        """Observation, action and metrics."""
        observation = Record(tuple(self._leaves), tuple(self._groups))
        return observation, Record(tuple(self._heads)), tuple(self._metrics)

    def _head(self, name: str) -> Leaf:
        for head in self._heads:
            if head.name == name:
                return head
        raise ParkError("invalid_space", f"head '{name}': declare it before its mask or range")

    def _last_of(self, group: str, name: str) -> float:
        for g in self._groups:
            if g.name == group:
                return float(max(g.capacity - 1, 0))
        raise ParkError("invalid_space", f"'{name}': index_of: there is no group '{group}' yet")

    def _end_of(self, head: Leaf) -> str:
        """The group where the path of a head ends."""
        if not head.given:
            return ""
        group = self._head(head.given[0]).index_of
        by_name: dict[str, Any] = {leaf.name: leaf for leaf in self._leaves}
        for name in head.given[1:]:
            if name not in by_name:
                raise ParkError("invalid_space", f"head '{head.name}': given: no leaf '{name}' yet")
            group = by_name[name].index_of
        return group


def _bounds(name: str, dtype: str, low: float, high: float | None) -> tuple[float, float]:
    if dtype not in DTYPE_NAMES:
        raise ParkError(
            "invalid_space", f"'{name}': dtype: '{dtype}'; allowed are {', '.join(DTYPE_NAMES)}"
        )
    if high is None:
        raise ParkError("invalid_space", f"'{name}': high: is required; bounds are finite")
    return float(low), float(high)
