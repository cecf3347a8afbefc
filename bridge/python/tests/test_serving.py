"""Python serves policies and environments."""

import json

import gymnasium as gym
import numpy as np
import pytest

import park_sdk
from park_sdk.conformance import shortest_queue
from park_sdk.served_env import observation_leaf
from park_sdk.spec import DTYPES


class Guarded(gym.Env):
    """Ends after five steps; the reward is the action, of which every other one is masked out."""

    def __init__(self, space=None):
        self.observation_space = gym.spaces.Dict(
            {"count": gym.spaces.Discrete(1000, start=-1), "Last One": gym.spaces.Box(-9, 9, (2,))}
        )
        self.action_space = space or gym.spaces.Discrete(4, start=2)
        self.taken = []

    def _row(self):
        last = np.full(2, len(self.taken), np.float32)
        row = {"count": len(self.taken), "Last One": last}
        masked = isinstance(self.action_space, gym.spaces.Discrete)
        return row, {"action_mask": np.array([1, 0, 1, 0], np.int8)} if masked else {}

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        self.taken = []
        return self._row()

    def step(self, action):
        assert self.action_space.contains(action), action
        self.taken.append(action)
        observation, info = self._row()
        reward = float(action) if np.ndim(action) == 0 and not isinstance(action, dict) else 1.0
        return observation, reward, len(self.taken) == 5, False, info


def stream_of(endpoint, **options):
    episodes = park_sdk.Episodes.of_run(seed=1, count=4)
    return park_sdk.Stream("", episodes, endpoint=endpoint, timeout_s=10, **options)


def test_a_served_environment_is_driven_by_the_library():
    with park_sdk.serve_env(Guarded, name="guarded") as server:
        stream = stream_of(server.endpoint, slots=2, illegal="project")
        assert stream.spec.name == "guarded"
        names = [leaf.name for leaf in stream.spec.observation.leaves]
        assert names == ["obs.last_one", "obs.count", "mask.action"]
        assert (stream.spec.action.leaves[0].low, stream.spec.action.leaves[0].high) == (2, 5)
        t = park_sdk.record(stream, lambda asked: np.full(len(asked.slot), 3))
        stream.close()
    assert len(t.episodes["episode"]) == 4
    assert t.steps["terminated"].sum() == 4
    # 3 is masked out; 2 is the nearest that is not.
    assert (t.episodes["metric.episode_return"] == 10).all()
    assert (t.steps["applied"] == 1).all()
    assert (t.steps["obs.obs.count"].reshape(4, 5) == np.arange(5)).all()


@pytest.mark.parametrize(
    "space,heads",
    [
        (gym.spaces.MultiDiscrete([3, 4], start=[1, 0]), [("i32", 1, 3), ("i32", 0, 3)]),
        (gym.spaces.MultiBinary(3), [("i32", 0, 1)]),
        (gym.spaces.Box(np.float32([-2, 0]), np.float32([2, 8])), [("f32", -1, 1)]),
        (
            gym.spaces.Dict({"a": gym.spaces.Discrete(2), "b": gym.spaces.Box(0, 3, (1,))}),
            [("i32", 0, 1), ("f32", -1, 1)],
        ),
        (gym.spaces.Tuple([gym.spaces.Discrete(2), gym.spaces.Discrete(3)]), None),
    ],
)
def test_actions_of_every_kind_arrive(space, heads):
    taken = []

    class Watched(Guarded):
        def step(self, action):
            taken.append(action)
            return super().step(action)

    with park_sdk.serve_env(lambda: Watched(space)) as server:
        stream = stream_of(server.endpoint)
        leaves = stream.spec.action.leaves
        if heads is not None:
            assert [(x.dtype, x.low, x.high) for x in leaves] == heads
        t = park_sdk.record(
            stream,
            lambda asked: {x.name: np.full((1, x.width), x.high, DTYPES[x.dtype]) for x in leaves},
        )
        stream.close()
    assert t.steps["terminated"].sum() == 4
    assert all(space.contains(action) for action in taken)
    if isinstance(space, gym.spaces.Box):
        assert (taken[0] == space.high).all()


@pytest.mark.parametrize(
    "space,leaf",
    [
        (gym.spaces.Discrete(500), ("i32", (), 0, 499, "category")),
        (gym.spaces.Discrete(3, start=-1), ("i32", (), -1, 1, "category")),
        (gym.spaces.MultiDiscrete([4, 6]), ("i32", (2,), 0, 5, "category")),
        (gym.spaces.Discrete(2**18), ("i32", (), 0, 2**18 - 1, "1")),
        (gym.spaces.Discrete(2**40), ("i64", (), 0, 2**40 - 1, "1")),
        (gym.spaces.Box(0, 9, (2,), np.int32), ("i32", (2,), 0, 9, "1")),
    ],
)
def test_numbers_of_discrete_observations_are_categories(space, leaf):
    found = observation_leaf("obs", space)
    assert (found.dtype, found.shape, found.low, found.high, found.unit) == leaf


def test_every_number_of_several_has_its_mask():
    class Masked(Guarded):
        def _row(self):
            return super()._row()[0], {"action_mask": np.array([0, 1, 1, 0, 0], np.int8)}

    with park_sdk.serve_env(lambda: Masked(gym.spaces.MultiDiscrete([2, 3]))) as server:
        stream = stream_of(server.endpoint, illegal="error")
        asked = stream.recv()
        assert asked.observation["mask.action.0"].tolist() == [[0, 1]]
        assert asked.observation["mask.action.1"].tolist() == [[1, 0, 0]]
        stream.send({"action.0": np.array([1]), "action.1": np.array([0])})
        stream.recv()
        with pytest.raises(park_sdk.ParkError, match="illegal action in row 0"):
            stream.send({"action.0": np.array([1]), "action.1": np.array([2])})
    with pytest.raises(park_sdk.ParkError, match="has 5 numbers; the actions have 6 values"):
        park_sdk.serve_env(lambda: Masked(gym.spaces.MultiDiscrete([3, 3])))


def test_large_numbers_arrive_whole():
    class Large(Guarded):
        def __init__(self):
            super().__init__()
            self.observation_space = gym.spaces.Dict(
                {
                    "A": gym.spaces.Discrete(2**40),
                    "a": gym.spaces.MultiDiscrete([2**40, 3], dtype=np.int64),
                }
            )

        def _row(self):
            return {"A": 2**35 + 7, "a": np.array([2**36 + 1, 2])}, {}

    with park_sdk.serve_env(Large) as server:
        observation = stream_of(server.endpoint).recv().observation
    assert observation["obs.a"].tolist() == [2**35 + 7]
    assert observation["obs.a_1"].tolist() == [[2**36 + 1, 2]]


def test_what_python_raises_is_told_to_the_client():
    class Broken(Guarded):
        def step(self, action):
            raise ValueError("the pump is stuck\nsecond line")

    with park_sdk.serve_env(Broken, name="broken") as server:
        stream = stream_of(server.endpoint, illegal="project")
        asked = stream.recv()
        stream.send(np.full(len(asked.slot), 2))
        with pytest.raises(park_sdk.ParkError, match="ValueError: the pump is stuck$"):
            stream.recv()


class Odd(Guarded):
    """Has an observation that is not served."""

    def __init__(self, space):
        super().__init__()
        self.observation_space = gym.spaces.Dict({"x": space})


def test_spaces_that_cannot_be_served_are_named():
    with pytest.raises(park_sdk.ParkError, match="action: Text cannot be served; allowed are Box"):
        park_sdk.serve_env(lambda: Guarded(gym.spaces.Text(5)))
    for space, why in (
        (gym.spaces.Box(0, 1, (0,)), r"obs.x: shape \(0,\) has no numbers"),
        (gym.spaces.Box(0, 2**63, (1,), np.uint64), "obs.x: 9223372036854775808 is beyond"),
    ):
        with pytest.raises(park_sdk.ParkError, match=why):
            park_sdk.serve_env(lambda space=space: Odd(space))
    with pytest.raises(park_sdk.ParkError, match="4294967296 values from 0 on"):
        park_sdk.serve_env(lambda: Guarded(gym.spaces.MultiDiscrete([2**32])))
    with pytest.raises(park_sdk.ParkError, match="must be finite"):
        park_sdk.serve_env(lambda: Guarded(gym.spaces.Box(-np.inf, 1, (1,))))
    with pytest.raises(park_sdk.ParkError, match="can be reached from other machines"):
        park_sdk.serve_env(Guarded, endpoint="tcp://0.0.0.0:5555")


def test_a_served_policy_equals_the_heuristic(park):
    with park_sdk.serve_policy(shortest_queue) as server:
        remote = f'remote(endpoint="{server.endpoint}")'
        out = park("run", "load_balance(jobs=100)", "--policy", f"shortest_queue,{remote}",
                   "--episodes", "20", "--json", "--quiet")
    a, b = json.loads(out)["results"]
    assert a["per_episode"] == b["per_episode"]
    assert len(a["per_episode"]["avg_response_s"] if isinstance(a["per_episode"], dict)
               else a["per_episode"]) == 20


def test_a_policy_may_remember_and_draw(park):
    starts = []

    class Random:
        def __init__(self, spec):
            self.n = int(spec.action.leaves[0].high) + 1
            self.chance = {}

        def start(self, slot, key):
            starts.append(key)
            self.chance[slot] = np.random.default_rng(key)

        def act(self, asked):
            return {"server": np.array([self.chance[s].integers(self.n) for s in asked.slot])}

    with park_sdk.serve_policy(Random) as server:
        words = ("run", "load_balance(jobs=20)", "--policy",
                 f'remote(endpoint="{server.endpoint}")', "--episodes", "5", "--json", "--quiet")
        first, second = (json.loads(park(*words))["results"][0]["per_episode"] for _ in range(2))
    assert first == second
    assert len(starts) == 10 and sorted(starts[:5]) == sorted(starts[5:])


def test_a_served_environment_runs_elsewhere(park):
    with park_sdk.serve_env("CartPole-v1") as server:
        env = f'remote(endpoint="{server.endpoint}")'
        out = park("run", env, "--policy", "random", "--episodes", "20", "--json", "--quiet")
        spec = json.loads(park("describe", env, "--json"))
    assert spec["name"] == "cartpole_v1"
    result = json.loads(out)["results"][0]
    assert 10 < result["metrics"]["episode_return"]["mean"] < 60


def test_a_served_environment_trains_elsewhere(park, tmp_path):
    if "agents" not in park("--version"):
        pytest.skip("this park has no agents module")
    run = tmp_path / "run"
    with park_sdk.serve_env("CartPole-v1") as server:
        env = f'remote(endpoint="{server.endpoint}")'
        park("train", env, "--algo", "ppo(sequences=2,rollouts=1,epochs=1)", "--baseline", "value",
             "--net", "mlp", "--iterations", "1", "--validation-episodes", "2", "--out", str(run),
             "--quiet")
        out = park("run", env, "--policy", str(run), "--episodes", "2", "--json", "--quiet")
    assert json.loads(out)["results"][0]["metrics"]["episode_return"]["mean"] > 5


def test_many_clients_at_once():
    with park_sdk.serve("load_balance(jobs=30)") as server:
        streams = [stream_of(server.endpoint, slots=2, illegal="project") for _ in range(6)]
        returns = [
            park_sdk.record(s, lambda asked: np.zeros(len(asked.slot))
                            .astype(int)).episodes["metric.avg_response_s"].tolist()
            for s in streams
        ]
    assert all(r == returns[0] for r in returns)
