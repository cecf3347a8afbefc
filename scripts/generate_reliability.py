#!/usr/bin/env python3
"""Writes the table of docs/reliability.md from results/siege/*.json, the reports of park_siege.

    scripts/generate_reliability.py            writes it
    scripts/generate_reliability.py --check    fails when it is not as it would be written
"""

import argparse
import json
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
PAGE = ROOT / "docs/reliability.md"
BEGIN, END = "<!-- siege -->\n", "<!-- end of siege -->"


def number(report, key, decimals):
    """A figure of a report, or a dash where it has none."""
    return f"{report[key]:.{decimals}f}" if key in report else "-"


def thousands(count):
    return f"{count:,}".replace(",", " ")


def result(report):
    """How an attack ended."""
    if report["result"] == "skipped":
        return f"skipped: {report['skipped']}"
    if report["result"] == "broke":
        return f"**broke**: {report['broke'][0]}".replace("|", "\\|").replace("<", "&lt;")
    return report["result"]


def row(report):
    """The cells of an attack."""
    return [f"`{report['attack']}`", thousands(report["count"]), result(report), number(report, "worst_ms", 1),
            number(report, "undisturbed_ms", 1), number(report, "memory_mib", 0),
            number(report, "bound_mib", 0)]


def grid(rows):
    """A table, its head first."""
    return ["| " + " | ".join(cells) + " |" for cells in rows]


def made_by(part):
    """How the figures were made, where the file says so."""
    return ([f"`{part['command']}`, {part['date']}, commit {part['commit']}, {part['machine']}.", ""]
            if "command" in part else [])


def of_clients(parts):
    """One table of the clients of all languages."""
    names = {part["part"]: part["part"].partition("-")[2].capitalize() or "Park's" for part in parts}
    attacks = {}
    for part in parts:
        for report in part["attacks"]:
            attacks.setdefault(report["attack"], {})[part["part"]] = result(report)
    rows = [["attack", *names.values()], ["---"] * (1 + len(names)),
            *([f"`{attack}`", *(found.get(name, "-") for name in names)] for attack, found in attacks.items())]
    return ["### Clients", "", *(line for part in parts for line in made_by(part)), *grid(rows), ""]


def table(name, part):
    """The lines of a part's table, under the name of its file."""
    head = ["attack", "count", "result", "worst step, ms", "without, ms", "memory, MiB", "bound, MiB"]
    lines = [f"### {name.replace('-', ', ').capitalize()}", "", *made_by(part)]
    rows = [head, ["---", "---:", "---"] + ["---:"] * 4, *map(row, part["attacks"])]
    return lines + grid(rows) + [""]


def page():
    """The whole page as it should be."""
    text = PAGE.read_text(encoding="utf-8")
    before, rest = text.split(BEGIN)
    after = rest.split(END)[1]
    parts = {path.stem: json.loads(path.read_text(encoding="utf-8"))
             for path in sorted((ROOT / "results/siege").glob("*.json"), key=lambda path: path.stem)}
    clients = [part for part in parts.values() if part["part"].startswith("client")]
    tables = [of_clients(clients)] if clients else []
    tables += [table(name, part) for name, part in parts.items() if part not in clients]
    lines = [line for one in tables for line in ["", *one[:-1]]]
    return before + BEGIN + "\n".join([*lines, "", ""] if lines else []) + END + after


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--check", action="store_true", help="write nothing")
    arguments = parser.parse_args()
    text = page()
    if not arguments.check:
        PAGE.write_text(text, encoding="utf-8")
        return 0
    if text == PAGE.read_text(encoding="utf-8"):
        return 0
    print("docs/reliability.md: not what results/siege gives; run scripts/generate_reliability.py")
    return 1


if __name__ == "__main__":
    sys.exit(main())
