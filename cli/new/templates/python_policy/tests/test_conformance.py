"""Checks what a policy owes: its actions are legal and do not depend on how episodes are played."""

import numpy as np
import park_newpolicy  # noqa: F401
import park_sdk
import pytest


@pytest.mark.parametrize("env", ["load_balance(jobs=60)", "load_balance(servers=1,jobs=20)"])
@pytest.mark.parametrize("policy", ["newpolicy", "newpolicy(weight=0)", "newpolicy(weight=100)"])
def test_episodes(env: str, policy: str) -> None:
    """An illegal action raises; one, three and eight episodes at once give the same figures."""
    rewards = []
    for slots in (1, 3, 8):
        episodes = park_sdk.Episodes.of_run(seed=1, count=8)
        with park_sdk.Stream(env, episodes, slots=slots) as stream:
            played = park_sdk.record(stream, park_sdk.Policy(policy, stream.spec))
        rewards.append(np.sort(played.episodes["metric.avg_response_s"]))
    assert all(np.array_equal(found, rewards[0]) for found in rewards)
