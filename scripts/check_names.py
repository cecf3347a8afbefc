#!/usr/bin/env python3
"""Checks that environments are named by their own folders alone, so that a folder can be removed.

    scripts/check_names.py

Documents, examples, data and experiments choose environments freely. Tests, scripts and clients may choose
one of two as their example, load_balance and dag_scheduling; what concerns every environment is made of the
registry (`park envs --json`) or of the folders (park/envs/*/presets.txt). Code of the libraries names none,
but in comments and in the examples of a help text. Prints one line per violation and fails then.
"""

import argparse
import re
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent

FREE = ("cli/new/templates/", "data/", "docs/", "examples/", "experiments/", "results/", "tests/data/",
        "third_party/")
LIBRARIES = ("park/", "agents/", "bridge/client/", "bridge/codec/", "bridge/server/", "bridge/session/",
             "bridge/transport/", "systems/", "cli/")
# A plain one and one with graphs; every other environment's folder can be removed.
EXAMPLES = ("load_balance", "dag_scheduling")
# What knows one environment by its purpose: its real twin, and networks for its observations. A twin in the
# folder NAME_live is that of NAME.
USERS = {
    "dag_scheduling": ("systems/spark/", "cli/spark/", "agents/net/cluster/"),
}
TEXT = {".cc", ".h", ".py", ".sh", ".rs", ".java", ".go", ".scala", ".txt", ".cmake", ".js", ".html", ".capnp",
        ".pyi", ".json"}
COMMENT = re.compile(r"//[^\n]*|/\*.*?\*/", re.DOTALL)
# An example of a command in a help text.
COMMAND = re.compile(r'"[^"\n]*\b(?:park [a-z]|such as )[^"\n]*"')


def environments():
    """The names of the folders that are environments."""
    return sorted(path.parent.name for path in (ROOT / "park/envs").glob("*/register.cc"))


def own(name, env):
    """Whether a file lies in a folder of the environment, or of its real twin NAME_live."""
    folders = Path(name).parts[:-1]
    return env in folders or f"{env}_live" in folders


def named(name, text, names):
    """The environments that a text names, without those whose folder it lies in."""
    if name.startswith(LIBRARIES) and Path(name).suffix in (".cc", ".h"):
        text = COMMENT.sub("", COMMAND.sub("", text))
    return [env for env in names
            if not own(name, env) and not name.startswith(USERS.get(env, ()) or ("\0",))
            and re.search(rf"(?<![\w-]){env}(?![\w-])", text)]


def check(name, text, names):
    """What is wrong with a file, as lines."""
    if name.startswith(FREE) or Path(name).suffix not in TEXT:
        return []
    found = named(name, text, names)
    if name.startswith(LIBRARIES) and Path(name).suffix in (".cc", ".h"):
        return [f"{name}: names {env}; the libraries know no environment" for env in found]
    return [f"{name}: names {env}; as an example take one of {', '.join(EXAMPLES)}" for env in found
            if env not in EXAMPLES]


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.parse_args()
    listed = subprocess.run(["git", "ls-files", "-z"], cwd=ROOT, check=True,
                            capture_output=True).stdout.decode().split("\0")
    names = environments()
    files = [name for name in listed if name and Path(name).suffix in TEXT and (ROOT / name).is_file()]
    found = []
    for name in files:
        try:
            found += check(name, (ROOT / name).read_text(encoding="utf-8"), names)
        except UnicodeDecodeError:
            continue
    for line in found:
        print(line)
    print(f"{len(files)} files checked for {len(names)} environments, {len(found)} violations")
    return 1 if found or not files or not names else 0


if __name__ == "__main__":
    sys.exit(main())
