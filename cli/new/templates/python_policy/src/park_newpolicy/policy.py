"""A job goes to the server with the least wait + weight x service time."""

from __future__ import annotations

import numpy as np
import park_sdk
from numpy.typing import NDArray
from park_sdk import Decisions
from park_sdk.plugins import Policy


@park_sdk.policy
class WeightedDelay(Policy):
    """the least wait + weight x service time

    With weight = 1 that is the greedy choice; with less, slow servers that stand idle are used more.
    """

    name = "newpolicy"
    reference = "shortest expected delay, with a weight"
    environments = ("load_balance",)

    class Config:
        """A field that `park tune` tunes."""

        weight: float = park_sdk.field(
            1.0, "of the service time against the wait", min=0, max=100, tune="0:2:0.25"
        )

    def act(self, asked: Decisions) -> NDArray[np.intp]:
        """The first server among equals. `park describe load_balance` lists the leaves."""
        leaves = asked.observation
        service_s = leaves["job.size"][:, None] / leaves["server.rate"]
        cost_s = leaves["server.drain_s"] + self.config.weight * service_s
        best: NDArray[np.intp] = np.argmin(cost_s, axis=1)
        return best
