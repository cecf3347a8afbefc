"""The examples run, and are short."""

import subprocess
import sys

import pytest
from conftest import ROOT

EXAMPLES = sorted((ROOT / "bridge" / "python" / "examples").glob("*.py"))


@pytest.mark.parametrize("path", EXAMPLES, ids=lambda p: p.stem)
def test_example(path, tmp_path):
    assert len(path.read_text().splitlines()) < 80
    done = subprocess.run(
        [sys.executable, "-W", "error", str(path)],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        timeout=100,
    )
    assert done.returncode == 0, done.stderr
    assert done.stdout.strip()


def test_there_are_some():
    assert len(EXAMPLES) >= 4
