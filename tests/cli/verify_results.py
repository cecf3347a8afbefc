#!/usr/bin/env python3
"""Runs `park bench verify` on every file of results/bench.

    verify_results.py PARK [--without-networks] [--briefly]

With --briefly the smallest files alone are verified, and the others read, with the hashes of their rows.
Another machine may round a network's sums otherwise, hence --tolerance.
A build without the agents module leaves out results of networks, and says so. So are results of an
environment whose folder is not there. Results of version 1 are archived: they are read, and `verify`
has to say that it does not verify them.
"""

import argparse
import json
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
ARCHIVED = 1
BRIEF = 2  # files that --briefly verifies


def has_network(results):
    """A network is a policy that is made of files."""
    return any(result["files"] for result in results["results"])


def environments(results):
    """The names of the environments that a file has results of."""
    return {env["env"] for env in results["suite"]["environments"]}


def registered(park):
    """The names of the environments that the program has."""
    listed = subprocess.run([park, "envs", "--json"], check=True, capture_output=True, text=True).stdout
    return {env["name"] for env in json.loads(listed)["environments"]}


def readable(park, path):
    """Whether the program reads a file and finds it equal to itself."""
    compared = subprocess.run([park, "bench", "compare", path, path, "--json"], check=False,
                              capture_output=True, text=True)
    if compared.returncode:
        print(compared.stderr)
        return False
    return all(change["verdict"] == "equal" for change in json.loads(compared.stdout)["changes"])


def archived(park, path):
    """Whether the program reads a file of version 1 and does not claim to verify it."""
    refused = subprocess.run([park, "bench", "verify", path], check=False, capture_output=True, text=True)
    line = f"error: {path}: has version {ARCHIVED}, whose "
    if refused.returncode != 1 or not refused.stderr.startswith(line):
        print(refused.stderr)
        return False
    return readable(park, path)


def verified(park, path):
    words = [park, "bench", "verify", path, "--tolerance", "0.01", "--quiet"]
    return subprocess.run(words, check=False).returncode == 0


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("park", help="the program")
    parser.add_argument("--without-networks", action="store_true", help="leave out results of networks")
    parser.add_argument("--briefly", action="store_true", help="verify the smallest files alone")
    arguments = parser.parse_args()
    files = {path: json.loads(path.read_text(encoding="utf-8"))
             for path in sorted((ROOT / "results/bench").glob("*.json"))}
    verifiable = [path for path, results in files.items() if results["version"] != ARCHIVED]
    failed = [] if verifiable else ["results/bench has no file"]
    if arguments.briefly:
        verifiable = sorted(verifiable, key=lambda path: path.stat().st_size)[:BRIEF]
    known = registered(arguments.park)
    for path, results in files.items():
        if results["version"] == ARCHIVED:
            print(f"{path.name}: archived, version {ARCHIVED} is read but not verified")
            if not archived(arguments.park, str(path)):
                failed.append(path.name)
        elif absent := environments(results) - known:
            print(f"{path.name}: left out, there is no environment {', '.join(sorted(absent))}")
        elif arguments.without_networks and has_network(results):
            print(f"{path.name}: left out, its networks need the agents module")
        elif path not in verifiable:
            print(f"{path.name}: read, not verified")
            if not readable(arguments.park, str(path)):
                failed.append(path.name)
        elif not verified(arguments.park, str(path)):
            failed.append(path.name)
    if failed:
        sys.exit(f"not verified: {', '.join(failed)}")


if __name__ == "__main__":
    main()
