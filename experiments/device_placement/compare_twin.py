#!/usr/bin/env python3
"""Compares measured steps of device_placement_live with simulated ones.

    experiments/device_placement/compare_twin.py    writes results/placement_twin.json

Twenty placements of three generated graphs run in real processes. Needs the target bench_placement_twin of
build/release, which fails beyond a deviation of 3 % or below a rank correlation of 0.95.
"""

import argparse
import re
import subprocess
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "scripts"))
import figures  # noqa: E402

PROGRAM = figures.ROOT / "build/release/bin/bench_placement_twin"
STEP = re.compile(r"(\w+) +(\d+)  simulated ([\d.]+) s  measured ([\d.]+) s  ([+-][\d.]+) %")
SUMMARY = re.compile(r"(\w+) +largest deviation ([\d.]+) %, rank correlation ([\d.]+)")


def main():
    argparse.ArgumentParser(description=__doc__,
                            formatter_class=argparse.RawDescriptionHelpFormatter).parse_args()
    done = subprocess.run([PROGRAM], capture_output=True, text=True, check=False)
    steps, summaries = STEP.findall(done.stdout), SUMMARY.findall(done.stdout)
    print(done.stdout, end="")
    if done.returncode not in (0, 1) or not summaries:
        sys.exit(done.stderr)
    figures.write(
        figures.ROOT / "results/placement_twin.json", "Measured and simulated steps of placements",
        figures.command(), [],
        ["device_placement_live with kind=timed, time_scale=200: graphs of about 60 operations on three devices, each a "
         "process of its own",
         "asked: deviations of 3 % at most, Spearman's rank correlation of 0.95 at least"],
        [{"title": "", "columns": ["graph", "largest deviation (%)", "rank correlation"],
          "rows": [list(row) for row in summaries]},
         {"title": "Steps", "folded": True,
          "columns": ["graph", "placement", "simulated (s)", "measured (s)", "deviation (%)"],
          "rows": [list(row) for row in steps]}], page="device_placement")
    return done.returncode


if __name__ == "__main__":
    sys.exit(main())
