"""The program of docs/conformance.md; faults are checked for all clients alike."""

import signal
import subprocess
import sys

import pytest

from park_sdk import _core, conformance


def test_what_is_no_message_is_rejected(tmp_path, capsys):
    for name, data in (("empty", b""), ("odd", b"abc"), ("zeros", bytes(64)), ("ff", b"\xff" * 64)):
        (tmp_path / name).write_bytes(data)
        conformance.main(["decode", str(tmp_path / name)])
        assert capsys.readouterr().out == f"{name} reject\n"


@pytest.mark.parametrize("env", ["load_balance(jobs=10)", "dag_scheduling(jobs=1,executors=3)"])
def test_rollouts_repeat(env, endpoint):
    first = _core.rollout(endpoint, env)
    assert len(first) == 16 and first == _core.rollout(endpoint, env)
    assert first != _core.rollout(endpoint, "load_balance(jobs=11)")


@pytest.mark.smoke
def test_scenarios_without_a_fault(endpoint):
    assert _core.scenario(endpoint, "load_balance(jobs=20)") == "done 20"
    assert _core.scenario(endpoint, "load_balance(jobs=0)") == "invalidConfig"
    assert _core.scenario("tcp://127.0.0.1:9", "load_balance") == "late"


def test_serve_tells_where_and_ends(park):
    process = subprocess.Popen(
        [sys.executable, "-m", "park_sdk.conformance", "serve", "tcp://127.0.0.1:*"],
        stdout=subprocess.PIPE,
        text=True,
    )
    try:
        word, endpoint = process.stdout.readline().split()
        assert word == "ready"
        words = ("run", "load_balance(jobs=50)", "--episodes", "3", "--policy",
                 f'shortest_queue,remote(endpoint="{endpoint}")')
        rows = [line.split()[1:] for line in park(*words).splitlines()
                if line.startswith(("shortest_queue", "remote"))]
        assert len(rows) >= 2
        process.send_signal(signal.SIGINT)
        assert process.communicate(timeout=10) == ("", None)
        assert process.returncode == 0
    finally:
        process.kill()

