"""Played episodes as datasets of Minari: they load back, and rewards are those of `park run`."""

import json

import numpy as np
import pytest

import park_sdk

pytest.importorskip("minari")
import minari  # noqa: E402

from park_sdk.minari import export, main  # noqa: E402

pytestmark = pytest.mark.filterwarnings("ignore:.*is set to None:UserWarning")  # of Minari


@pytest.fixture(autouse=True)
def datasets(tmp_path, monkeypatch):
    """A folder for datasets of its own."""
    monkeypatch.setenv("MINARI_DATASETS_PATH", str(tmp_path))


def returns(dataset_id):
    return [float(np.sum(e.rewards)) for e in minari.load_dataset(dataset_id).iterate_episodes()]


def test_returns_are_those_of_park_run(park):
    export("load_balance", "least_work", 5, "park/lb/least_work-v0", seed=3, jobs=30)
    told = json.loads(
        park("run", "load_balance(jobs=30)", "--policy", "least_work", "--episodes", "5",
             "--seed", "3", "--json")
    )
    expected = per_episode(told)
    assert returns("park/lb/least_work-v0") == pytest.approx(expected, rel=1e-9)


def per_episode(told):
    """Returns by episode in what `park run --json` prints."""
    return told["results"][0]["per_episode"]["reward"]


def test_ragged_observations_and_masks_load_back():
    export("dag_scheduling", "fair", 2, "park/dag/fair-v0", jobs=2, executors=3)
    dataset = minari.load_dataset("park/dag/fair-v0")
    assert dataset.total_episodes == 2
    for episode in dataset.iterate_episodes():
        steps = len(episode.rewards)
        assert episode.observations["valid_stages"].shape[0] == steps + 1
        assert episode.terminations[-1] and not episode.terminations[:-1].any()
        assert np.isfinite(episode.infos["metrics"]["avg_jct_s"][-1])
        masks = episode.infos["action_mask"]
        assert masks.shape[0] == steps + 1 and masks[:-1].any(axis=1).all()
        for row in range(steps):
            action = {k: v[row] for k, v in episode.actions.items()} \
                if isinstance(episode.actions, dict) else episode.actions[row]
            assert dataset.action_space.contains(action)


def test_replaying_the_actions_gives_the_same_rewards():
    export("load_balance", "shortest_queue", 1, "park/lb/replay-v0", seed=7, jobs=25)
    episode = next(minari.load_dataset("park/lb/replay-v0").iterate_episodes())
    stream = park_sdk.Stream(
        "load_balance", park_sdk.Episodes.of_run(seed=7, count=1), jobs=25
    )
    given = iter(episode.actions)
    t = park_sdk.record(stream, lambda d: np.array([next(given)], np.int32))
    assert t.steps["reward"] == pytest.approx(episode.rewards)


def test_the_environment_can_be_recovered():
    export("load_balance", "random", 1, "park/lb/random-v0", jobs=5)
    env = minari.load_dataset("park/lb/random-v0").recover_environment()
    observation, _ = env.reset(seed=1)
    assert env.observation_space.contains(observation)
    env.close()


def test_a_function_decides():
    export("load_balance", lambda d: np.zeros(len(d.slot), np.int32), 2, "park/lb/first-v0", jobs=8)
    for episode in minari.load_dataset("park/lb/first-v0").iterate_episodes():
        assert (episode.actions == 0).all()


def test_the_command_tells_what_it_made(capsys):
    words = ["load_balance(jobs=5)", "--policy", "random", "--episodes", "2", "--dataset"]
    assert main([*words, "park/lb/made-v0"]) == 0
    assert capsys.readouterr().out == "park/lb/made-v0: 2 episodes, 10 steps\n"
    assert main(["load_balance(servers=0)", *words[1:], "park/lb/bad-v0"]) == 2
    assert "servers" in capsys.readouterr().err
    assert main([*words, "park/lb/made-v0"]) == 2  # it is there already
