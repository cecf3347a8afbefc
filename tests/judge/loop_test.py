#!/usr/bin/env python3
"""The loop of examples/evolve.py improves the expression that it begins with, also on hidden inputs.

    loop_test.py PARK
"""
import os
import pathlib
import re
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]


def main():
    environment = {**os.environ, "PATH": f"{pathlib.Path(sys.argv[1]).parent}:{os.environ['PATH']}"}
    run = subprocess.run([ROOT / "examples/evolve.py", ROOT / "examples/srpt_capped.expr",
                          "dag_scheduling(executors=50,jobs=20)", "120", "srpt_capped(c=70,s=0.75)"],
                         env=environment, capture_output=True, text=True, timeout=800, check=False)
    print(run.stderr)
    steps = [float(score) for score in re.findall(r"step \d+: ([\d.]+)", run.stderr)]
    intervals = re.findall(r"hidden inputs, \w+: [\d.]+, 95 % interval \[([\d.]+), ([\d.]+)\]", run.stderr)
    (_, first_high), (best_low, _) = intervals
    sys.exit(run.returncode or not (len(steps) > 1 and float(best_low) > float(first_high)))


if __name__ == "__main__":
    main()
