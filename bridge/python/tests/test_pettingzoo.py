"""Slots as agents: PettingZoo's own tests, and the same episodes as elsewhere."""

import json

import numpy as np
import pytest
from conftest import small_environments

import park_sdk

pytest.importorskip("pettingzoo")
from pettingzoo.test import parallel_api_test, parallel_seed_test  # noqa: E402

from park_sdk.pettingzoo import parallel_env  # noqa: E402


@pytest.mark.parametrize(("name", "fields"), small_environments().items())
@pytest.mark.filterwarnings("ignore")  # of PettingZoo about names and spaces
def test_every_environment_passes_the_tests_of_pettingzoo(name, fields):
    env = parallel_env(name, slots=3, **fields)
    parallel_api_test(env, num_cycles=40)
    env.close()
    parallel_seed_test(lambda: parallel_env(name, slots=2, **fields), num_cycles=10)


def play(env, seed):
    """Returns of each agent and its last info, with the lowest legal actions."""
    _, infos = env.reset(seed=seed)
    returns, last = {agent: 0.0 for agent in env.agents}, {}
    while env.agents:
        actions = {a: int(np.flatnonzero(infos[a]["action_mask"])[0]) for a in env.agents}
        _, rewards, _, _, infos = env.step(actions)
        for agent, reward in rewards.items():
            returns[agent] += reward
            last[agent] = infos[agent]
    return returns, last


def test_an_agent_plays_the_episode_of_its_slot():
    env = parallel_env("load_balance", slots=3, phase="evaluate", jobs=15)
    returns, last = play(env, seed=5)
    stream = park_sdk.Stream(
        "load_balance", park_sdk.Episodes.of_run(seed=5, count=3), slots=3, jobs=15
    )
    t = park_sdk.record(stream, lambda d: np.zeros(len(d.slot), np.int32))
    expected = t.steps["reward"].reshape(3, 15).sum(axis=1)
    assert list(returns.values()) == pytest.approx(list(expected), rel=1e-12)
    for k, agent in enumerate(env.possible_agents):
        told = last[agent]["metrics"]["avg_response_s"]
        assert told == t.episodes["metric.avg_response_s"][k]
    env.close()


def test_agents_leave_one_by_one_and_come_back_with_a_reset():
    env = parallel_env("load_balance", slots=3, phase="train", mean_horizon_s=2e4, jobs=200)
    _, infos = env.reset(seed=1)
    sizes = [len(env.agents)]
    while env.agents:
        _, _, terminated, truncated, infos = env.step({a: 0 for a in env.agents})
        gone = {a for a in terminated if terminated[a] or truncated[a]}
        assert gone.isdisjoint(env.agents)
        assert all("metrics" in infos[a] for a in gone)
        sizes.append(len(env.agents))
    assert sizes == sorted(sizes, reverse=True) and sizes[0] == 3 and sizes[-1] == 0
    assert len(set(sizes)) > 2  # not all at once
    first, _ = env.reset()
    again, _ = env.reset(seed=1)
    other = json.dumps([v.tolist() for v in first["slot_0"].values()])
    assert other != json.dumps([v.tolist() for v in again["slot_0"].values()])
    env.close()


def test_ragged_rows_are_filled_up_and_masks_are_those_of_the_row():
    env = parallel_env("dag_scheduling", slots=2, jobs=2, executors=3, mask_in_observation=True)
    seen, infos = env.reset(seed=1)
    for agent in env.agents:
        assert env.observation_space(agent).contains(seen[agent])
        assert (seen[agent]["action_mask"] == infos[agent]["action_mask"]).all()
        there = seen[agent]["valid_stages"].astype(bool)
        assert there.any()
        assert (seen[agent]["stage_tasks"][~there] == 0).all()
    env.close()


def test_what_is_wrong_is_told():
    with pytest.raises(park_sdk.ParkError, match="slots: 0"):
        parallel_env("load_balance", slots=0)
    env = parallel_env("load_balance", slots=2, jobs=3)
    with pytest.raises(park_sdk.ParkError, match="reset comes first"):
        env.step({})
    env.reset(seed=1)
    with pytest.raises(park_sdk.ParkError, match="none of slot_1"):
        env.step({"slot_0": 0})
    env.close()
    env.close()
    with pytest.raises(park_sdk.ParkError, match="is closed"):
        env.reset()


def test_behind_an_endpoint_it_is_the_same(endpoint):
    here = parallel_env("load_balance", slots=2, phase="evaluate", jobs=10)
    there = parallel_env("load_balance", slots=2, phase="evaluate", jobs=10, endpoint=endpoint)
    assert play(here, 3)[0] == play(there, 3)[0]
    here.close()
    there.close()


class OneAtATime:
    """Two slots of a stream that asks for one after the other, as a running system may do."""

    def __init__(self, *words, **options):
        self.real, self.spec = park_sdk.Stream(*words, **options), None
        self.spec, self._core = self.real.spec, self
        self.left, self.answers, self.begun = [], [], False

    def recv(self, padded):
        if not self.left:
            d = self.real.recv(padded=padded)
            masks = self.real.masks()
            if not self.begun or len(d.slot) < 2:
                self.begun, self.now = True, masks
                return d
            self.left = [(self.row(d, i), masks[i : i + 1]) for i in range(2)]
        d, self.now = self.left.pop(0)
        return d

    @staticmethod
    def row(d, i):
        parts = {k: getattr(d, k)[i : i + 1] for k in
                 ("slot", "context", "sequence", "reward", "elapsed_s", "applied", "skipped")}
        observation = {k: v[i : i + 1] for k, v in d.observation.items()}
        return d._replace(**parts, observation=observation, ended=d.ended if i == 0 else None)

    def send(self, heads):
        self.answers.append(heads[0])
        if not self.left:
            self.real._core.send([np.concatenate(self.answers)])
            self.answers = []

    def masks(self):
        return self.now

    def close(self):
        self.real.close()


def test_who_is_not_asked_waits(monkeypatch):
    together = play(parallel_env("load_balance", slots=2, phase="evaluate", jobs=6), 4)[0]
    monkeypatch.setattr("park_sdk.pettingzoo.Stream", OneAtATime)
    env = parallel_env("load_balance", slots=2, phase="evaluate", jobs=6)
    seen, infos = env.reset(seed=4)
    returns, turns = {a: 0.0 for a in env.agents}, []
    while env.agents:
        before = seen
        asked = [a for a in env.agents if infos[a]["asked"]]
        seen, rewards, _, _, infos = env.step({a: 0 for a in asked})
        turns.append(len(asked))
        for agent, reward in rewards.items():
            returns[agent] += reward
            if not infos[agent]["asked"] and agent in env.agents:
                assert reward == 0 and infos[agent]["elapsed_s"] == 0
                assert seen[agent] is before[agent]
    assert 1 in turns and 2 in turns
    assert returns == pytest.approx(together)
    env.close()
