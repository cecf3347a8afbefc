"""Type hints, in the environment of the newest packages, which has mypy."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

import park_sdk

pytest.importorskip("mypy")

# What every class made by pybind11 has: a metaclass, and an __init__ that tells no parameters. The
# members of these classes are compared all the same.
OF_PYBIND11 = """
park_sdk._core.(Episodes|Policy|Rng|Server|Stream)
park_sdk._core.(Episodes|Server).__init__
"""


def complaints(module, folder, *words):
    """What a checker says; empty where it finds nothing."""
    environment = dict(os.environ)
    if module == "mypy":  # it reads texts: a sanitizer would make it several times slower, for nothing
        environment.pop("LD_PRELOAD", None)
    done = subprocess.run([sys.executable, "-m", module, *words], capture_output=True, text=True,
                          cwd=folder, timeout=500, env=environment)
    return "" if done.returncode == 0 else done.stdout + done.stderr


def test_the_stub_tells_what_the_compiled_part_has(tmp_path):
    (tmp_path / "allowed").write_text(OF_PYBIND11, encoding="utf-8")
    assert complaints("mypy.stubtest", tmp_path, "park_sdk._core", "--allowlist", "allowed") == ""


@pytest.fixture(scope="module", name="cache")
def fixture_cache(tmp_path_factory):
    """What mypy knows of the standard library, found out once."""
    return str(tmp_path_factory.mktemp("mypy"))


def test_the_hints_fit_each_other(tmp_path, cache):
    # Stable-Baselines3 is there only where the learning proofs run.
    found = complaints("mypy", tmp_path, "--cache-dir", cache, "-p", "park_sdk",
                       "--disable-error-code", "import-not-found")
    assert found == ""


def test_the_hints_are_seen_by_programs(tmp_path, cache):
    assert (Path(park_sdk.__file__).parent / "py.typed").exists()
    (tmp_path / "program.py").write_text("import park_sdk\npark_sdk.gym_id(3)\n", encoding="utf-8")
    found = complaints("mypy", tmp_path, "--cache-dir", cache, "program.py")
    assert 'Argument 1 to "gym_id" has incompatible type "int"' in found
