"""Trees that `park distill` makes play from Python: here, and where the environment is elsewhere."""

import json

import pytest

import park_sdk

ENV = "load_balance(servers=3,jobs=40)"
EPISODES = 3


@pytest.fixture(scope="module")
def tree(park, tmp_path_factory):
    file = tmp_path_factory.mktemp("trees") / "my.tree"
    park("distill", ENV, "--teacher", "least_work", "--leaves", "4", "--rounds", "1",
         "--episodes", "2", "--validation-episodes", "1", "--out", str(file), "--quiet")
    return f'tree(file="{file}")'


def played(tree, endpoint=None):
    """The mean response time of each episode; no decision is changed or taken by anyone else."""
    episodes = park_sdk.Episodes.of_run(seed=1, count=EPISODES)
    stream = park_sdk.Stream("" if endpoint else ENV, episodes, endpoint=endpoint)
    t = park_sdk.record(stream, park_sdk.Policy(tree, stream.spec))
    stream.close()
    assert len(t.steps["applied"]) == 40 * EPISODES
    assert (t.steps["applied"] == 0).all()
    return t.episodes["metric.avg_response_s"].tolist()


def test_a_tree_plays_as_the_command_does(park, tree):
    out = park("run", ENV, "--policy", tree, "--episodes", str(EPISODES), "--json", "--quiet")
    assert played(tree) == json.loads(out)["results"][0]["per_episode"]["avg_response_s"]


def test_a_tree_plays_an_environment_elsewhere(tree):
    with park_sdk.serve(ENV) as server:
        assert played(tree, server.endpoint) == played(tree)


def test_a_file_that_is_no_tree_is_named(tmp_path):
    file = tmp_path / "no.tree"
    file.write_text("park-tree 2\n")
    with pytest.raises(park_sdk.ParkError, match="no.tree:1: expected 'park-tree 1'"):
        park_sdk.Policy(f'tree(file="{file}")', park_sdk.spec(ENV))
