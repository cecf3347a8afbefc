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


def row(report):
    """The cells of an attack."""
    result = report["result"]
    if result == "skipped":
        result = f"skipped: {report['skipped']}"
    elif result == "broke":
        result = f"**broke**: {report['broke'][0]}".replace("|", "\\|").replace("<", "&lt;")
    return [f"`{report['attack']}`", thousands(report["count"]), result, number(report, "worst_ms", 1),
            number(report, "undisturbed_ms", 1), number(report, "memory_mib", 0),
            number(report, "bound_mib", 0)]


def table(part):
    """The lines of a part's table."""
    head = ["attack", "count", "result", "worst step, ms", "without, ms", "memory, MiB", "bound, MiB"]
    lines = [f"### {part['part'].capitalize()}", ""]
    if part["options"]:
        lines += [f"Options: `{' '.join(part['options'])}`.", ""]
    rows = [head, ["---", "---:", "---"] + ["---:"] * 4, *map(row, part["attacks"])]
    return lines + ["| " + " | ".join(cells) + " |" for cells in rows] + [""]


def page():
    """The whole page as it should be."""
    text = PAGE.read_text(encoding="utf-8")
    before, rest = text.split(BEGIN)
    after = rest.split(END)[1]
    parts = [json.loads(path.read_text(encoding="utf-8"))
             for path in sorted((ROOT / "results/siege").glob("*.json"))]
    lines = [line for part in parts for line in ["", *table(part)[:-1]]]
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
