#!/usr/bin/env python3
"""Compares searches on one specification with many simulations.

    experiments/circuit/compare_searches.py    writes results/circuit_searches.json

A figure is the best score of an episode. Each seed is an episode with the published specification under nominal
conditions, from the middle of all ranges. `human` is the published design.
"""

import statistics
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
import headroom_tables as headroom  # noqa: E402

POLICIES = ("human", "random", "coordinate", "differential_evolution", "cma_es")
SIMULATIONS, SEEDS = (500, 1000, 5000), 5
FIELDS = "action=absolute,specification=published,conditions=nominal,start=centre,stop=false"


def row(policy):
    """The best scores of a policy: their mean and range over the seeds."""
    cells = [policy]
    for simulations in SIMULATIONS:
        env = f"circuit({FIELDS},simulations={simulations})"
        scores = headroom.play(env, [policy], SEEDS)[policy]["score"]
        cells.append(f"{statistics.fmean(scores):.3f} ({min(scores):.3f} to {max(scores):.3f})")
        print(f"{policy}, {simulations} simulations: {cells[-1]}", flush=True)
    return cells


def main():
    headroom.start(__doc__)
    headroom.figures.write(
        headroom.figures.ROOT / "results/circuit_searches.json", "Searches on one specification",
        headroom.figures.command(), [],
        [f"best score of an episode, mean of {SEEDS} seeds and their range; `circuit({FIELDS})`, circuit tia",
         "no bound is known; the published design has 2.000"],
        [{"title": "", "columns": ["policy", *(f"{n} simulations" for n in SIMULATIONS)],
          "rows": [row(policy) for policy in POLICIES]}], page="circuit")


if __name__ == "__main__":
    main()
