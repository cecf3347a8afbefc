#!/usr/bin/env python3
"""Checks that no C++ source includes what lies above it, and that folders side by side stay apart.

    scripts/check_layers.py

Prints one line per violation and fails then. docs/design.md has the map of the layers.
"""

import argparse
import re
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent

# From below to above. A folder may include itself and what lies below it. NAME stands for each folder of
# that place: these do not include one another, except what SHARED lists.
LAYERS = [
    "park/core",
    "park/files",
    "park/process",
    "park/sim",
    "park/net",
    "park/command",
    "park/plugin",
    "park/check",
    "park/envs/NAME",
    "park/envs",
    "park/runs",
    "park/plugins",
    "park/search",
    "park/trees",
    "park/bench",
    "park/attack",
    "park/exchange",
    "park/judge",
    "agents/kit",
    "agents/net",
    "agents/net/cluster",
    "agents/baseline",
    "agents/algorithm",
    "agents/exported",
    "agents/module",
    "bridge",
    "systems/NAME",
    "systems",
    "cli",
]
# What the folders of a place have in common.
SHARED = {"systems/process"}
# The real twin of an environment, and networks for its observations, may include it; others go through the
# registry. A twin systems/NAME_live is known by its name.
ENVIRONMENT_USERS = {"systems/spark": "park/envs/dag_scheduling",
                     "cli/spark": "park/envs/dag_scheduling",
                     "agents/net/cluster": "park/envs/dag_scheduling"}
# The bindings of other languages are built on top of all but the command.
TOP = "bridge/python"
INCLUDE = re.compile(r'^#include "([^"]+)"', re.MULTILINE)


def folder_of(path):
    """The folder of a layer that a source belongs to, or None."""
    if path.startswith(TOP + "/"):
        return TOP
    best = None
    for layer in LAYERS:
        place = layer.removesuffix("/NAME")
        if not path.startswith(place + "/"):
            continue
        rest = path[len(place) + 1:]
        if layer.endswith("/NAME"):
            if "/" not in rest:
                continue
            place = f"{place}/{rest.split('/')[0]}"
        if best is None or len(place) > len(best):
            best = place
    return best


def height(folder):
    """The position of a folder in LAYERS."""
    if folder == TOP:
        return len(LAYERS)
    if folder in LAYERS:
        return LAYERS.index(folder)
    return LAYERS.index(folder.rsplit("/", 1)[0] + "/NAME")


def environment_of(folder):
    """Whether a folder is that of one environment."""
    return folder.startswith("park/envs/")


def complaint(source, target):
    """What is wrong with an include between two files, or None."""
    here, there = folder_of(source), folder_of(target)
    if here is None or there is None or here == there:
        return None
    if height(there) > height(here):
        return f"includes {target}, which lies above {here}"
    if height(there) == height(here) and there not in SHARED:
        return f"includes {target}: {here} and {there} lie side by side"
    user = "/".join(source.split("/")[:-1])
    used = ENVIRONMENT_USERS.get(user, re.sub(r"^systems/(\w+)_live$", r"park/envs/\1", here))
    if environment_of(there) and here != "park/envs" and used != there:
        return f"includes {target}: only the registry knows environments"
    return None


def check(name, text):
    """Lines that say what is wrong with the includes of a source."""
    return [f"{name}: {found}" for target in INCLUDE.findall(text)
            if (found := complaint(name, target))]


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.parse_args()
    listed = subprocess.run(["git", "ls-files", "-z", "*.h", "*.cc"], cwd=ROOT, check=True,
                            capture_output=True).stdout.decode().split("\0")
    sources = [name for name in listed if folder_of(name) and (ROOT / name).is_file()]
    found = [line for name in sources
             for line in check(name, (ROOT / name).read_text(encoding="utf-8"))]
    for line in found:
        print(line)
    print(f"{len(sources)} sources checked, {len(found)} violations")
    return 1 if found or not sources else 0


if __name__ == "__main__":
    sys.exit(main())
