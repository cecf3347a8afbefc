#!/usr/bin/env python3
"""Runs the commands of the documents: every line of every block that is marked as sh.

    scripts/check_snippets.py BUILD_FOLDER FILE... [--long]

Blocks that take minutes are marked as `sh long` and left out without --long.

A block may only hold commands of `park`; they run in a folder that is removed afterwards, and each
must succeed. A block marked with a language and a file's name, such as ```json jobs.json, is such
a file in that folder. The plug-ins that a build makes of the examples are there, too. A command that
several documents show runs once.
"""

import argparse
import os
import re
import subprocess
import sys
import tempfile
from pathlib import Path

BLOCK = re.compile(r"^```sh( long)?\n(.*?)^```$", re.MULTILINE | re.DOTALL)
FILE = re.compile(r"^```(?!sh )\w+ ([\w.-]+)\n(.*?)^```$", re.MULTILINE | re.DOTALL)


def commands(path, with_long=False):
    """The lines of the blocks of a document."""
    text = Path(path).read_text(encoding="utf-8")
    return [line for is_long, block in BLOCK.findall(text) if with_long or not is_long
            for line in block.splitlines() if line.strip()]


def write_files(path, folder):
    """Writes the files that a document shows."""
    for name, text in FILE.findall(Path(path).read_text(encoding="utf-8")):
        (Path(folder) / name).write_text(text, encoding="utf-8")


def link_plugins(build, folder):
    """Puts the libraries of the build's plug-ins into a folder."""
    for library in sorted((build / "plugins").glob("lib*.so")):
        (Path(folder) / library.name).symlink_to(library)


def fails(command, folder, environment):
    """Runs a command; tells what is wrong with it."""
    if not command.startswith("park "):
        return "not a command of park"
    done = subprocess.run(["bash", "-c", command], cwd=folder, env=environment, check=False,
                          capture_output=True, text=True)
    if done.returncode != 0:
        return f"exit status {done.returncode}: {done.stderr.strip()}"
    return "" if done.stdout.strip() or "--out" in command else "printed nothing"


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("build")
    parser.add_argument("files", nargs="+")
    parser.add_argument("--long", action="store_true", help="blocks that take minutes too")
    arguments = parser.parse_args()
    binaries = Path(arguments.build).resolve() / "bin"
    environment = {**os.environ, "PATH": f"{binaries}:{os.environ['PATH']}"}
    count, wrong, done = 0, 0, set()
    with tempfile.TemporaryDirectory() as folder:
        link_plugins(Path(arguments.build).resolve(), folder)
        for path in arguments.files:
            write_files(path, folder)
            for command in commands(path, arguments.long):
                if command in done:
                    continue
                done.add(command)
                count += 1
                problem = fails(command, folder, environment)
                if problem:
                    wrong += 1
                    print(f"{path}: {command}\n    {problem}")
    print(f"{count} commands run, {wrong} violations")
    return 1 if wrong or not count else 0


if __name__ == "__main__":
    sys.exit(main())
