"""Reference data outside of the tree: sets have names (reference_data.txt, docs/data.md).

Settings, notes, manifests and tables name sets; only what is run has their paths.
"""

import os
import re
from pathlib import Path

HERE = Path(__file__).resolve().parent


def root():
    """The folder of all sets: PARK_REFERENCE_DATA, else shared/data beside the checkout."""
    chosen = os.environ.get("PARK_REFERENCE_DATA", "")
    return Path(chosen).resolve() if chosen else HERE.parents[1] / "shared/data"


def paths():
    """The path of each set in the folder of all sets."""
    lines = (HERE / "reference_data.txt").read_text(encoding="utf-8").splitlines()
    return dict(line.split() for line in lines if line and not line.startswith("#"))


def sets():
    """The path of each set, there or not."""
    return {name: root() / path for name, path in paths().items()}


def named_in(text):
    """The sets that are values of fields in the text of an environment."""
    values = re.findall(r"=([\w-]+)(?=[,)])", text)
    return [name for name in sets() if name in values]


def missing(text):
    """Those of them that are not there."""
    return [name for name in named_in(text) if not sets()[name].exists()]


def resolved(text):
    """The text with the paths of its sets."""
    for name in named_in(text):
        text = re.sub(rf"={name}(?=[,)])", lambda _, path=sets()[name]: f"={path}", text)
    return text


def named(text):
    """The text with the names of sets where it has their paths."""
    for name, path in sets().items():
        text = re.sub(rf"={re.escape(str(path))}(?=[,)])", f"={name}", text)
    return text
