#!/usr/bin/env python3
"""Measures how long `park` takes to start and end, and writes results/startup.json.

    scripts/record_startup.py

Each command is a whole process, its output thrown away, and the rounds take turns. Build first:
cmake --preset release && cmake --build --preset release.
"""

import argparse
import subprocess
import sys
import time

import figures

PARK = figures.ROOT / "build/release/bin/park"
COMMANDS = ("true", "park --help", "park --version", "park envs", "park describe dag_scheduling")


def milliseconds(words):
    """Wall time of one process."""
    program = PARK if words[0] == "park" else words[0]
    command = [program, *words[1:]]
    start = time.perf_counter()
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
    return 1e3 * (time.perf_counter() - start)


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rounds", type=int, default=200, help="(%(default)s)")
    parser.add_argument("--out", default=str(figures.ROOT / "results/startup.json"), help="file")
    arguments = parser.parse_args()
    if not PARK.is_file():
        print("no build/release/bin/park; build it first", file=sys.stderr)
        return 2
    times = {command: [] for command in COMMANDS}
    for _ in range(arguments.rounds):
        for command, of in times.items():
            of.append(milliseconds(command.split()))
    found = [figures.figure(command, "ms", of) for command, of in times.items()]
    figures.write(arguments.out, "Starting the command", figures.command(), found,
                  ["Wall time of whole processes, one after the other; true is what the system "
                   "takes for a process that does nothing."])
    return 0


if __name__ == "__main__":
    sys.exit(main())
