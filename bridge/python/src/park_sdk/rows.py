"""The row that an environment of Python writes."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from park_sdk.errors import ParkError
from park_sdk.spec import DTYPES, Leaf, Record

Array = NDArray[Any]


class Row:
    """One record, as views of NumPy. It arrives zero, with empty groups, at each reset and step.

    ``row[LEAF]`` is a view to write into: of the leaf's shape, or in a group [elements, shape].
    ``row[LEAF] = values`` writes all of it and refuses what is beyond the leaf's bounds or type.
    Views of a group end when it is resized.
    """

    def __init__(self, record: Record) -> None:
        self._leaves = {leaf.name: leaf for leaf in record.leaves}
        self._capacity = {g.name: g.capacity for g in record.groups}
        self._counts = dict.fromkeys(self._capacity, 0)
        self._memory: dict[str, Array] = {}  # of groups more than the elements that are there
        self._views: dict[str, Array] = {}
        self._of_group: dict[str, list[Leaf]] = {g: [] for g in self._capacity}
        for leaf in record.leaves:
            if leaf.group:
                self._of_group[leaf.group].append(leaf)
                self._memory[leaf.name] = np.zeros((0, *leaf.shape), DTYPES[leaf.dtype])
                self._views[leaf.name] = self._memory[leaf.name]
            else:
                self._views[leaf.name] = np.zeros(leaf.shape, DTYPES[leaf.dtype])

    def resize(self, group: str, elements: int) -> None:
        """Gives a group so many elements, all zero."""
        capacity = self._capacity.get(group)
        if capacity is None:
            raise ParkError(
                "invalid_space", f"row: no group '{group}'; groups are {_list(self._capacity)}"
            )
        if not 0 <= elements <= capacity:
            raise ParkError(
                "capacity", f"row: {group} with {elements} elements; allowed are 0 to {capacity}"
            )
        self._counts[group] = elements
        for leaf in self._of_group[group]:
            if elements > len(self._memory[leaf.name]):
                most = min(max(elements, 2 * len(self._memory[leaf.name])), capacity)
                self._memory[leaf.name] = np.zeros((most, *leaf.shape), DTYPES[leaf.dtype])
            view = self._views[leaf.name] = self._memory[leaf.name][:elements]
            view.fill(0)

    def count(self, group: str) -> int:
        """Elements of a group."""
        return self._counts[group]

    def __getitem__(self, leaf: str) -> Array:
        try:
            return self._views[leaf]
        except KeyError:
            raise self._unknown(leaf) from None

    def __setitem__(self, leaf: str, values: ArrayLike) -> None:
        declared = self._leaves.get(leaf)
        if declared is None:
            raise self._unknown(leaf)
        view, given = self._views[leaf], np.asarray(values)
        if view.dtype.kind in "iu":
            _check_whole(declared, given)
        try:
            np.copyto(view, given, casting="unsafe" if view.dtype.kind in "iu" else "same_kind")
        except (TypeError, ValueError):
            raise ParkError(
                "invalid_space",
                f"{leaf}: {_described(given)} for {view.dtype} of shape {view.shape}",
            ) from None

    def clear(self) -> None:
        """All zero, with empty groups."""
        for name, leaf in self._leaves.items():
            if not leaf.group:
                self._views[name].fill(0)
        for group in self._capacity:
            self.resize(group, 0)

    def parts(self) -> tuple[list[int], list[Array]]:
        """For the compiled part."""
        return list(self._counts.values()), list(self._views.values())

    def _unknown(self, leaf: str) -> ParkError:
        return ParkError("invalid_space", f"row: no leaf '{leaf}'; leaves are {_list(self._leaves)}")


def _check_whole(leaf: Leaf, given: Array) -> None:
    """Numbers of a leaf of integers, before a conversion could change them."""
    if given.dtype.kind not in "iub":
        raise ParkError("invalid_space", f"{leaf.name}: must be whole numbers")
    if given.size and (given.min() < leaf.low or given.max() > leaf.high):
        worst = given.min() if given.min() < leaf.low else given.max()
        raise ParkError(
            "invalid_space",
            f"{leaf.name}: is {worst}; allowed are {leaf.low:.17g} to {leaf.high:.17g}",
        )


def _described(given: Array) -> str:
    return f"{given.dtype} of shape {given.shape}"


def _list(names: Any) -> str:
    return ", ".join(names) or "none"
