"""OpenEnv: what a session plays, the package and its manifest, and OpenEnv's own validation."""

import json
import os
import socket
import subprocess
import sys
import time
import urllib.error
import urllib.request

import numpy as np
import pytest

import park_sdk

pytest.importorskip("openenv")
from openenv.validation import run_validation  # noqa: E402
from openenv.validation.types import ProviderCapability  # noqa: E402

from park_sdk.openenv import (  # noqa: E402
    ParkOpenEnv,
    action_class,
    first_legal,
    main,
    write_package,
)
from park_sdk.spec import spec  # noqa: E402

pytestmark = pytest.mark.filterwarnings("default::DeprecationWarning")  # of what OpenEnv uses
ENV = "load_balance(jobs=5)"
DAG = "dag_scheduling(jobs=2,executors=3)"


def free_port():
    """A port that nobody listens at now."""
    with socket.socket() as s:
        s.bind(("127.0.0.1", 0))
        return s.getsockname()[1]


class Running:
    """A server in a process of its own, as OpenEnv's validation wants it."""

    def __init__(self, words):
        self.port = free_port()
        self.base_url = f"http://127.0.0.1:{self.port}"
        self.process = subprocess.Popen([*words, "--port", str(self.port)])
        for _ in range(600):
            if self.process.poll() is not None:
                break
            try:
                with urllib.request.urlopen(f"{self.base_url}/health", timeout=5):
                    return
            except (urllib.error.URLError, ConnectionError):
                time.sleep(0.1)
        self.stop()
        raise AssertionError("the server does not listen")

    def inspect(self):
        return {}

    def logs(self, max_bytes=65536):
        return ""

    def stop(self):
        self.process.terminate()
        self.process.wait(20)


class Processes:
    """Starts the server of a package without a container: what an image would run."""

    name = "processes"
    capabilities = frozenset({ProviderCapability.IMAGE_BUILD})
    supported_network_modes = frozenset({"no-network"})

    def build(self, root, execution):
        assert (root / execution.dockerfile).is_file()
        self.env = (root / "server/app.py").read_text().split("ENV = '")[1].split("'")[0]
        return "sha256:" + "0" * 64

    def start(self, launch):
        return Running([sys.executable, "-m", "park_sdk.openenv", self.env])


@pytest.mark.parametrize("env", [ENV, DAG])
def test_the_package_passes_the_local_checks_of_openenv(env, tmp_path):
    folder = tmp_path / "made"
    write_package(env, folder)
    report = run_validation(folder, provider=Processes())
    found = {r.check_id: (r.status.value, r.evidence) for r in report.results}
    here = {"static.manifest", "runtime.startup", "runtime.reward_well_formed",
            "runtime.observation_schema", "runtime.state_contract"}
    for check in here:
        assert found[check][0] == "pass", (check, found[check])
    # The others are not part of this OpenEnv, or need a container.
    assert {s for k, (s, _) in found.items() if k not in here} <= {"skip"}, found
    assert report.verdict.value != "fail"
    done = subprocess.run(
        [sys.executable, "-m", "openenv.cli", "validate", str(folder), "--skip-build", "--json"],
        capture_output=True, text=True, timeout=120,
    )
    assert done.returncode == 0, done.stdout


def test_a_running_server_passes_and_ends_when_it_is_told(park):
    park_binary = os.environ["PARK_BINARY"]
    os.environ["PARK_PYTHON"] = sys.executable
    port = free_port()
    server = subprocess.Popen(
        [park_binary, "serve", ENV, "--openenv", "--endpoint", f"tcp://127.0.0.1:{port}"]
    )
    try:
        deadline = time.monotonic() + 60
        while time.monotonic() < deadline and server.poll() is None:
            try:
                urllib.request.urlopen(f"http://127.0.0.1:{port}/health", timeout=5).close()
                break
            except (urllib.error.URLError, ConnectionError):
                time.sleep(0.1)
        done = subprocess.run(
            [sys.executable, "-m", "openenv.cli", "validate", "--json", "--url",
             f"http://127.0.0.1:{port}"],
            capture_output=True, text=True, timeout=120,
        )
        report = json.loads(done.stdout)
        assert report["passed"], report
        assert done.returncode == 0
    finally:
        server.terminate()
        server.wait(20)


def test_without_python_it_is_said_in_one_line(park):
    done = subprocess.run(
        [os.environ["PARK_BINARY"], "serve", ENV, "--openenv"], capture_output=True, text=True,
        env={**os.environ, "PARK_PYTHON": "no-such-python"}, timeout=60,
    )
    assert done.returncode == 1
    assert done.stderr.startswith("error: no-such-python: cannot be started")
    assert done.stderr.count("\n") == 1


def test_a_session_plays_the_episode_of_its_seed():
    env = ParkOpenEnv(ENV, phase="evaluate")
    seen, rewards, steps = env.reset(seed=3, episode_id="mine"), [], 0
    action = action_class(spec(ENV))
    while not seen.done:
        assert seen.legal["server"] == list(range(10))
        seen = env.step(action(server=0))
        rewards.append(seen.reward)
        steps += 1
        assert (env.state.episode_id, env.state.step_count) == ("mine", steps)
    t = park_sdk.record(
        park_sdk.Stream(ENV, park_sdk.Episodes.of_run(seed=3, count=1)),
        lambda d: np.zeros(len(d.slot), np.int32),
    )
    assert rewards == t.steps["reward"].tolist()
    assert seen.metrics["avg_response_s"] == t.episodes["metric.avg_response_s"][0]
    with pytest.raises(park_sdk.ParkError, match="reset comes first"):
        env.step(action(server=0))


def test_ragged_rows_are_lists_and_legal_values_are_those_of_the_mask():
    env = ParkOpenEnv(DAG)
    seen = env.reset(seed=1)
    about = spec(DAG)
    for leaf in about.observation.leaves:
        if leaf.group == "stages":
            assert len(seen.values[leaf.name.replace(".", "_")]) == len(seen.values["stage_tasks"])
    first = first_legal(about)
    for head, values in seen.legal.items():
        assert values and first[head] in values
    env.close()


def test_actions_outside_their_space_are_refused_by_name():
    with pytest.raises(ValueError, match="server"):
        action_class(spec(ENV))(server=10)
    with pytest.raises(ValueError, match="nothing"):
        action_class(spec(ENV))(server=1, nothing=1)


def test_what_is_wrong_is_told_in_one_line(tmp_path, capsys):
    assert main(["no_such_env"]) == 2
    assert capsys.readouterr().err.count("\n") == 1
    assert main([ENV, "--package", str(tmp_path)]) == 2
    assert "exists" in capsys.readouterr().err
