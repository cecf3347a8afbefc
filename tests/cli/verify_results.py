#!/usr/bin/env python3
"""Runs `park bench verify` on every file of results/bench.

    verify_results.py PARK [--without-networks]

Another machine may round a network's sums otherwise, hence --tolerance.
A build without the agents module leaves out results of networks, and says so. So are results of an
environment whose folder is not there.
"""

import argparse
import json
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]


def has_network(path):
    """A network is a policy that is made of files."""
    return any(result["files"] for result in json.loads(path.read_text(encoding="utf-8"))["results"])


def environments(path):
    """The names of the environments that a file has results of."""
    suite = json.loads(path.read_text(encoding="utf-8"))["suite"]
    return {env["env"] for env in suite["environments"]}


def registered(park):
    """The names of the environments that the program has."""
    listed = subprocess.run([park, "envs", "--json"], check=True, capture_output=True, text=True).stdout
    return {env["name"] for env in json.loads(listed)["environments"]}


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("park", help="the program")
    parser.add_argument("--without-networks", action="store_true", help="leave out results of networks")
    arguments = parser.parse_args()
    files = sorted((ROOT / "results/bench").glob("*.json"))
    failed = [] if files else ["results/bench has no file"]
    known = registered(arguments.park)
    for path in files:
        if absent := environments(path) - known:
            print(f"{path.name}: left out, there is no environment {', '.join(sorted(absent))}")
        elif arguments.without_networks and has_network(path):
            print(f"{path.name}: left out, its networks need the agents module")
        elif subprocess.run([arguments.park, "bench", "verify", str(path), "--tolerance", "0.01", "--quiet"], check=False).returncode:
            failed.append(path.name)
    if failed:
        sys.exit(f"not verified: {', '.join(failed)}")


if __name__ == "__main__":
    main()
