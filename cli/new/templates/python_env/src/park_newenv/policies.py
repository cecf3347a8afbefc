"""Heuristics for newenv: the order of arrival, and the shortest job."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import park_sdk
from numpy.typing import NDArray
from park_sdk import Decisions
from park_sdk.plugins import Policy


@park_sdk.policy
class FirstCome(Policy):
    """the job that has waited longest"""

    name = "newenv_fifo"
    reference = "first come, first served"
    environments = ("newenv",)

    def act(self, asked: Decisions) -> list[int]:
        """The first among equals."""
        return [int(np.argmax(wait_s)) for wait_s in _by_row(asked, "job.wait_s")]


@park_sdk.policy
class Shortest(Policy):
    """the job with the least size - aging x wait

    With aging = 0 no rule that does not interrupt services has a smaller mean response time; with
    more, large jobs wait less.
    """

    name = "newenv_shortest"
    reference = "Phipps, Machine repair as a priority waiting-line problem, 1956"
    environments = ("newenv",)

    class Config:
        """A field that `park tune` tunes."""

        aging: float = park_sdk.field(
            0.0, "size that a second of waiting makes up for; large: first come", min=0, max=1000,
            tune="0:1:0.1",
        )

    def act(self, asked: Decisions) -> list[int]:
        """The first among equals."""
        rows = zip(_by_row(asked, "job.size_s"), _by_row(asked, "job.wait_s"), strict=True)
        return [int(np.argmin(size_s - self.config.aging * wait_s)) for size_s, wait_s in rows]


def _by_row(asked: Decisions, leaf: str) -> Iterator[NDArray[Any]]:
    """The values of the waiting jobs, row by row."""
    offsets = asked.offsets("jobs")
    for begin, end in zip(offsets[:-1], offsets[1:], strict=True):
        yield asked.observation[leaf][begin:end]
