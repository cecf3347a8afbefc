"""Small situations with the right answer written down: three servers and the job that asks."""

from types import SimpleNamespace

import numpy as np
import park_newpolicy
import park_sdk
import pytest

SITUATIONS = [
    # weight, rate, drain_s, size, the right answer
    (1.0, [1, 1, 1], [3, 2, 4], 5, 1),  # the least wait
    (1.0, [1, 4, 1], [0, 2, 0], 5, 1),  # the fast one, 3.25 s against 5
    (0.25, [1, 4, 1], [0, 2, 0], 5, 0),  # 1.25 s against 2.31
    (1.0, [2, 2, 2], [1, 1, 1], 5, 0),  # the first among equals
]


@pytest.mark.parametrize(("weight", "rate", "drain_s", "size", "server"), SITUATIONS)
def test_choice(
    weight: float, rate: list[float], drain_s: list[float], size: float, server: int
) -> None:
    """One question, by itself and together with another one."""
    spec = park_sdk.spec("load_balance(servers=3)")
    policy = park_newpolicy.WeightedDelay(SimpleNamespace(weight=weight), spec)
    with park_sdk.Stream("load_balance(servers=3)", park_sdk.Episodes.of_run(), slots=2) as stream:
        asked = stream.recv()
    observation = {
        **asked.observation,
        "server.rate": np.array([rate, [1, 1, 1]]),
        "server.drain_s": np.array([drain_s, [9, 9, 0]]),
        "job.size": np.array([size, 1]),
    }
    assert list(policy.act(asked._replace(observation=observation))) == [server, 2]
