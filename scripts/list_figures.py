#!/usr/bin/env python3
"""Lists the committed figures: where each was measured, by which command, from which state of the tree,
how often it was published before, and whether the code that it is about has changed since.

    scripts/list_figures.py              a line for each file of results/
    scripts/list_figures.py --changed    those whose code changed
    scripts/list_figures.py --json       the same as JSON
    scripts/list_figures.py --record     writes results/publications.jsonl of the history
    scripts/list_figures.py --check      fails where that file lacks what the history has

A figure is about the folders of its subject: those of its environment or system, of what they stand
on, and of the networks where it comes from training. Files that were only moved have not changed. It
needs the history of the tree; where a figure's commit is not in it, the list says so.

publications.jsonl has a line for each time that a file of figures was measured to be committed. A script
that has moved since has another name in the command of today than in that of its publication.
"""

import argparse
import functools
import json
import re
import subprocess
import sys

import figures

RESULTS = figures.ROOT / "results"
PUBLICATIONS = RESULTS / "publications.jsonl"
# What a file of figures is about beside its page, by its name.
BY_NAME = (
    (r"bench_core", ("park/core",)),
    (r"bench_plugins", ("park/plugin", "park/plugins", "park/envs/load_balance")),
    (r"bench_(networks|training|kernels)|gradient_|learning_|\w+_splits", ("agents", "park/runs")),
    (r"bench_bridge|bench_python|python_", ("bridge",)),
    (r"startup|pages", ("cli",)),
    (r"siege/|sim_to_real|spark", ("bridge",)),
)
CODE = (".cc", ".h", ".py", ".scala", ".java", ".js", ".capnp")
CHANGED = re.compile(r"[+]changes$|-dirty$")  # what follows the commit of a tree that had changes


def git(*words):
    """What git says; None where it fails."""
    done = subprocess.run(["git", *words], cwd=figures.ROOT, capture_output=True, text=True, check=False)
    return done.stdout if done.returncode == 0 else None


def subject(name, page):
    """The folders that figures are about."""
    folders = {"park/core"}
    if (figures.ROOT / "park/envs" / page).is_dir():
        folders |= {f"park/envs/{page}", "park/net", "park/sim"}
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


def paths():
    """All files of figures."""
    return [path for folder in ("", "bench/", "siege/") for path in sorted(RESULTS.glob(f"{folder}*.json"))]


def origin(content):
    """Where and how a file of figures was measured."""
    if content["schema"] != "park.bench":
        return {key: content.get(key, "") for key in ("commit", "date", "machine", "command")}
    manifest = content["manifest"]
    return {"commit": manifest["host"]["commit"], "date": manifest["started"][:10],
            "machine": manifest["host"]["processor"], "command": " ".join(manifest["command"])}


def published(path=PUBLICATIONS):
    """The publications, by the name of the file of figures, the oldest first."""
    found = {}
    for line in path.read_text(encoding="utf-8").splitlines() if path.exists() else ():
        one = json.loads(line)
        found.setdefault(one.pop("file"), []).append(one)
    return found


def same(one, other):
    """Whether two publications are of the same measurement, and not of a file that was only edited."""
    return (one["commit"], one["date"]) == (other["commit"], other["date"])


def added(known, more):
    """Publications with those that were not among them."""
    return known + [one for i, one in enumerate(more) if not any(same(one, other) for other in known + more[:i])]


def in_history(path):
    """The publications of a file that the history has, the oldest first; the last is the file as it is."""
    name = str(path.relative_to(figures.ROOT))
    commits = (git("log", "--reverse", "--format=%H", "--", name) or "").split()
    texts = [git("show", f"{commit}:{name}") for commit in commits] + [path.read_text(encoding="utf-8")]
    found = [origin(json.loads(text)) for text in texts if text]
    return added([], [{key: one[key] for key in ("date", "commit", "command")} for one in found if one["commit"]])


def all_publications():
    """What is recorded, and what the history has beyond that."""
    known = published()
    return {name_of(path): added(known.get(name_of(path), []), in_history(path)) for path in paths()}


def record(found):
    """Writes the publications."""
    PUBLICATIONS.write_text("".join(json.dumps({"file": name, **one}) + "\n" for name, all_ in found.items()
                                    for one in all_), encoding="utf-8")


def name_of(path):
    return str(path.relative_to(RESULTS).with_suffix(""))


def script(command):
    """The program of a command."""
    return command.split(" ")[0]


def facts(path, publications):
    """What the list says of a file without the history of the tree. `again`: how often other figures were
    published before these; `made_by`: the command that made them, where its script has moved since."""
    content = json.loads(path.read_text(encoding="utf-8"))
    about = origin(content)
    then = next((one["command"] for one in publications if same(one, about)), about["command"])
    return {"name": name_of(path), **about, "tree_had_changes": bool(CHANGED.search(about["commit"])),
            "again": sum(not same(one, about) for one in publications),
            "made_by": "" if script(then) == script(about["command"]) else then}


def entry(path, publications):
    """What the list says of a file."""
    content = json.loads(path.read_text(encoding="utf-8"))
    about = facts(path, publications)
    pages = ({env["env"] for env in content["suite"]["environments"]} if content["schema"] == "park.bench"
             else {content.get("page", figures.COMMON)})
    folders = sorted({folder for page in pages for folder in subject(about["name"], page)})
    files = frozenset().union(*map(files_of, folders))
    changed = changed_since(CHANGED.sub("", about["commit"])) if about["commit"] else None
    told = re.search(r"x86-64-v\d|aarch64", about["machine"])
    return {**about, "instruction_set": told.group(0) if told else None, "subject": folders,
            "files": len(files), "changed": None if changed is None else len(files & changed)}


def state(one):
    """What is to be said of how a file of figures came about, as a list of texts."""
    texts = [] if one["commit"] else ["its file names no commit"]
    texts += ["tree had changes"] if one["tree_had_changes"] else []
    if one["again"]:
        texts.append("made again" + (f", {one['again']} times" if one["again"] > 1 else ""))
    return texts + ([f"made by {one['made_by']}, which has moved since"] if one["made_by"] else [])


def line(one):
    """An entry for people."""
    texts = state(one)
    if one["commit"] and one["changed"] is None:
        texts.insert(0, f"commit {one['commit']} is not in this history")
    elif one["commit"]:
        texts.insert(0, f"commit {one['commit']}, {one['changed']} of {one['files']} files changed since")
    where = one["instruction_set"] or "instruction set not told"
    return (f"{one['name']}: {one['date'] or 'no date'}, {where}, {'; '.join(texts)}\n"
            f"    {one['command'] or 'no command'}")


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--changed", action="store_true", help="only those whose code changed")
    parser.add_argument("--json", action="store_true", help="as JSON")
    parser.add_argument("--record", action="store_true", help="write the publications")
    parser.add_argument("--check", action="store_true", help="only look whether they are recorded")
    arguments = parser.parse_args()
    if arguments.record:
        record(all_publications())
        return 0
    known = published()
    if arguments.check:
        lacking = [name for name, all_ in all_publications().items() if all_ != known.get(name, [])]
        print(f"publications.jsonl lacks {', '.join(lacking)}; run scripts/list_figures.py --record and "
              "scripts/generate_results.py" if lacking else f"{len(known)} files of figures")
        return bool(lacking)
    entries = [entry(path, known.get(name_of(path), [])) for path in paths()]
    if arguments.changed:
        entries = [one for one in entries if one["changed"] != 0]
    print(json.dumps(entries, indent=1) if arguments.json else "\n".join(map(line, entries)))
    return 0


if __name__ == "__main__":
    sys.exit(main())
