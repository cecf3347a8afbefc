"""Trajectories for offline learning: recorded as columns, kept as NPZ or Parquet."""

from __future__ import annotations

import dataclasses
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from park_sdk.stream import Columns, Decisions, Policy, Stream

Array = NDArray[Any]


@dataclasses.dataclass
class Trajectories:
    """Episodes as columns. Steps are in the order of their episodes; n steps, m episodes.

    steps: name -> [n, shape]. episode (its number), step (from 0), reward, elapsed_s (seconds) and
        applied (0 policy, 1 projected, 2 fallback) of what the action of that step led to,
        terminated and truncated (true in an episode's last step alone), obs.LEAF and action.HEAD.
        A leaf of a group has the elements of all steps one after the other, and count.GROUP [n]
        tells how many each step has.
    episodes: name -> [m, shape]. episode, metric.NAME, and final.LEAF with final.count.GROUP: the
        observation after an episode's last step. The observation after any other step is that of
        the next row.
    spec: the environment's spec as dicts.
    """

    steps: Columns
    episodes: Columns
    spec: dict[str, Any]

    def save_npz(self, path: str | Path) -> None:
        """A file for numpy.load: steps/NAME, episodes/NAME, and spec as JSON."""
        columns = {f"steps/{k}": v for k, v in self.steps.items()}
        columns |= {f"episodes/{k}": v for k, v in self.episodes.items()}
        columns["spec"] = np.array(json.dumps(self.spec))
        np.savez_compressed(path, **columns)  # type: ignore[arg-type]

    @staticmethod
    def load_npz(path: str | Path) -> Trajectories:
        """What save_npz has written."""
        with np.load(path, allow_pickle=False) as file:
            parts: dict[str, Columns] = {"steps": {}, "episodes": {}}
            for key in file.files:
                if key != "spec":
                    part, name = key.split("/", 1)
                    parts[part][name] = file[key]
            return Trajectories(parts["steps"], parts["episodes"], json.loads(str(file["spec"])))

    def save_parquet(self, path: str | Path) -> None:
        """Needs pyarrow. The steps; the episodes go to a file NAME.episodes.parquet beside it.

        Columns of groups are lists, leaves with a shape are lists of a fixed size; the schema's
        metadata has the spec as JSON.
        """
        import pyarrow as pa  # type: ignore[import-untyped]
        import pyarrow.parquet as pq  # type: ignore[import-untyped]

        groups = _groups(self.spec)
        path = Path(path)
        for columns, prefix, file in (
            (self.steps, "", path),
            (self.episodes, "final.", path.with_suffix(".episodes.parquet")),
        ):
            table = pa.table(_arrow(columns, prefix, groups))
            table = table.replace_schema_metadata({"park.spec": json.dumps(self.spec)})
            pq.write_table(table, file)


def record(stream: Stream, policy: Policy | Callable[[Decisions], ArrayLike]) -> Trajectories:
    """Plays a stream to its end, with a heuristic or a function of what is asked."""
    asked: list[Decisions] = []
    actions: list[list[Array]] = []
    heads = [leaf.name for leaf in stream.spec.action.leaves]
    while True:
        decisions = stream.recv()
        asked.append(decisions)
        if decisions.done:
            return _assemble(stream, asked, actions)
        answer = policy.act(stream) if isinstance(policy, Policy) else policy(decisions)
        columns = answer if isinstance(answer, dict) else {heads[0]: np.asarray(answer)}
        actions.append([np.asarray(columns[h]) for h in heads])
        stream.send(columns)


def _groups(spec: dict[str, Any]) -> dict[str, str]:
    """Leaf of the observation -> its group."""
    return {x["name"]: x["group"] for x in spec["observation"]["leaves"] if x["group"]}


def _joined(parts: list[Array]) -> Array:
    return np.concatenate(parts) if len(parts) != 1 else parts[0]


def _reordered(values: Array, counts: Array, order: Array) -> Array:
    """Elements of ragged rows, the rows in another order."""
    starts = np.cumsum(counts) - counts
    sizes = counts[order]
    ends = np.cumsum(sizes)
    at = np.arange(sizes.sum()) - np.repeat(ends - sizes, sizes) + np.repeat(starts[order], sizes)
    out: Array = values[at]
    return out


def _observations(
    rows: list[Any], order: Array, groups: dict[str, str], prefix: str, count: str
) -> Columns:
    counts = {g: _joined([r.counts[g] for r in rows]) for g in rows[0].counts}
    out: Columns = {f"{count}{g}": c[order] for g, c in counts.items()}
    for name in rows[0].observation:
        values = _joined([r.observation[name] for r in rows])
        if name in groups:
            out[f"{prefix}{name}"] = _reordered(values, counts[groups[name]], order)
        else:
            out[f"{prefix}{name}"] = values[order]
    return out


def _assemble(stream: Stream, asked: list[Decisions], actions: list[list[Array]]) -> Trajectories:
    spec = stream.spec.to_dict()
    groups = _groups(spec)
    rows = asked[:-1]  # the last one asks nothing
    ended = [d.ended for d in asked if d.ended is not None]
    context = _joined([d.context for d in rows])
    order = np.lexsort([_joined([d.sequence for d in rows]), context])
    ends = np.argsort(_joined([e.context for e in ended]), kind="stable")
    context = context[order]
    last = np.append(context[1:] != context[:-1], True)
    steps: Columns = {"episode": context, "step": _joined([d.sequence for d in rows])[order]}
    for name in ("reward", "elapsed_s", "applied"):
        # What an action led to comes with the next row of its episode, or with its end.
        before = _joined([getattr(d, name) for d in rows])[order]
        column = np.append(before[1:], before[:1])
        column[last] = _joined([getattr(e, name) for e in ended])[ends]
        steps[name] = column
    truncated = _joined([e.truncated for e in ended])[ends]
    for name, value in (("terminated", ~truncated), ("truncated", truncated)):
        steps[name] = np.zeros(len(context), bool)
        steps[name][last] = value
    steps |= _observations(rows, order, groups, "obs.", "count.")
    for i, leaf in enumerate(stream.spec.action.leaves):
        steps[f"action.{leaf.name}"] = _joined([a[i] for a in actions])[order]
    episodes: Columns = {"episode": _joined([e.context for e in ended])[ends]}
    metrics = _joined([e.metrics for e in ended])[ends]
    episodes |= {f"metric.{m.name}": metrics[:, i] for i, m in enumerate(stream.spec.metrics)}
    episodes |= _observations(ended, ends, groups, "final.", "final.count.")
    return Trajectories(steps, episodes, spec)


def _arrow(columns: Columns, prefix: str, groups: dict[str, str]) -> dict[str, Any]:
    import pyarrow as pa

    out: dict[str, Any] = {}
    for name, values in columns.items():
        array = pa.array(values.reshape(-1))
        for size in reversed(values.shape[1:]):
            array = pa.FixedSizeListArray.from_arrays(array, size)
        leaf = name.removeprefix(prefix or "obs.")
        if leaf != name and leaf in groups:
            counts = columns[f"{prefix}count.{groups[leaf]}"]
            offsets = np.concatenate([[0], np.cumsum(counts)]).astype(np.int32)
            array = pa.ListArray.from_arrays(offsets, array)
        out[name] = array
    return out
