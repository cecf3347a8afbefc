"""The policy `lookahead` plays from Python as in the command, with policies of Python as its base too."""

import json

import pytest

import park_sdk
from park_sdk.plugins import Policy

ENV = "load_balance(servers=3,jobs=20)"
EPISODES = 2


def played(base):
    """The mean response time of each episode under look-ahead on a base."""
    stream = park_sdk.Stream(ENV, park_sdk.Episodes.of_run(seed=1, count=EPISODES))
    policy = park_sdk.Policy(f"lookahead(base={base},candidates=3,futures=2)", stream.spec)
    t = park_sdk.record(stream, policy)
    stream.close()
    return t.episodes["metric.avg_response_s"].tolist()


def test_look_ahead_plays_as_the_command_does(park):
    policy = "lookahead(base=shortest_queue,candidates=3,futures=2)"
    out = park("run", ENV, "--policy", policy, "--episodes", str(EPISODES), "--json", "--quiet")
    assert played("shortest_queue") == json.loads(out)["results"][0]["per_episode"]["avg_response_s"]


def test_its_base_may_be_a_class_of_python():
    class FirstServer(Policy):
        """Everything to the first server."""

        name = "first_server"
        environments = ("load_balance",)

        def act(self, asked):
            return [0] * len(asked.slot)

    park_sdk.policy(FirstServer)
    stream = park_sdk.Stream(ENV, park_sdk.Episodes.of_run(seed=1, count=EPISODES))
    t = park_sdk.record(stream, park_sdk.Policy("first_server", stream.spec))
    stream.close()
    alone = t.episodes["metric.avg_response_s"].mean()
    assert sum(played("first_server")) / EPISODES < alone


def test_a_base_that_is_absent_is_named():
    with pytest.raises(park_sdk.ParkError, match="base: must be a policy"):
        park_sdk.Policy("lookahead", park_sdk.spec(ENV))
