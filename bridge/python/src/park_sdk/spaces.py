"""Gymnasium's spaces of a spec, and the way between its arrays and Gymnasium's."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import gymnasium as gym
import numpy as np
from gymnasium import spaces
from numpy.typing import NDArray

from park_sdk.errors import ParkError
from park_sdk.spec import DTYPES, Leaf, Record, Spec

Observation = dict[str, Any]


def _bounds(leaf: Leaf, padded: bool) -> tuple[Any, Any]:
    """Finite bounds in the leaf's type, outwards; of more than one value, as Gymnasium wants."""
    dtype = DTYPES[leaf.dtype]
    low, high = leaf.low, leaf.high
    if padded:  # elements that are not there are 0
        low, high = min(low, 0.0), max(high, 0.0)
    if low == high:
        high = low + 1
    if np.issubdtype(dtype, np.integer):
        info = np.iinfo(dtype)
        return max(int(low), info.min), min(int(high), info.max)
    first, last = dtype(low), dtype(high)
    first = np.nextafter(first, dtype(-np.inf)) if float(first) > low else first
    last = np.nextafter(last, dtype(np.inf)) if float(last) < high else last
    return first, last


def _box(leaf: Leaf, numbers: int, padded: bool) -> spaces.Box:
    dtype = DTYPES[leaf.dtype]
    low, high = _bounds(leaf, padded)
    return spaces.Box(
        np.full(numbers, low, dtype), np.full(numbers, high, dtype), (numbers,), dtype
    )


class ActionMap:
    """Gymnasium's action space of a record and the heads that an action stands for.

    All heads integer: Discrete for a single number, else MultiDiscrete over all numbers, head after
    head. Values count from 0: 0 is the lowest of the head. All heads continuous: Box. Both kinds:
    Dict of these two, "discrete" and "continuous".
    """

    def __init__(self, action: Record) -> None:
        self.leaves = action.leaves
        self.discrete = [leaf for leaf in action.leaves if leaf.dtype == "i32"]
        self.continuous = [leaf for leaf in action.leaves if leaf.dtype == "f32"]
        self.sizes = [
            int(leaf.high - leaf.low) + 1 for leaf in self.discrete for _ in range(leaf.width)
        ]
        self.single = len(self.sizes) == 1 and not self.continuous
        self.space = self._space()

    def _space(self) -> spaces.Space[Any]:
        parts: dict[str, spaces.Space[Any]] = {}
        if self.single:
            return spaces.Discrete(self.sizes[0])
        if self.discrete:
            parts["discrete"] = spaces.MultiDiscrete(self.sizes)
        if self.continuous:
            heads = self.continuous
            low = np.concatenate([np.full(x.width, x.low, np.float32) for x in heads])
            high = np.concatenate([np.full(x.width, x.high, np.float32) for x in heads])
            parts["continuous"] = spaces.Box(low, high, dtype=np.float32)
        return spaces.Dict(parts) if len(parts) == 2 else next(iter(parts.values()))

    def heads(self, actions: Any, rows: int) -> list[NDArray[Any]]:
        """Arrays [rows, numbers], one for each head, of a batch of actions."""
        if self.single:
            low = int(self.leaves[0].low)
            array = np.asarray(actions)
            return [array + low if low else array]
        both = isinstance(self.space, spaces.Dict)
        columns = {
            dtype: iter(self._split(actions[kind] if both else actions, leaves, rows))
            for dtype, kind, leaves in (
                ("i32", "discrete", self.discrete),
                ("f32", "continuous", self.continuous),
            )
            if leaves
        }
        return [next(columns[leaf.dtype]) for leaf in self.leaves]

    def actions(self, columns: Mapping[str, Any], rows: int) -> list[Any]:
        """The other way: an action of the space for each row of the heads' arrays."""
        parts: dict[str, NDArray[Any]] = {}
        for kind, leaves in (("discrete", self.discrete), ("continuous", self.continuous)):
            if leaves:
                parts[kind] = np.concatenate(
                    [self._column(columns[leaf.name], leaf, rows) for leaf in leaves], axis=1
                )
        if self.single:
            return list(parts["discrete"][:, 0])
        if len(parts) == 2:
            return [{kind: part[row] for kind, part in parts.items()} for row in range(rows)]
        return list(next(iter(parts.values())))

    @staticmethod
    def _column(values: Any, leaf: Leaf, rows: int) -> NDArray[Any]:
        array = np.asarray(values).reshape(rows, leaf.width)
        if leaf.dtype == "f32":
            return array.astype(np.float32)
        return array.astype(np.int64) - int(leaf.low)

    @staticmethod
    def _split(array: Any, leaves: list[Leaf], rows: int) -> list[NDArray[Any]]:
        width = sum(leaf.width for leaf in leaves)
        array = np.asarray(array)
        if array.size != rows * width:
            raise ParkError(
                "invalid_space", f"actions: {array.size} numbers, {rows * width} are asked for"
            )
        array = array.reshape(rows, width)
        ends = np.cumsum([leaf.width for leaf in leaves])
        parts = np.split(array, ends[:-1], axis=1)
        if leaves[0].dtype == "f32":
            return parts
        return [part + int(leaf.low) for part, leaf in zip(parts, leaves)]

    @property
    def mask_size(self) -> int:
        """Numbers of an action mask: all values of all integer heads."""
        return sum(self.sizes)


def key_of(name: str) -> str:
    """A leaf's key in a Dict; PyTorch allows no dots in the names of what it makes of them."""
    return name.replace(".", "_")


class ObservationMap:
    """Gymnasium's observation space of a spec.

    form "dict": Dict of one-dimensional Boxes, a leaf each, with _ for each dot of its name; leaves
    of a group are filled up with zeros to the group's capacity, and "valid_GROUP" tells which
    elements are there. form "graph":
    the same without the leaves of nodes and edges, which are in "graph", a Graph: `node_leaves`
    names the columns of its nodes. With `mask` there is also "action_mask".
    """

    def __init__(self, spec: Spec, form: str, mask_size: int, mask: bool) -> None:
        if form not in ("dict", "graph"):
            raise ParkError(
                "invalid_config", f"observation: '{form}'; allowed are dict and graph"
            )
        record = spec.observation
        self.record = record
        self.nodes, self.edges = _graph_groups(record) if form == "graph" else ("", "")
        if form == "graph" and not self.edges:
            raise ParkError("invalid_config", f"observation: {spec.name} has no graph; use dict")
        columns: dict[str, spaces.Space[Any]] = {}
        for leaf in record.leaves:
            if leaf.group and leaf.group in (self.nodes, self.edges):
                continue
            elements = record.capacity(leaf.group) if leaf.group else 1
            columns[leaf.name] = _box(leaf, elements * leaf.width, bool(leaf.group))
        for group in record.groups:
            if group.name not in (self.nodes, self.edges):
                columns[f"valid.{group.name}"] = spaces.Box(0, 1, (group.capacity,), np.uint8)
        self.keys = {key_of(name): name for name in columns}
        if len(self.keys) != len(columns):
            raise ParkError("invalid_space", f"{spec.name}: names differ in . and _ alone")
        parts = {key: columns[name] for key, name in self.keys.items()}
        if self.edges:
            self._add_graph(parts)
        if mask:
            parts["action_mask"] = spaces.Box(0, 1, (mask_size,), np.int8)
        self.mask = mask
        self.space = spaces.Dict(parts)

    def _add_graph(self, parts: dict[str, spaces.Space[Any]]) -> None:
        leaves = self.record.leaves
        self.node_leaves = [leaf for leaf in leaves if leaf.group == self.nodes]
        ends = [leaf for leaf in leaves if leaf.group == self.edges and leaf.index_of]
        self.parent, self.child = ends[0].name, ends[1].name
        self.node_dtype = dtype = np.result_type(*(DTYPES[leaf.dtype] for leaf in self.node_leaves))
        bounds = [_bounds(leaf, False) for leaf in self.node_leaves for _ in range(leaf.width)]
        low, high = (np.array(side, dtype) for side in zip(*bounds))
        parts["graph"] = spaces.Graph(
            node_space=spaces.Box(low, high, dtype=dtype), edge_space=spaces.Discrete(1)
        )

    def batch(self, padded: dict[str, NDArray[Any]]) -> Observation:
        """All rows of padded columns, without the mask; of graphs a tuple, one for each row."""
        out: Observation = {key: padded[name] for key, name in self.keys.items()}
        if self.edges:
            rows = range(len(padded[self.parent]))
            out["graph"] = tuple(self._graph(padded, row) for row in rows)
        return out

    def single(self, padded: dict[str, NDArray[Any]], row: int, mask: NDArray[Any]) -> Observation:
        """One row of padded columns as an observation."""
        out: Observation = {key: padded[name][row] for key, name in self.keys.items()}
        if self.edges:
            out["graph"] = self._graph(padded, row)
        if self.mask:
            out["action_mask"] = mask
        return out

    def _graph(self, padded: dict[str, NDArray[Any]], row: int) -> spaces.GraphInstance:
        n = int(padded[f"valid.{self.nodes}"][row].sum())
        m = int(padded[f"valid.{self.edges}"][row].sum())
        columns = [padded[leaf.name][row].reshape(-1, leaf.width)[:n] for leaf in self.node_leaves]
        nodes = np.concatenate(columns, axis=1, dtype=self.node_dtype)
        links = np.stack([padded[self.parent][row][:m], padded[self.child][row][:m]], axis=1)
        return spaces.GraphInstance(nodes, np.zeros(m, np.int64), links)


def _graph_groups(record: Record) -> tuple[str, str]:
    """The groups of nodes and edges: an edge has two indices of nodes."""
    for group in record.groups:
        ends = [x.index_of for x in record.leaves if x.group == group.name and x.index_of]
        if len(ends) == 2 and ends[0] == ends[1]:
            return ends[0], group.name
    return "", ""


def same_step() -> Any:
    """The mode of autoreset; Gymnasium 1.0 has no name for it."""
    mode = getattr(gym.vector, "AutoresetMode", None)
    return mode.SAME_STEP if mode is not None else "SameStep"
