#!/usr/bin/env python3
"""Training, validation and test share no more inputs than experiments/phases.txt declares.

    phases_test.py PARK bundled    of the data in this tree
    phases_test.py PARK NAME       of the inputs of that name, which need reference data; exit status 77 and
                                   the reason where it is not there

PARK is the command. Nothing of the data is written into the tree.
"""

import hashlib
import itertools
import json
import re
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path[:0] = map(str, (ROOT / "experiments", ROOT / "experiments/learning"))

import reference_data  # noqa: E402
import settings  # noqa: E402

DECLARED = ROOT / "experiments/phases.txt"
PHASES = ("training", "validation", "test")
SKIPPED = 77


def declarations():
    """The inputs as {name: (kind, paths)} and the overlaps as {(name, first, second): counts}."""
    inputs, overlaps = {}, {}
    for line in DECLARED.read_text(encoding="utf-8").splitlines():
        words = line.split()
        if line.startswith("inputs "):
            inputs[words[1]] = (words[2], words[3:])
            assert words[2] in COMPARED and len(words) == 3 + len(PHASES), line
        elif line.startswith("overlap "):
            about, why = line.split(": ", 1)
            _, name, phases, *counts = about.split()
            assert why and name in inputs, line
            overlaps[(name, *phases.split("-"))] = {
                key: int(value) for key, value in (count.split("=") for count in counts)}
        else:
            assert not line or line.startswith("#"), line
    return inputs, overlaps


def park(command, *words):
    """What park prints, as JSON."""
    done = subprocess.run([command, *words, "--json"], check=True, capture_output=True, text=True, cwd=ROOT)
    return json.loads(done.stdout)


def compared_traces(command, first, second):
    """How many traces of the second folder have something of the first."""
    found = park(command, "data", "traces", "compare", str(second), str(first))["folders"][0]
    return {"recordings": found["of_shared_recordings"], "parts": found["parts"], "same": found["same"]}


def digests(path):
    """The sums of the files at a path, but of those that say where they come from."""
    files = [path] if path.is_file() else [one for one in path.rglob("*") if one.is_file()]
    return [hashlib.sha256(one.read_bytes()).digest() for one in files
            if one.suffix != ".md" and not one.name.startswith(".")]


def compared_files(_, first, second):
    """How many files of the second are files of the first."""
    known = set(digests(first))
    return {"same": sum(one in known for one in digests(second))}


def jobs(command, path):
    """The jobs of a workload as texts: names, stages, tasks, durations in sum."""
    found = park(command, "data", "workload", "describe", str(path))["workload"]["per_job"]
    return {json.dumps(one, sort_keys=True) for one in found}


def compared_jobs(command, first, second):
    """How many job templates of the second workload are in the first."""
    return {"jobs": len(jobs(command, first) & jobs(command, second))}


COMPARED = {"traces": compared_traces, "files": compared_files, "jobs": compared_jobs}


def overlaps_of(command, kind, paths):
    """What each two phases share, by the phases."""
    found = {}
    for (first, one), (second, other) in itertools.combinations(zip(PHASES, paths), 2):
        if one is None or other is None:
            continue
        counts = COMPARED[kind](command, one, other)
        if any(counts.values()):
            found[(first, second)] = counts
    return found


def differences(name, found, declared):
    """What is shared and not declared, or declared and not shared."""
    expected = {phases: counts for (of, *phases), counts in declared.items() if of == name
                for phases in [tuple(phases)]}
    return [f"{name}: {first} and {second} share {found.get((first, second)) or 'nothing'}; "
            f"{DECLARED.name} declares {expected.get((first, second)) or 'nothing'}"
            for first, second in sorted(found.keys() | expected.keys())
            if found.get((first, second)) != expected.get((first, second))]


def undeclared_folders(inputs):
    """Bundled data that no line names."""
    named = {path for _, paths in inputs.values() for path in paths}
    folders = [one for kind in ("traces", "videos", "workloads")
               for one in sorted((ROOT / "data" / kind).iterdir()) if one.is_dir()]
    return [f"{one.relative_to(ROOT)}: {DECLARED.name} does not say which phases read it" for one in folders
            if not {str(one.relative_to(ROOT)), str(one.parent.relative_to(ROOT))} & named]


def made():
    """What experiments make, by its path."""
    return {one.file: one for experiment in settings.experiments().values() for one in experiment.made}


def maker(path):
    """What makes a path in build/; None for other paths."""
    return next((one for name, one in made().items() if f"{path}/".startswith(name + "/")), None)


def needed(paths):
    """The sets of reference data that these paths are or are made of."""
    makers = [one for one in map(maker, paths) if one]
    return {path for path in paths if path in reference_data.sets()} | {
        name for one in makers for name in one.sources}


class Places:
    """Where the files of phases are; makes those of build/ in a folder."""

    def __init__(self, command, folder):
        self.command, self.folder, self.done = command, Path(folder), {}

    def __call__(self, path):
        if path == "-":
            return None
        if one := maker(path):
            return self.of(one) / path[len(one.file):].strip("/")
        return reference_data.sets().get(path, ROOT / path)

    def of(self, one):
        if one.file not in self.done:
            self.done[one.file] = self.folder / Path(one.file).name
            words = one.command(reference_data.sets(), self.done[one.file])
            subprocess.run([self.command, *words, "--quiet"], check=True, capture_output=True, cwd=ROOT)
        return self.done[one.file]


def check(command, names):
    """Prints what is shared and returns what is wrong."""
    inputs, declared = declarations()
    wrong = []
    with tempfile.TemporaryDirectory() as folder:
        place = Places(command, folder)
        for name in names:
            kind, paths = inputs[name]
            found = overlaps_of(command, kind, [place(path) for path in paths])
            print(f"{name}: " + ("; ".join(f"{a} and {b} share {counts}" for (a, b), counts in found.items())
                                 or "no two phases share anything"))
            wrong += differences(name, found, declared)
    return wrong


def main():
    command, part = sys.argv[1], sys.argv[2]
    inputs, _ = declarations()
    if part == "bundled":
        names = [name for name, (_, paths) in inputs.items() if not needed(paths)]
        wrong = check(command, names) + undeclared_folders(inputs)
    else:
        absent = sorted(one for one in needed(inputs[part][1]) if not reference_data.sets()[one].exists())
        if absent:
            print(f"skipped: there is no {', '.join(absent)} in the folder of reference data (docs/data.md)")
            return SKIPPED
        wrong = check(command, [part])
    print("\n".join(wrong))
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
