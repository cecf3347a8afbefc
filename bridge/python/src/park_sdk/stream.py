"""Environments as a stream of questions: the interface that everything else here is made of."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from types import TracebackType
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from park_sdk import _core
from park_sdk.entry_points import find, find_policy
from park_sdk.errors import ParkError
from park_sdk.spec import Spec
from park_sdk.texts import env_text, remote_text

Columns = dict[str, NDArray[Any]]


class Ended(NamedTuple):
    """Episodes that ended; m rows. Reward and time are those since the episode's last row."""

    slot: NDArray[np.uint32]  # [m]
    context: NDArray[np.uint64]  # [m] number of the episode
    decisions: NDArray[np.uint64]  # [m] of the whole episode
    reward: NDArray[np.float64]  # [m]
    elapsed_s: NDArray[np.float64]  # [m] seconds
    applied: NDArray[np.uint8]  # [m] 0 policy, 1 projected, 2 fallback
    skipped: NDArray[np.uint32]  # [m] questions that nobody saw
    truncated: NDArray[np.bool_]  # [m] cut off at the horizon; else it came to its end
    observation: Columns  # the final one, as in Decisions
    counts: dict[str, NDArray[np.int64]]
    metrics: NDArray[np.float64]  # [m, metrics of the spec]


class Decisions(NamedTuple):
    """What is asked (n rows) and what has ended; handle `ended` first. The arrays are copies."""

    slot: NDArray[np.uint32]  # [n]
    context: NDArray[np.uint64]  # [n] number of the episode
    sequence: NDArray[np.uint64]  # [n] rows of the episode before this one; 0 begins it
    reward: NDArray[np.float64]  # [n] since the episode's row before
    elapsed_s: NDArray[np.float64]  # [n] seconds, likewise
    applied: NDArray[np.uint8]  # [n] who decided before: 0 policy, 1 projected, 2 fallback
    skipped: NDArray[np.uint32]  # [n] questions since then that nobody saw
    observation: Columns  # leaf -> [n, shape]; of a group [sum of counts, shape]
    counts: dict[str, NDArray[np.int64]]  # group -> [n] elements of each row
    ended: Ended | None
    done: bool  # nothing will follow

    def offsets(self, group: str) -> NDArray[np.int64]:
        """[n + 1]: row r has the elements offsets[r] to offsets[r + 1] - 1 of the group."""
        return np.concatenate([[0], np.cumsum(self.counts[group])])


def decisions_of(fields: tuple[Any, ...]) -> Decisions:
    """Of the tuple that the compiled part gives."""
    *asked, ended, done = fields
    return Decisions._make([*asked, None if ended is None else Ended._make(ended), done])


class Episodes:
    """Which episodes are played: their seeds. The same seed gives the same inputs."""

    def __init__(self, core: _core.Episodes) -> None:
        self.core = core

    @staticmethod
    def of_run(
        seed: int = 1,
        count: int | None = None,
        phase: str = "evaluate",
        mean_horizon_s: float = math.inf,
    ) -> Episodes:
        """`count` episodes (None: without end); those of ``park run --seed`` by default.

        `phase` is train, validate or evaluate: inputs of different phases never meet. With a
        finite `mean_horizon_s` each episode is truncated after a time drawn with that mean.
        """
        return Episodes(_core.Episodes.of_run(seed, phase, count, mean_horizon_s))

    @staticmethod
    def of_slots(
        seeds: Sequence[int],
        phase: str = "train",
        mean_horizon_s: float = math.inf,
        first: int = 0,
    ) -> Episodes:
        """Without end; slot s plays episodes first, first + 1, ... of the run with seeds[s]."""
        return Episodes(_core.Episodes.of_slots(list(seeds), phase, mean_horizon_s, first))

    @staticmethod
    def listed(seeds: Sequence[tuple[int, int]], horizon_s: float = math.inf) -> Episodes:
        """One episode for each pair of seeds: of its inputs, and of all other chance."""
        return Episodes(_core.Episodes.listed([(i, d, horizon_s) for i, d in seeds]))


class Stream:
    """Environments side by side, here or behind an endpoint; `recv` and `send` alternate.

    env: a text such as ``load_balance(servers=4)``, or its name with the fields as `config`.
    episodes: what is played; slot s of N plays the episodes s, s + N, s + 2 N, ...
    slots: environments side by side.
    workers: threads that step them, where a step takes microseconds; 0: the caller.
    illegal: what becomes of an action outside its space: error raises ParkError before anything
        moves, project takes the nearest legal one, penalise also takes `penalty` off the reward.
    endpoint: of a server (``park serve``), such as tcp://127.0.0.1:5555; None: in this process.
    timeout_s: the longest wait for a server's reply.
    remote: more fields of the environment ``remote``.

    One thread at a time. Ctrl-C ends a wait. What waits for a server cannot be used after a fork.
    """

    def __init__(
        self,
        env: str,
        episodes: Episodes,
        *,
        slots: int = 1,
        workers: int = 0,
        illegal: str = "error",
        penalty: float = 1.0,
        endpoint: str | None = None,
        timeout_s: float = 60.0,
        remote: Mapping[str, Any] | None = None,
        **config: Any,
    ) -> None:
        text = env_text(env, config) if config else env
        if endpoint is not None:
            text = remote_text(endpoint, text, {"timeout_s": timeout_s, **(remote or {})})
        else:
            find(text)
        self._core = _core.Stream(
            text, episodes.core, slots, workers, illegal, penalty, float(timeout_s)
        )
        self.spec: Spec = Spec.from_dict(self._core.spec())
        self._heads = [leaf.name for leaf in self.spec.action.leaves]

    def recv(self, padded: bool = False) -> Decisions:
        """What is asked next.

        With `padded` every leaf of the observation is [n, numbers of a row]: groups are filled up
        with zeros to their capacity, and ``valid.GROUP`` [n, capacity] tells what is there.
        """
        return decisions_of(self._core.recv(padded))

    def send(self, actions: ArrayLike | Mapping[str, ArrayLike]) -> None:
        """A row for each one asked: an array for each head ([n], or [n, numbers]), by name.

        With a single head the array alone will do. Values are those of the spec.
        """
        if isinstance(actions, Mapping):
            if set(actions) != set(self._heads):
                raise ParkError(
                    "invalid_space", f"actions: the heads are {', '.join(self._heads)}"
                )
            self._core.send([actions[name] for name in self._heads])
        else:
            self._core.send([actions])

    def masks(self) -> NDArray[np.int8]:
        """[n, size]: 1 for each value of the integer heads that is allowed, head after head.

        A head that depends on an earlier one has 1 where some allowed choice of that one leaves
        the value open.
        """
        return self._core.masks()

    def close(self) -> None:
        """Ends the stream; a second time does nothing."""
        self._core.close()

    def __enter__(self) -> Stream:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()


class Policy:
    """A heuristic or a class of Python (park_sdk.policy) by its text, such as least_work, for the
    streams of one environment.

    seed, phase: of the run; with those of ``park run`` the actions are the same, too.
    """

    def __init__(self, text: str, spec: Spec, seed: int = 1, phase: str = "evaluate") -> None:
        find_policy(text)
        self._core = _core.Policy(text, spec.to_dict(), seed, phase)

    def act(self, stream: Stream) -> Columns:
        """Its answer to what the stream asks now: head -> [n], for Stream.send."""
        return stream._core.decide(self._core)
