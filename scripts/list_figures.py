#!/usr/bin/env python3
"""Lists the committed figures: where each was measured, by which command, and whether the code that
it is about has changed since.

    scripts/list_figures.py              a line for each file of results/
    scripts/list_figures.py --changed    those whose code changed
    scripts/list_figures.py --json       the same as JSON

A figure is about the folders of its subject: those of its environment or system, of what they stand
on, and of the networks where it comes from training. Files that were only moved have not changed. It
needs the history of the tree; where a figure's commit is not in it, the list says so.
"""

import argparse
import functools
import json
import re
import subprocess
import sys

import figures

# What a file of figures is about beside its page, by its name.
BY_NAME = (
    (r"bench_core", ("park/core",)),
    (r"bench_(networks|training|kernels)|gradient_|learning_", ("agents", "park/runs")),
    (r"bench_bridge|bench_python|python_", ("bridge",)),
    (r"startup|pages", ("cli",)),
    (r"siege/|sim_to_real|spark", ("bridge",)),
)
CODE = (".cc", ".h", ".py", ".scala", ".java", ".js", ".capnp")


def git(*words):
    """What git says; None where it fails."""
    done = subprocess.run(["git", *words], cwd=figures.ROOT, capture_output=True, text=True, check=False)
    return done.stdout if done.returncode == 0 else None


def subject(name, page):
    """The folders that figures are about."""
    folders = {"park/core"}
    if (figures.ROOT / "park/envs" / page).is_dir():
        folders |= {f"park/envs/{page}", "park/sim"}
    if (figures.ROOT / "systems" / page).is_dir():
        folders |= {f"systems/{page}"}
    for pattern, more in BY_NAME:
        if re.match(pattern, name):
            folders |= set(more)
    return tuple(sorted(folders))


@functools.cache
def changed_since(commit):
    """The files of code that a commit has otherwise, by their name of today; None: it is unknown."""
    listed = git("diff", "--find-renames=90%", "-l0", "--name-status", commit, "HEAD")
    if listed is None:
        return None
    lines = (line.split("\t") for line in listed.splitlines())
    return {line[-1] for line in lines if line[0] != "R100" and line[-1].endswith(CODE)}


@functools.cache
def files_of(folder):
    return frozenset(name for name in (git("ls-files", folder) or "").splitlines() if name.endswith(CODE))


def entry(path):
    """What the list says of a file."""
    content = json.loads(path.read_text(encoding="utf-8"))
    name = str(path.relative_to(figures.ROOT / "results").with_suffix(""))
    if content["schema"] == "park.bench":
        manifest = content["manifest"]
        about = {"commit": manifest["host"]["commit"], "date": manifest["started"][:10],
                 "machine": manifest["host"]["processor"], "command": " ".join(manifest["command"])}
        pages = {env["env"] for env in content["suite"]["environments"]}
    else:
        about = {key: content.get(key, "") for key in ("commit", "date", "machine", "command")}
        pages = {content.get("page", figures.COMMON)}
    folders = sorted({folder for page in pages for folder in subject(name, page)})
    files = frozenset().union(*map(files_of, folders))
    changed = changed_since(about["commit"].split("+")[0]) if about["commit"] else None
    told = re.search(r"x86-64-v\d|aarch64", about["machine"])
    return {"name": name, **about, "instruction_set": told.group(0) if told else None,
            "subject": folders, "files": len(files),
            "changed": None if changed is None else len(files & changed)}


def line(one):
    """An entry for people."""
    if not one["commit"]:
        state = "its file names no commit"
    elif one["changed"] is None:
        state = f"commit {one['commit']} is not in this history"
    else:
        state = f"commit {one['commit']}, {one['changed']} of {one['files']} files changed since"
    where = one["instruction_set"] or "instruction set not told"
    return f"{one['name']}: {one['date'] or 'no date'}, {where}, {state}\n    {one['command'] or 'no command'}"


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--changed", action="store_true", help="only those whose code changed")
    parser.add_argument("--json", action="store_true", help="as JSON")
    arguments = parser.parse_args()
    paths = sorted((figures.ROOT / "results").glob("*.json")) + sorted(
        (figures.ROOT / "results").glob("bench/*.json")) + sorted((figures.ROOT / "results").glob("siege/*.json"))
    entries = [entry(path) for path in paths]
    if arguments.changed:
        entries = [one for one in entries if one["changed"] != 0]
    print(json.dumps(entries, indent=1) if arguments.json else "\n".join(map(line, entries)))
    return 0


if __name__ == "__main__":
    sys.exit(main())
