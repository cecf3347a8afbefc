"""What the tests share."""

import importlib.util
import os
import subprocess
from pathlib import Path

import pytest

import park_sdk

ROOT = Path(__file__).resolve().parents[3]
# tests/python/users.sh runs them in an environment of their own.
collect_ignore = [] if importlib.util.find_spec("openenv") else ["test_openenv.py"]


def value_of(text):
    """A field of a small setting, which has whole numbers, seconds, switches and words."""
    if text in ("true", "false"):
        return text == "true"
    try:
        return int(text) if text.isdigit() else float(text)
    except ValueError:
        return text


def small_environments():
    """Name and fields of a small setting of every environment, from the folders of these."""
    small = {}
    for presets in sorted(ROOT.glob("park/envs/*/presets.txt")):
        for line in presets.read_text(encoding="utf-8").splitlines():
            if line.startswith("small "):
                name, _, fields = line.removeprefix("small ").rstrip(")").partition("(")
                pairs = (field.split("=") for field in fields.split(",") if field)
                small[name] = {key: value_of(value) for key, value in pairs}
    return small


def pytest_configure(config):
    config.addinivalue_line("markers", "smoke: the shortest part, for every change")


@pytest.fixture(scope="session")
def park():
    """The command `park`, as a function of its words that returns what it prints."""
    binary = os.environ.get("PARK_BINARY")
    if not binary:
        pytest.skip("PARK_BINARY does not name the command park")

    def run(*words):
        done = subprocess.run([binary, *words], capture_output=True, text=True, timeout=240)
        assert done.returncode == 0, done.stderr
        return done.stdout

    return run


@pytest.fixture(scope="module")
def endpoint(tmp_path_factory):
    """A server of all of Park's environments, over ipc."""
    folder = tmp_path_factory.mktemp("server")
    folder.chmod(0o700)
    with park_sdk.serve(endpoint=f"ipc://{folder}/socket") as server:
        yield server.endpoint
