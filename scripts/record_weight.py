#!/usr/bin/env python3
"""Records how long the two commands take, step by step, and what each environment costs of it, in results/weight.json.

    scripts/demo.sh | tee build/demo.txt; scripts/test.sh | tee build/test.txt
    scripts/record_weight.py build/demo.txt build/test.txt

The files hold what the commands printed. Times of environments are shares of the steps `build asan` and
`test ci`: an object belongs to the environments by the lines of theirs that it compiles, a test to the
one that its name or its output line has.
"""

import argparse
import collections
import re
import sys
import xml.etree.ElementTree as ElementTree
from pathlib import Path

import figures

ROOT = figures.ROOT
STEP = re.compile(r"^(\S.{0,26}\S) {2,}(\d+) s(?:  FAILED)?$", re.MULTILINE)
SETUP = re.compile(r"^setup: \d+ packages installed, (\d+) s$", re.MULTILINE)
OF_PROGRAM = re.compile(r"^\[       OK \] (\S+).* \((\d+) ms\)$", re.MULTILINE)


def environments():
    """Their names, the longest first, so that a twin is not taken for what it is a twin of."""
    names = [path.parent.name for path in (ROOT / "park/envs").glob("*/register.cc")]
    return sorted(names, key=len, reverse=True)


def steps(text):
    """Seconds by step."""
    found = {"packages": int(taken) for taken in SETUP.findall(text)[:1]}
    found.update((name, int(taken)) for name, taken in STEP.findall(text))
    return found


def lines_by_environment(source, names):
    """Lines of a unit's sources by environment, "" for others."""
    shares = collections.Counter()
    text = source.read_text(encoding="utf-8", errors="replace") if source.exists() else ""
    for path in re.findall(r'^#include "(/.+)"', text, re.MULTILINE) or [str(source)]:
        folder = re.search(r"/(?:park/envs|tests/envs)/(\w+)/", path)
        name = folder.group(1) if folder and folder.group(1) in names else ""
        shares[name] += len(Path(path).read_bytes().splitlines()) if Path(path).exists() else 1
    return shares


def of_build(build, names):
    """Seconds of commands by environment."""
    last = {}
    for line in (build / ".ninja_log").read_text(encoding="utf-8").splitlines()[1:]:
        begin, end, _, output, _ = line.split("\t")
        last[output] = (int(end) - int(begin)) / 1000
    total = collections.Counter()
    for output, taken in last.items():
        shares = lines_by_environment(build / output.removesuffix(".o"), names)
        folder = re.search(r"tests/envs/(\w+)/", output)
        if folder and folder.group(1) in names:
            shares = {folder.group(1): 1}
        for name, lines in shares.items():
            total[name] += taken * lines / sum(shares.values())
    return total


def of_tests(junit, names):
    """Seconds of tests by environment."""
    total = collections.Counter()

    def add(test, taken):
        total[next((name for name in names if name in test), "")] += taken

    for case in ElementTree.parse(junit).getroot().iter("testcase"):
        taken = float(case.get("time") or 0)
        parts = OF_PROGRAM.findall(case.findtext("system-out") or "")
        whole = sum(int(ms) for _, ms in parts)
        if whole == 0:
            add(case.get("name"), taken)
        for test, ms in parts if whole else ():
            add(f"{case.get('name')} {test}", taken * int(ms) / whole)
    return total


def table(build, junit, taken):
    """What each environment costs of the whole."""
    names = environments()
    built, tested = of_build(build, names), of_tests(junit, names)
    rows, costs = [], []
    for name in sorted(names):
        parts = [taken[step] * of[name] / sum(of.values())
                 for step, of in (("build asan", built), ("test ci", tested))]
        costs.append(sum(parts))
        rows.append([name, *(f"{part:.1f}" for part in parts), f"{sum(parts):.1f}"])
    return {"title": "What an environment costs of scripts/test.sh, in seconds",
            "columns": ["environment", "build", "tests", "both"], "rows": rows}, costs


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("printed", nargs="+", type=Path, help="what scripts/demo.sh or test.sh printed")
    parser.add_argument("--build", type=Path, default=ROOT / "build/asan", help="(%(default)s)")
    parser.add_argument("--junit", type=Path, default=ROOT / "build/log/ci.xml", help="(%(default)s)")
    parser.add_argument("--note", action="append", default=[], help="a sentence about the run")
    parser.add_argument("--out", default=str(ROOT / "results/weight.json"), help="file")
    arguments = parser.parse_args()
    found, taken = [], {}
    for path in arguments.printed:
        of_file = steps(path.read_text(encoding="utf-8"))
        if not of_file:
            print(f"{path}: has no line of a step, such as 'build asan  1065 s'", file=sys.stderr)
            return 2
        taken = of_file | taken  # a step that is told twice: the first counts
        found += [figures.figure(f"{path.stem}: {name}", "s", [value]) for name, value in of_file.items()]
    tables = []
    if {"build asan", "test ci"} <= taken.keys():
        cost, costs = table(arguments.build, arguments.junit, taken)
        tables.append(cost)
        found.append(figures.figure("an environment", "s", costs, "of the build and the tests of scripts/test.sh"))
    figures.write(arguments.out, "What the two commands take", figures.command(), found, arguments.note, tables)
    return 0


if __name__ == "__main__":
    sys.exit(main())
