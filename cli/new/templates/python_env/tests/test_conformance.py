"""Checks every property that an environment owes, on every line of presets.txt."""

import json
import subprocess
from pathlib import Path

import pytest

PROJECT = Path(__file__).resolve().parent.parent
PRESETS = [line for line in (PROJECT / "presets.txt").read_text().splitlines() if line[0] != "#"]


@pytest.mark.parametrize("preset", PRESETS)
def test_properties(preset: str) -> None:
    """The command `park` serves the class in a process of its own, as for every user."""
    command = ["park", "check", preset, "--plugin", "park_newenv:SingleServer", "--json"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode in (0, 1), done.stderr
    found = json.loads(done.stdout)["properties"]
    violated = {p["name"]: p["violations"] for p in found if p["result"] == "violated"}
    assert violated == {}
    assert sum(p["result"] == "ok" for p in found) > 10
