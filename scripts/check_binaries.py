#!/usr/bin/env python3
"""Checks the programs and libraries of a build or of an installation.

    scripts/check_binaries.py FOLDER                       where all of them look for libraries
    scripts/check_binaries.py FOLDER --hardened bin/park   and that this one is hardened

cmake/park_hardening.cmake says what hardened means.

An element of a RUNPATH that is empty or does not begin with / or $ORIGIN is a place below the current
folder: a library that lies there would be loaded. Prints one line per violation and fails then.
"""

import argparse
import os
import re
import subprocess
import sys
from pathlib import Path

ELF = b"\x7fELF"
LINKED = {2, 3}  # e_type of programs and of shared libraries; objects have 1
RUNPATH = re.compile(r"\((RPATH|RUNPATH)\).*\[(.*)\]$", re.MULTILINE)
BIND_NOW = re.compile(r"\((FLAGS|FLAGS_1)\).*\b(BIND_)?NOW\b")


def is_linked(path):
    """Whether a file is an ELF program or shared library."""
    try:
        if path.is_symlink() or not path.is_file():
            return False
        with path.open("rb") as file:
            head = file.read(18)
    except FileNotFoundError:  # of a test that runs meanwhile
        return False
    return head[:4] == ELF and int.from_bytes(head[16:18], "little") in LINKED


def linked_files(folder):
    """The programs and shared libraries below a folder; CMake's own trials are left out."""
    found = []
    for place, folders, names in os.walk(folder):
        folders[:] = [name for name in folders if name not in ("CMakeFiles", "Testing")]
        found += [path for path in (Path(place) / name for name in names)
                  if path.suffix != ".o" and is_linked(path)]
    return sorted(found)


def readelf(option, path):
    return subprocess.run(["readelf", option, "-W", path], check=True, capture_output=True,
                          text=True).stdout


def bad_elements(dynamic):
    """What is wrong with the RPATHs and RUNPATHs in the output of readelf -d."""
    return [f"{kind} [{elements}]: the element '{element}' is below the current folder"
            for kind, elements in RUNPATH.findall(dynamic)
            for element in dict.fromkeys(elements.split(":"))
            if not element.startswith(("/", "$ORIGIN"))]


def lacking(dynamic, segments, symbols):
    """The kinds of hardening that a program or library lacks, from the output of readelf."""
    found = {"the stack protector": "__stack_chk_fail" in symbols,
             "_FORTIFY_SOURCE": re.search(r"__\w+_chk\b", symbols.replace("__stack_chk", "")),
             "_GLIBCXX_ASSERTIONS": "__glibcxx_assert_fail" in symbols,
             "RELRO": "GNU_RELRO" in segments,
             "the binding of all functions at the start": BIND_NOW.search(dynamic)}
    return [what for what, there in found.items() if not there]


def check(path, hardened):
    """Lines that say what is wrong with a program or library."""
    dynamic = readelf("-d", path)
    found = bad_elements(dynamic)
    if hardened:
        found += [f"lacks {what}"
                  for what in lacking(dynamic, readelf("-l", path), readelf("--dyn-syms", path))]
    return found


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", help="such as build/dev, or the prefix of an installation")
    parser.add_argument("--hardened", action="append", metavar="FILE", default=[],
                        help="a file in the folder that has to be hardened, such as bin/park")
    arguments = parser.parse_args()
    files = linked_files(arguments.folder)
    hardened = {Path(arguments.folder) / name for name in arguments.hardened}
    wrong = [f"{path}: is not there" for path in sorted(hardened.difference(files))]
    for path in files:
        wrong += [f"{path}: {what}" for what in check(path, path in hardened)]
    for line in wrong:
        print(line)
    print(f"{len(files)} programs and libraries checked, {len(wrong)} violations")
    return 1 if wrong or not files else 0


if __name__ == "__main__":
    sys.exit(main())
