"""An environment of Gymnasium as one of Park: its spec, and the calls that the server makes."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from typing import Any

import gymnasium as gym
import numpy as np
from gymnasium import spaces
from numpy.typing import NDArray

from park_sdk.errors import ParkError
from park_sdk.spec import DTYPES
from park_sdk.spec import Leaf, Metric, Record, Spec

# The counts of the groups, of which there are none, and an array for each leaf.
Ungrouped = tuple[tuple[()], list[NDArray[Any]]]
LARGEST = float(np.finfo(np.float32).max)
MOST_CATEGORIES = 2**17  # of a leaf, over its values (park/core/categories.h)
METRICS = (
    Metric("episode_return", "1", False, "sum of the rewards of the episode"),
    Metric("episode_length", "steps", False, "steps of the episode"),
)


def _word(text: str) -> str:
    """As a name of Park: lower case, digits and _."""
    return re.sub(r"[^a-z0-9_]+", "_", str(text).lower()).strip("_") or "x"


def _parts(space: spaces.Space[Any], name: str) -> Iterator[tuple[str, spaces.Space[Any]]]:
    """The spaces without parts of their own, with their names, which are all different."""
    if isinstance(space, spaces.Dict):
        taken: set[str] = set()
        for key, part in space.items():
            word = wanted = _word(key)
            while word in taken:
                word = f"{wanted}_{len(taken)}"
            taken.add(word)
            yield from _parts(part, f"{name}.{word}")
    elif isinstance(space, spaces.Tuple):
        for i, part in enumerate(space):
            yield from _parts(part, f"{name}.{i}")
    else:
        yield name, space


def _values(space: spaces.Space[Any], value: Any) -> Iterator[Any]:
    """The values of these parts, in the same order."""
    if isinstance(space, spaces.Dict):
        for key, part in space.items():
            yield from _values(part, value[key])
    elif isinstance(space, spaces.Tuple):
        for part, of in zip(space, value):
            yield from _values(part, of)
    else:
        yield value


def _build(space: spaces.Space[Any], values: Iterator[Any]) -> Any:
    """The value of a space from those of its parts."""
    if isinstance(space, spaces.Dict):
        return {key: _build(part, values) for key, part in space.items()}
    if isinstance(space, spaces.Tuple):
        return tuple(_build(part, values) for part in space)
    return next(values)


def _none_of(space: spaces.Space[Any], name: str) -> ParkError:
    return ParkError(
        "invalid_space",
        f"{name}: {type(space).__name__} cannot be served; allowed are Box, Discrete, "
        "MultiDiscrete, MultiBinary, Dict and Tuple",
    )


def _integer(name: str, low: int, high: int) -> str:
    """The narrowest of Park's signed integers that holds both bounds."""
    for dtype in ("i32", "i64"):
        limits = np.iinfo(DTYPES[dtype])
        if limits.min <= low and high <= limits.max:
            return dtype
    raise ParkError("invalid_space", f"{name}: {high} is beyond the integers of 64 bits with a sign")


def _box_dtype(name: str, box: spaces.Box) -> str:
    dtype = np.dtype(box.dtype)
    if dtype.kind == "f":
        return "f64" if dtype.itemsize > 4 else "f32"
    if dtype.kind == "b" or dtype == np.uint8:
        return "u8"
    return _integer(name, int(box.low.min()), int(box.high.max()))


def observation_leaf(name: str, space: spaces.Space[Any]) -> Leaf:
    """The leaf of a space without parts; infinite bounds become the largest float32."""
    doc = f"{space}".replace("\n", " ")
    if 0 in (space.shape or ()):
        raise ParkError("invalid_space", f"{name}: shape {space.shape} has no numbers")
    if isinstance(space, spaces.Box):
        low, high = np.clip([space.low.min(), space.high.max()], -LARGEST, LARGEST)
        return Leaf(name, _box_dtype(name, space), space.shape, float(low), float(high), "1", doc)
    if isinstance(space, spaces.Discrete):
        return _whole(name, int(space.start), int(space.start + space.n) - 1, (), doc)
    if isinstance(space, spaces.MultiDiscrete):
        high = int((space.start + space.nvec).max()) - 1
        return _whole(name, int(space.start.min()), high, space.shape, doc)
    if isinstance(space, spaces.MultiBinary):
        return Leaf(name, "u8", space.shape, 0, 1, "1", doc)
    raise _none_of(space, name)


def _whole(name: str, low: int, high: int, shape: tuple[int, ...], doc: str) -> Leaf:
    """A leaf of whole numbers that are names, such as of states: networks take no size from them."""
    dtype = _integer(name, low, high)
    names = int(np.prod(shape)) * (high - low + 1)
    unit = "category" if dtype == "i32" and names <= MOST_CATEGORIES else "1"
    return Leaf(name, dtype, shape, low, high, unit, doc)


def action_leaves(name: str, space: spaces.Space[Any]) -> list[Leaf]:
    """The heads of a space without parts; a MultiDiscrete has one for each of its numbers."""
    doc = f"{space}".replace("\n", " ")
    if isinstance(space, spaces.Box):
        if not (np.isfinite(space.low).all() and np.isfinite(space.high).all()):
            raise ParkError("invalid_space", f"{name}: the bounds of an action must be finite")
        return [Leaf(name, "f32", space.shape, -1, 1, "1", doc)]
    if isinstance(space, spaces.Discrete):
        return [_head(name, int(space.start), int(space.n), doc)]
    if isinstance(space, spaces.MultiDiscrete):
        numbers = zip(space.start.ravel(), space.nvec.ravel())
        return [_head(f"{name}.{i}", int(a), int(n), doc) for i, (a, n) in enumerate(numbers)]
    if isinstance(space, spaces.MultiBinary):
        return [Leaf(name, "i32", space.shape, 0, 1, "1", doc)]
    raise _none_of(space, name)


def _head(name: str, low: int, n: int, doc: str) -> Leaf:
    """A head that is one of n whole numbers."""
    if _integer(name, low, low + n - 1) != "i32":
        raise ParkError("invalid_space", f"{name}: {n} values from {low} on; an action has 32 bits")
    return Leaf(name, "i32", (), low, low + n - 1, "1", doc)


def _mask_leaves(heads: list[Leaf], mask: Any) -> list[Leaf]:
    """The masks of heads of one whole number, which `mask` has one after the other."""
    chosen = [head for head in heads if head.dtype == "i32" and head.shape == ()]
    widths = [int(head.high - head.low) + 1 for head in chosen]
    if np.size(mask) != sum(widths):
        raise ParkError(
            "invalid_space",
            f"info['action_mask']: has {np.size(mask)} numbers; the actions have {sum(widths)} values",
        )
    doc = "1: the value is allowed"
    return [
        Leaf(f"mask.{head.name}", "u8", (width,), 0, 1, "1", doc)
        for head, width in zip(chosen, widths)
    ]


def _action_value(space: spaces.Space[Any], heads: Iterator[NDArray[Any]]) -> Any:
    """The value of a space without parts from its heads, in the space's own type."""
    if isinstance(space, spaces.Box):
        part = (next(heads).astype(np.float64).reshape(space.shape) + 1) / 2
        low, high = space.low.astype(np.float64), space.high.astype(np.float64)
        return (low + part * (high - low)).astype(space.dtype)
    if isinstance(space, spaces.Discrete):
        return np.int64(next(heads)[0])
    if isinstance(space, spaces.MultiDiscrete):
        values = [next(heads)[0] for _ in range(space.nvec.size)]
        return np.array(values, space.dtype).reshape(space.shape)
    return next(heads).astype(space.dtype).reshape(space.shape)


def spec_of(make: Callable[[], gym.Env[Any, Any]], name: str | None) -> Spec:
    """The spec of the environments that `make` makes."""
    env = make()
    try:
        _, info = env.reset(seed=0)
        known = env.spec.id if env.spec is not None else type(env.unwrapped).__name__
        observation = [observation_leaf(*part) for part in _parts(env.observation_space, "obs")]
        action = [x for part in _parts(env.action_space, "action") for x in action_leaves(*part)]
        if "action_mask" in info:
            observation += _mask_leaves(action, info["action_mask"])
        return Spec(
            name=name or _word(known),
            summary=f"{known} of Gymnasium",
            reference=f"Gymnasium {gym.__version__}",
            version=1,
            observation=Record(tuple(observation)),
            action=Record(tuple(action)),
            metrics=METRICS,
        )
    finally:
        env.close()


class EnvAdapter:
    """What the compiled part calls: one environment, one thread at a time."""

    def __init__(self, env: gym.Env[Any, Any], spec: Spec) -> None:
        self._env = env
        self._leaves = spec.observation.leaves
        masks = [leaf.width for leaf in self._leaves if leaf.name.startswith("mask.")]
        self._mask_ends = np.cumsum(masks, dtype=np.int64)
        self._steps, self._return, self._horizon_s = 0, 0.0, float("inf")

    def reset(self, number: int, inputs: int, dynamics: int, horizon_s: float) -> Ungrouped:
        """Gymnasium has one seed: that of the inputs."""
        self._steps, self._return, self._horizon_s = 0, 0.0, horizon_s
        observation, info = self._env.reset(seed=inputs % 2**31)
        return self._columns(observation, info)

    def step(self, heads: list[NDArray[Any]]) -> tuple[Ungrouped, float, float, int]:
        """Observation, reward, seconds, and 0 going on, 1 terminated, 2 truncated."""
        values = iter(heads)
        parts = [_action_value(part, values) for _, part in _parts(self._env.action_space, "")]
        action = _build(self._env.action_space, iter(parts))
        observation, reward, terminated, truncated, info = self._env.step(action)
        self._steps += 1
        self._return += float(reward)
        end = 1 if terminated else 2 if truncated or self._steps >= self._horizon_s else 0
        return self._columns(observation, info), float(reward), 1.0, end

    def metrics(self) -> list[float]:
        """In the order of METRICS."""
        return [self._return, float(self._steps)]

    def _columns(self, observation: Any, info: dict[str, Any]) -> Ungrouped:
        values = list(_values(self._env.observation_space, observation))
        if len(self._mask_ends):
            mask = info.get("action_mask", np.ones(self._mask_ends[-1], np.uint8))
            values += np.split(np.asarray(mask).reshape(-1), self._mask_ends[:-1])
        return (), [np.asarray(v, DTYPES[leaf.dtype]) for v, leaf in zip(values, self._leaves)]

    def __del__(self) -> None:
        self._env.close()
