"""Trajectories in files."""

import numpy as np
import pytest

import park_sdk


def recorded(env, slots=3, **fields):
    stream = park_sdk.Stream(
        env, park_sdk.Episodes.of_run(seed=2, count=4), slots=slots, **fields
    )
    heuristic = "least_work" if env == "load_balance" else "fair"
    return park_sdk.record(stream, park_sdk.Policy(heuristic, stream.spec))


@pytest.mark.smoke
def test_steps_are_those_of_single_episodes():
    t = recorded("load_balance", jobs=20)
    assert len(t.steps["reward"]) == 80
    assert (t.steps["step"].reshape(4, 20) == np.arange(20)).all()
    assert (t.steps["terminated"].reshape(4, 20).sum(axis=0)[:-1] == 0).all()
    assert t.steps["terminated"].reshape(4, 20)[:, -1].all()
    one = recorded("load_balance", slots=1, jobs=20)
    assert all((t.steps[k] == one.steps[k]).all() for k in t.steps)
    assert all((t.episodes[k] == one.episodes[k]).all() for k in t.episodes)
    # Rewards are the integral of the jobs in the system, which is what avg_response_s averages.
    returns = t.steps["reward"].reshape(4, 20).sum(axis=1)
    order = np.argsort(t.episodes["metric.avg_response_s"])
    assert (np.diff(returns[order]) < 0).all()


def test_ragged_rows_stay_with_their_steps():
    three, one = (recorded("dag_scheduling", s, jobs=2, executors=3) for s in (3, 1))
    assert three.steps["obs.stage.tasks"].size == three.steps["count.stages"].sum()
    for key in one.steps:
        assert (three.steps[key] == one.steps[key]).all(), key
    for key in one.episodes:
        assert (three.episodes[key] == one.episodes[key]).all(), key


def test_npz_reads_back(tmp_path):
    t = recorded("dag_scheduling", jobs=1, executors=3)
    t.save_npz(tmp_path / "t.npz")
    again = park_sdk.Trajectories.load_npz(tmp_path / "t.npz")
    assert again.spec["text"] == "dag_scheduling(executors=3,jobs=1)"
    for a, b in ((t.steps, again.steps), (t.episodes, again.episodes)):
        assert a.keys() == b.keys()
        assert all(a[k].tobytes() == b[k].tobytes() and a[k].dtype == b[k].dtype for k in a)


def test_parquet_reads_back(tmp_path):
    pq = pytest.importorskip("pyarrow.parquet")
    t = recorded("dag_scheduling", jobs=1, executors=3)
    t.save_parquet(tmp_path / "t.parquet")
    table = pq.read_table(tmp_path / "t.parquet")
    assert table["reward"].to_pylist() == t.steps["reward"].tolist()
    tasks = table["obs.stage.tasks"].to_pylist()
    assert [len(row) for row in tasks] == t.steps["count.stages"].tolist()
    assert sum(tasks, []) == t.steps["obs.stage.tasks"].tolist()
    episodes = pq.read_table(tmp_path / "t.episodes.parquet")
    assert episodes["metric.avg_jct_s"].to_pylist() == t.episodes["metric.avg_jct_s"].tolist()
    assert b"dag_scheduling" in table.schema.metadata[b"park.spec"]


def test_metrics_are_found_by_their_names():
    spec = park_sdk.spec("load_balance(servers=3,jobs=5)")
    for column, metric in enumerate(spec.metrics):
        assert spec.metric(metric.name) == column
    with pytest.raises(park_sdk.ParkError, match="metric 'nap': load_balance has "):
        spec.metric("nap")
