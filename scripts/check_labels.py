#!/usr/bin/env python3
"""Checks that each test of a build is in exactly one tier: quick, ci or full.

    scripts/check_labels.py BUILD_FOLDER

A test in no tier is never run, so it would not exist.
"""

import argparse
import json
import subprocess
import sys

TIERS = {"quick", "ci", "full"}


def labels(test):
    """The labels of a test in ctest's list."""
    for item in test.get("properties", []):
        if item["name"] == "LABELS":
            return item["value"]
    return []


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("build", help="build folder, such as build/dev")
    arguments = parser.parse_args()
    listed = subprocess.run(["ctest", "--test-dir", arguments.build, "--show-only=json-v1"],
                            check=True, capture_output=True, text=True)
    tests = json.loads(listed.stdout)["tests"]
    # CMake lists a program that is not built as one test without labels.
    tests = [test for test in tests if not test["name"].endswith("_NOT_BUILT")]
    wrong = [test for test in tests if len(TIERS.intersection(labels(test))) != 1]
    for test in wrong:
        print(f"{test['name']}: labels {labels(test)}; exactly one of {sorted(TIERS)} is needed")
    print(f"{len(tests)} tests checked, {len(wrong)} violations")
    return 1 if wrong or not tests else 0


if __name__ == "__main__":
    sys.exit(main())
