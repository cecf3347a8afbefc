"""The same episodes and actions give the same bytes here and behind an endpoint."""

import numpy as np
import pytest

import park_sdk
from conftest import small_environments

SMALL = list(small_environments().items())


def bytes_of(value):
    """All arrays in what a stream delivered."""
    if isinstance(value, dict):
        for key in sorted(value):
            yield from bytes_of(value[key])
    elif isinstance(value, tuple):
        for part in value:
            yield from bytes_of(part)
    elif isinstance(value, np.ndarray):
        yield value.tobytes()


def trajectory(env, fields, endpoint, slots):
    stream = park_sdk.Stream(
        env,
        park_sdk.Episodes.of_run(seed=3, count=5),
        slots=slots,
        illegal="project",
        endpoint=endpoint,
        **fields,
    )
    rng = np.random.default_rng(1)
    heads = stream.spec.action.leaves
    out = []
    while True:
        asked = stream.recv(padded=slots == 1)
        out.extend(bytes_of(asked))
        if asked.done:
            return out
        n = len(asked.slot)
        stream.send({x.name: rng.integers(x.low, x.high + 1, n) for x in heads})


@pytest.mark.parametrize("env,fields", SMALL)
@pytest.mark.parametrize("slots", [1, 3])
def test_trajectories_are_equal(env, fields, slots, endpoint):
    here = trajectory(env, fields, None, slots)
    assert len(here) > 100
    assert here == trajectory(env, fields, endpoint, slots)


@pytest.mark.parametrize("env,fields", SMALL)
def test_environments_are_equal(env, fields, endpoint):
    def play(where):
        envs = park_sdk.ParkVectorEnv(env, 2, endpoint=where, **fields)
        envs.reset(seed=9)
        envs.action_space.seed(1)
        out = []
        for _ in range(30):
            observation, reward, terminated, truncated, info = envs.step(envs.action_space.sample())
            out.extend(bytes_of((observation, reward, terminated, truncated)))
        return out

    assert play(None) == play(endpoint)


@pytest.mark.smoke
def test_a_single_environment_over_the_bridge(endpoint):
    here, there = (park_sdk.ParkEnv("load_balance", endpoint=e, jobs=8) for e in (None, endpoint))
    for env in (here, there):
        env.reset(seed=2)
    for action in range(8):
        a, b = here.step(action), there.step(action)
        assert a[1:4] == b[1:4]
        assert list(bytes_of(a[0])) == list(bytes_of(b[0]))
    assert a[4] == b[4]


def test_a_heuristic_plays_both(endpoint):
    def metrics(where):
        stream = park_sdk.Stream(
            "load_balance(jobs=50)",
            park_sdk.Episodes.of_run(seed=1, count=4),
            slots=2,
            endpoint=where,
        )
        policy = park_sdk.Policy("power_of_d(d=3)", stream.spec)
        return park_sdk.record(stream, policy).episodes["metric.avg_response_s"].tolist()

    assert metrics(None) == metrics(endpoint)


def test_errors_of_the_server_arrive(endpoint):
    with pytest.raises(park_sdk.ParkError) as raised:
        park_sdk.ParkEnv("load_balance(servers=0)", endpoint=endpoint)
    assert raised.value.code == "invalid_config"
    assert "servers = 0 is outside [1, 4096]" in str(raised.value)
    with pytest.raises(park_sdk.ParkError, match="no server answers"):
        park_sdk.ParkEnv("load_balance", endpoint="tcp://127.0.0.1:9", timeout_s=0.3)
    with pytest.raises(park_sdk.ParkError, match="allowed are ipc://PATH"):
        park_sdk.ParkEnv("load_balance", endpoint="nowhere")
