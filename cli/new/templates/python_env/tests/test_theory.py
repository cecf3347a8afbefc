"""Compares the mean wait with queueing theory.

Both formulas hold for Poisson arrivals at the rate lambda and services that are not interrupted.
"""

import numpy as np
import park_newenv  # noqa: F401
import park_sdk
import pytest

LAMBDA = 0.5
HALF = "newenv(jobs=2000,interval_s=2)"
CONSTANT = "newenv(jobs=2000,interval_s=2,sizes=constant)"


def played_wait_s(env: str, policy: str) -> float:
    """The mean of the metric avg_wait_s over 40 episodes."""
    episodes = park_sdk.Episodes.of_run(seed=1, count=40)
    with park_sdk.Stream(env, episodes, slots=40) as stream:
        played = park_sdk.record(stream, park_sdk.Policy(policy, stream.spec))
    return float(np.mean(played.episodes["metric.avg_wait_s"]))


def fifo_wait_s(second_moment: float) -> float:
    """First come, first served with the mean size 1: Pollaczek, Khinchine 1930.

    E[W] = lambda E[S^2] / (2 (1 - rho)).
    """
    return LAMBDA * second_moment / (2 * (1 - LAMBDA))


def shortest_wait_s() -> float:
    """Shortest first with exponential sizes of mean 1: Phipps 1956.

    E[W] is the mean over sizes x of lambda E[S^2] / (2 (1 - rho(x))^2), where rho(x) is the load of
    the jobs shorter than x.
    """
    step = 1e-3
    x = np.arange(step / 2, 40, step)
    load = LAMBDA * (1 - (1 + x) * np.exp(-x))
    return float(np.sum(step * np.exp(-x) * LAMBDA / (1 - load) ** 2))


@pytest.mark.parametrize(
    ("env", "policy", "expected_s"),
    [
        pytest.param(HALF, "newenv_fifo", fifo_wait_s(2), id="M/M/1, first come"),
        pytest.param(CONSTANT, "newenv_fifo", fifo_wait_s(1), id="M/D/1, first come"),
        pytest.param(HALF, "newenv_shortest", shortest_wait_s(), id="M/M/1, shortest first"),
    ],
)
def test_mean_wait(env: str, policy: str, expected_s: float) -> None:
    """Within 6 %, some three standard deviations of the mean."""
    assert played_wait_s(env, policy) == pytest.approx(expected_s, rel=0.06)
