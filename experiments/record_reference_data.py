#!/usr/bin/env python3
"""Records the sums of reference data in data/reference_data.txt, which `park data fetch` compares with.

    record_reference_data.py            of the sets that are here; those of others stay
    record_reference_data.py --check    fails where the file is not as it would be written; exit status 77 where
                                        it could not compare every set

Only names, sizes and SHA-256 sums enter the tree. Hidden files and READMEs are of no set.
"""

import argparse
import hashlib
import sys
from pathlib import Path

import reference_data

LIST = reference_data.HERE.parent / "data/reference_data.txt"
SKIPPED = 77
HEAD = """# Sets of reference data, which are no part of Park (docs/data.md); experiments/record_reference_data.py
# writes this file. `set NAME PATH`: PATH is in the folder that PARK_REFERENCE_DATA names. Then a line for
# each file of the set: SHA-256, bytes, name. The name is . where the set is that file.
"""


def line(path, name):
    """A file of a set."""
    content = path.read_bytes()
    return f"{hashlib.sha256(content).hexdigest()} {len(content)} {name}"


def files(path):
    """The lines of the set at a path."""
    if path.is_file():
        return [line(path, ".")]
    found = (one for one in path.rglob("*") if one.is_file() and not one.name.startswith((".", "README")))
    return sorted((line(one, one.relative_to(path)) for one in found), key=lambda text: text.split()[2])


def recorded():
    """The lines of each set that the file has, by name."""
    sets = {}
    for text in LIST.read_text(encoding="utf-8").splitlines() if LIST.exists() else ():
        if text.startswith("set "):
            lines = sets[text.split()[1]] = []
        elif text and not text.startswith("#"):
            lines.append(text)
    return sets


def whole():
    """The text of the file, and the names of the sets that are not here."""
    before, absent, text = recorded(), [], HEAD
    for (name, path), relative in zip(reference_data.sets().items(), reference_data.paths().values()):
        lines = files(path) if path.exists() else before.get(name, [])
        absent += [] if path.exists() else [name]
        text += "\n".join([f"set {name} {relative}", *lines]) + "\n"
    return text, absent


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--check", action="store_true")
    arguments = parser.parse_args()
    text, absent = whole()
    if not arguments.check:
        LIST.write_text(text, encoding="utf-8")
    elif LIST.read_text(encoding="utf-8") != text:
        print(f"{LIST.name}: is not what experiments/record_reference_data.py would write")
        return 1
    print("all sets are here" if not absent else f"not here, so as they were: {', '.join(absent)}")
    return SKIPPED if arguments.check and absent else 0


if __name__ == "__main__":
    sys.exit(main())
