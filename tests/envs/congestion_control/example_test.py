#!/usr/bin/env python3
"""Twenty iterations of examples/congestion.py come at least near Copa, from a policy that loses packets.

    example_test.py PYTHON

PYTHON has the package park_sdk.
"""
import pathlib
import re
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[3]
SKIPPED, NEAR = 77, 0.1


def main():
    run = subprocess.run([sys.argv[1], ROOT / "examples/congestion.py", "20", "12"], capture_output=True, text=True,
                         timeout=850, check=False)
    print(run.stdout, run.stderr)
    if run.returncode == SKIPPED:
        return SKIPPED
    said = re.search(r"score on 50 other links: (\S+), copa (\S+)", run.stdout)
    return run.returncode or not (said and float(said[1]) > float(said[2]) - NEAR)


if __name__ == "__main__":
    sys.exit(main())
