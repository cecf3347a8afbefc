#!/usr/bin/env python3
"""Compares how long the benchmarks of two builds take, side by side.

    scripts/compare_builds.py BEFORE AFTER PROGRAM...

BEFORE and AFTER are folders of builds, such as build/plain and build/release. Each round runs every
program of both, in turn first one and first the other, so that a busy moment of the machine falls on both.
Prints for each benchmark the median time of an iteration in both and the median of the rounds' ratios,
and the geometric mean of these medians. Fails where that is above 1 + --most. What hardening costs:

    cmake --preset release -B build/plain -DPARK_HARDENING=OFF
"""

import argparse
import json
import math
import os
import shlex
import statistics
import subprocess
import sys
from collections import defaultdict
from pathlib import Path

import figures


def times(build, program, seconds, only):
    """{benchmark: CPU time of an iteration, in its unit} of one run of a program."""
    command = [build / "bin" / program, "--benchmark_format=json", f"--benchmark_min_time={seconds}",
               f"--benchmark_filter={only}"]
    environment = {**os.environ, "LD_LIBRARY_PATH": str(build / "lib")}
    done = subprocess.run(command, check=True, capture_output=True, text=True, env=environment)
    return {item["name"]: item["cpu_time"] for item in json.loads(done.stdout)["benchmarks"]
            if not item.get("error_occurred")}


def rounds_of(before, after, program, arguments):
    """{benchmark: [(before, after) of each round]} of a program."""
    found = defaultdict(list)
    for number in range(arguments.rounds):
        order = (before, after) if number % 2 == 0 else (after, before)
        both = {build: times(build, program, arguments.seconds, arguments.filter) for build in order}
        for name in both[before].keys() & both[after].keys():
            found[name].append((both[before][name], both[after][name]))
    return found


def compared(pairs):
    """Median before, median after, median of the ratios."""
    return (statistics.median(first for first, _ in pairs),
            statistics.median(second for _, second in pairs),
            statistics.median(second / first for first, second in pairs))


def save(arguments, rows, mean):
    """Writes the ratios to a file of figures."""
    notes = [f"{len(rows)} benchmarks, {arguments.rounds} rounds, each side in turn first; geometric mean of the "
             f"ratios {mean:.3f}, at most {1 + arguments.most:.2f} is asked for",
             "medians of CPU time of an iteration in ns; the ratio is the median of the rounds' ratios"]
    columns = ["program", "benchmark", arguments.before.name, arguments.after.name, "ratio"]
    figures.write(arguments.save, f"Builds {arguments.before.name} and {arguments.after.name} side by side",
                  "scripts/compare_builds.py " + shlex.join(sys.argv[1:]), [], notes,
                  [{"title": "", "columns": columns, "rows": rows}])


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("before", type=Path)
    parser.add_argument("after", type=Path)
    parser.add_argument("programs", nargs="+", metavar="PROGRAM", help="such as bench_core")
    parser.add_argument("--rounds", type=int, default=9, help="(%(default)s)")
    parser.add_argument("--seconds", type=float, default=0.2,
                        help="least time of one benchmark in a round (%(default)s)")
    parser.add_argument("--filter", default=".", help="benchmarks whose names match this")
    parser.add_argument("--most", type=float, default=0.03,
                        help="how much slower it may be, as a part of before (%(default)s)")
    parser.add_argument("--save", type=Path, help="write the table to a file of figures, for docs/results.md")
    arguments = parser.parse_args()
    before, after = arguments.before.resolve(), arguments.after.resolve()
    ratios, rows = [], []
    for program in arguments.programs:
        for name, pairs in sorted(rounds_of(before, after, program, arguments).items()):
            first, second, ratio = compared(pairs)
            ratios.append(ratio)
            rows.append([program, name, f"{first:.4g}", f"{second:.4g}", f"{ratio:.3f}"])
            print(f"{program} {name}: {first:.4g} -> {second:.4g}, ratio {ratio:.3f}", flush=True)
    if not ratios:
        print("no benchmark ran in both builds", file=sys.stderr)
        return 2
    mean = math.exp(statistics.fmean(map(math.log, ratios)))
    print(f"{len(ratios)} benchmarks, geometric mean of the ratios {mean:.3f}")
    if arguments.save:
        save(arguments, rows, mean)
    return 0 if mean <= 1 + arguments.most else 1


if __name__ == "__main__":
    sys.exit(main())
