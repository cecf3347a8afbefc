#!/usr/bin/env python3
"""Builds the plug-in of examples/plugins/rust and plays it.

    rust_example.py PARK

PARK is the program park. Exit status 77, and a line that says why, where rustc is absent or older than
the example needs.
"""

import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

SOURCE = Path(__file__).resolve().parents[2] / "examples/plugins/rust/spinning.rs"
LEAST = (1, 80)  # C"" literals, size_of in the prelude
SKIPPED = 77
# Where rustup puts it; not every shell has this in its PATH.
PATH = os.pathsep.join([os.environ.get("PATH", ""), str(Path.home() / ".cargo/bin")])


def check_rustc():
    """Skips where the example cannot be built here."""
    reason = ""
    if not shutil.which("rustc", path=PATH):
        reason = "rustc is not there"
    else:
        said = subprocess.run(["rustc", "--version"], capture_output=True, text=True, check=True,
                              env={**os.environ, "PATH": PATH}).stdout
        have = tuple(map(int, re.search(r"rustc (\d+)\.(\d+)", said).groups()))
        if have < LEAST:
            reason = f"rustc is {have[0]}.{have[1]}"
    if reason:
        print(f"skipped: {reason}; {LEAST[0]}.{LEAST[1]} or newer is needed")
        sys.exit(SKIPPED)


def park(binary, library, *words):
    """What a command prints as JSON with the plug-in."""
    done = subprocess.run([binary, *words, "--plugin", library, "--json"], check=True,
                          capture_output=True, text=True)
    return json.loads(done.stdout)


def main():
    binary = sys.argv[1]
    check_rustc()
    with tempfile.TemporaryDirectory() as folder:
        library = str(Path(folder) / "libspinning.so")
        subprocess.run(["rustc", "--edition", "2021", "-O", "-D", "warnings", "--crate-type",
                        "cdylib", SOURCE, "-o", library], check=True,
                       env={**os.environ, "PATH": PATH})
        (listed,) = park(binary, library, "plugins")["plugins"]
        assert listed["loadable"] and listed["name"] == "spinning", listed
        (result,) = park(binary, library, "run", "spinning", "--policy", "random", "--episodes",
                         "20")["results"]
        # Spinning for 0 to 200 us against a sleep of 100 us: between a wait and both.
        assert 20 < result["metrics"]["cpu_us"]["mean"] < 200, result["metrics"]
        for one in park(binary, library, "check", "spinning")["properties"]:
            assert one["result"] != "violated", one


if __name__ == "__main__":
    main()
