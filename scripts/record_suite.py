#!/usr/bin/env python3
"""Runs a large suite, verifies a part of it, and keeps its tables: those whose file of results is too large for
the tree (over 1 MB).

    scripts/record_suite.py network-v5                  writes results/suite_network_v5.json
    scripts/record_suite.py network-v5 --out FOLDER     goes on with what is in a folder of results
    scripts/record_suite.py network-v5 --share 1        plays everything again (default: a tenth)

The full file is what `park bench SUITE` writes; its hash stands in the notes.
"""

import argparse
import hashlib
import json
import subprocess
import sys
from pathlib import Path

import figures

PARK = figures.ROOT / "build/release/bin/park"


def park(*words):
    """What a command prints; its complaints go to stderr."""
    return subprocess.run([PARK, *words], check=True, stdout=subprocess.PIPE, text=True, cwd=figures.ROOT).stdout


def cell(metric):
    """Mean and half of the 95 % interval of a metric."""
    low, high = metric["ci95"]
    return figures.plus_minus(metric["mean"], (high - low) / 2)


def role(result):
    """What a policy of a suite is there for."""
    return "bound" if result["bound"] else "baseline" if result["baseline"] else "policy"


def table(env, results):
    """A row for each policy, the best by the first metric first; four metrics."""
    metrics = list(results[0]["metrics"])[:4]
    sign = 1 if results[0]["metrics"][metrics[0]]["better"] == "lower" else -1
    rows = [[one["policy"], role(one), *(cell(one["metrics"][name]) for name in metrics)]
            for one in sorted(results, key=lambda one: sign * one["metrics"][metrics[0]]["mean"])]
    return {"title": f"`{env}`, {results[0]['episodes']} episodes", "columns": ["policy", "is", *metrics],
            "rows": rows}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("suite")
    parser.add_argument("--out", type=Path, help="folder of the results (default: build/suites/SUITE)")
    parser.add_argument("--share", default="0.1", help="part that is played again")
    arguments = parser.parse_args()
    out = arguments.out or figures.ROOT / "build/suites" / arguments.suite
    if not (out / "results.json").exists():
        out.parent.mkdir(parents=True, exist_ok=True)
        park("bench", arguments.suite, "--out", str(out), "--quiet")
    verified = park("bench", "verify", str(out / "results.json"), "--share", arguments.share).splitlines()
    content = (out / "results.json").read_bytes()
    results = json.loads(content)
    suite = results["suite"]["name"]
    if suite.split("-v")[0] != arguments.suite.split("-v")[0]:
        sys.exit(f"error: --out: {out} has results of {suite}")
    environments = dict.fromkeys(one["env"] for one in results["results"])
    figures.write(
        figures.ROOT / f"results/suite_{suite.replace('-', '_')}.json", f"Suite {suite}",
        f"scripts/record_suite.py {suite}", [],
        ["means over the episodes of the suite with 95 % intervals (Student's t)",
         "verified: " + verified[0].split(": ", 1)[1] + "; " + verified[1],
         f"{len(results['failures'])} episodes failed; SHA-256 of the file of results: "
         + hashlib.sha256(content).hexdigest()],
        [table(env, [one for one in results["results"] if one["env"] == env]) for env in environments],
        page=results["suite"]["environments"][0]["env"])


if __name__ == "__main__":
    main()
