#!/usr/bin/env python3
"""Compares searches on one specification with many simulations and prints the table of circuit's page.

    experiments/circuit/compare_searches.py --park build/release/bin/park

The figure is the best score of an episode. Each seed is an episode with the published specification under nominal
conditions, from the middle of all ranges.
"""

import argparse
import json
import subprocess
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
POLICIES = ["human", "random", "coordinate", "differential_evolution", "cma_es"]
FIELDS = "action=absolute,specification=published,conditions=nominal,start=centre,stop=false"


def scores(arguments, policy, simulations):
    """The best score of each seed."""
    env = f"circuit({FIELDS},circuit={arguments.circuit},simulations={simulations})"
    words = [arguments.park, "run", env, "--policy", policy, "--episodes", str(arguments.seeds), "--json", "--quiet"]
    done = subprocess.run(words, check=True, capture_output=True, text=True, cwd=ROOT)
    return json.loads(done.stdout)["results"][0]["per_episode"]["score"]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--park", default="build/release/bin/park")
    parser.add_argument("--circuit", default="tia")
    parser.add_argument("--simulations", type=int, nargs="+", default=[500, 1000, 5000])
    parser.add_argument("--seeds", type=int, default=2)
    arguments = parser.parse_args()
    print("| policy | " + " | ".join(f"{n} simulations" for n in arguments.simulations) + " |")
    print("| --- |" + " --- |" * len(arguments.simulations))
    for policy in POLICIES:
        cells = [", ".join(f"{score:.3f}" for score in scores(arguments, policy, n)) for n in arguments.simulations]
        print(f"| `{policy}` | " + " | ".join(cells) + " |", flush=True)


if __name__ == "__main__":
    main()
