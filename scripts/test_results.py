#!/usr/bin/env python3
"""Counts what a JUnit file of ctest says, and compares skipped tests with tests/expected_skips.txt.

    scripts/test_results.py build/log/ci.xml --tier ci --build build/asan

Prints a line for each skipped test: what the list says of it, or that it was not expected here, which is
a failure. Disabled tests are skipped ones; so are those that a passed program or script says it
skipped. The last line has three numbers: passed, failed, skipped. scripts/test.sh adds them up.
"""

import argparse
import fnmatch
import os
import re
import resource
import shutil
import subprocess
import sys
import xml.etree.ElementTree as ElementTree
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).resolve().parent.parent
LIST = ROOT / "tests/expected_skips.txt"
SYSTEM_PYTHON = "/usr/bin/python3"
sys.path.insert(0, str(ROOT / "experiments"))
import reference_data  # noqa: E402

# One of the tests of a program.
PASSED = re.compile(r"^\[       OK \] [\w/]+\.[\w/]+ \(", re.MULTILINE)
# How a program that passes tells that a part of it was skipped.
OF_GOOGLETEST = re.compile(r"^\[  SKIPPED \] ([\w/]+\.[\w/]+) \(", re.MULTILINE)
OF_OTHERS = re.compile(
    r"^(?:skipped: .+|.*\bpassed\b.*\b[1-9]\d* skipped\b.*|OK \(.*skipped=\d+.*|.*\bSkipped: [1-9]\d*.*|"
    r"\S+ +\d+ skipped +.*)$", re.MULTILINE)  # ours, pytest, unittest, Maven, sieges


class Skip(NamedTuple):
    """A test that was skipped, and what it said."""
    test: str
    said: str


class Expected(NamedTuple):
    """A line of the list."""
    test: str
    condition: str
    reason: str


class Machine:
    """Says which conditions of the list hold here."""

    def __init__(self, tier="", build=None, offline=False):
        cache = Path(build or "", "CMakeCache.txt")
        text = cache.read_text(encoding="utf-8") if build and cache.exists() else ""
        found = re.search(r"^PARK_SANITIZE:\w+=(.*)$", text, re.MULTILINE)
        self.sanitizers = found.group(1).split(",") if found else []
        self.tier, self.offline = tier, offline

    @staticmethod
    def has_command(name):
        places = os.pathsep.join([os.environ.get("PATH", ""), str(Path.home() / ".cargo/bin")])
        return shutil.which(name, path=places) is not None

    @staticmethod
    def has_module(name):
        code = f"import importlib.util, sys; sys.exit(importlib.util.find_spec({name!r}) is None)"
        return subprocess.run([SYSTEM_PYTHON, "-c", code], check=False).returncode == 0

    @staticmethod
    def has_instructions(name):
        flags = re.search(r"^flags\s*: (.*)$|\Z", Path("/proc/cpuinfo").read_text(encoding="utf-8"),
                          re.MULTILINE).group(1)
        return name in (flags or "").split()

    @staticmethod
    def has_data(name):
        if name not in reference_data.sets():
            raise ValueError(f"there is no set '{name}' in experiments/reference_data.txt")
        return reference_data.sets()[name].exists()

    @staticmethod
    def few_descriptors(number):
        most = resource.getrlimit(resource.RLIMIT_NOFILE)[1]
        return most != resource.RLIM_INFINITY and most < int(number)

    def holds(self, condition):
        """Whether a condition does; ValueError where it is none."""
        kinds = (
            ("always()", lambda _: True), ("offline()", lambda _: self.offline),
            ("tier (quick|ci|full)", lambda name: name == self.tier),
            ("sanitizer (address|thread)", lambda name: name in self.sanitizers),
            (r"no command (\S+)", lambda name: not self.has_command(name)),
            (r"no python module (\w+)", lambda name: not self.has_module(name)),
            (r"no data (\S+)", lambda name: not self.has_data(name)),
            (r"no instructions (\w+)", lambda name: not self.has_instructions(name)),
            (r"descriptors below (\d+)", self.few_descriptors))
        for form, holds in kinds:
            if found := re.fullmatch(form, condition):
                return holds(found.group(1))
        raise ValueError(f"'{condition}' is no condition")


def expected(path=LIST):
    """The lines of the list."""
    lines = path.read_text(encoding="utf-8").splitlines()
    return [Expected(*(part.strip() for part in line.split("|", 2)))
            for line in lines if line and not line.startswith("#")]


def said(output):
    """Why a test was skipped, as far as it told."""
    lines = [line.strip() for line in output.splitlines() if line.strip()]
    for number, line in enumerate(lines[:-1]):
        if line.endswith(": Skipped"):  # GoogleTest
            return lines[number + 1]
    return next((line for line in lines if line.startswith("skipped: ")), lines[-1] if lines else "")


def inside(name, output):
    """What a test that passed skipped of itself."""
    parts = [Skip(f"{re.sub(r'[.][0-9]+$', '', name)}.{test}", said(output))
             for test in OF_GOOGLETEST.findall(output)]
    return parts + [Skip(name, line.strip()) for line in OF_OTHERS.findall(output)]


def read(path, status):
    """Passed and failed tests by their number, and the skipped ones. `status` is that of ctest."""
    passed, failed, skips = 0, 0, []
    for case in ElementTree.parse(path).getroot().iter("testcase"):
        name, output = case.get("name"), case.findtext("system-out") or ""
        if case.get("status") == "run":
            passed += max(1, len(PASSED.findall(output)))
            skips += inside(name, output)
        elif case.get("status") == "disabled":
            skips.append(Skip(name, "it is disabled"))
        elif case.find("skipped") is not None and case.find("skipped").get("message", "").startswith("SKIP_"):
            skips.append(Skip(name, said(output)))
        else:  # failed, or it could not even begin
            failed += 1
    return passed, failed or int(status != 0), skips


def reason(skip, lines, machine):
    """What the list says of a skipped test on this machine; None: nothing."""
    for line in lines:
        if fnmatch.fnmatchcase(skip.test, line.test) and machine.holds(line.condition):
            return line.reason
    return None


def judge(skips, lines, machine):
    """The lines to print for skipped tests, and how many were not expected."""
    texts, wrong = [], 0
    for skip in skips:
        why = reason(skip, lines, machine)
        wrong += why is None
        texts.append(f"  skipped: {skip.test}: {why}" if why is not None else
                     f"  SKIPPED, which tests/expected_skips.txt does not expect here: {skip.test}: {skip.said}")
    return texts, wrong


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("junit", nargs="?", help="what ctest --output-junit wrote")
    parser.add_argument("--status", type=int, default=0, help="exit status of ctest")
    parser.add_argument("--set-up", metavar="STEP", help="a step of set-up that could not be done")
    parser.add_argument("--tier", default="", help="quick, ci or full")
    parser.add_argument("--build", help="the folder of the build")
    parser.add_argument("--offline", action="store_true", help="no package registry is reached from here")
    arguments = parser.parse_args()
    passed, failed, skips = read(arguments.junit, arguments.status) if arguments.junit else (0, 0, [])
    if arguments.set_up:
        skips.append(Skip(f"set-up: {arguments.set_up}", "it could not be done"))
    texts, wrong = judge(skips, expected(), Machine(arguments.tier, arguments.build, arguments.offline))
    print("\n".join([*texts, f"{passed} {failed + wrong} {len(skips) - wrong}"]))
    return 0


if __name__ == "__main__":
    sys.exit(main())
