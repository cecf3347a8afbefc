"""Park's environments in Gymnasium's registry."""

from __future__ import annotations

import gymnasium as gym

from park_sdk import _core
from park_sdk.errors import ParkError


def gym_id(env: str) -> str:
    """Park/LoadBalance-v1 of load_balance."""
    words = "".join(word.capitalize() for word in env.split("_"))
    return f"Park/{words}-v{_core.spec(env)['version']}"


def register(env: str | None = None) -> None:
    """Registers an environment, or every simulated one; a second time does nothing.

    Of all, one that cannot be made here is left out: its data or a library of others is missing. `gym_id` and
    `ParkEnv` say which.
    """
    for known in _core.environments() if env is None else [env]:
        try:
            name = gym_id(known)
        except ParkError:
            if env is not None:
                raise
            continue
        if name not in gym.registry:
            gym.register(
                name,
                entry_point="park_sdk.env:ParkEnv",
                vector_entry_point="park_sdk.vector:ParkVectorEnv",
                kwargs={"env": known},
            )
