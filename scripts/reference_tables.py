#!/usr/bin/env python3
"""Prints the reference tables of an environment as Markdown: what `park bench` wrote into results/bench.

    scripts/reference_tables.py ENVIRONMENT
"""

import argparse
import json
import math
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
SCHEMA = "park.bench"
VERSION = 1


def records():
    """The results of suites that are committed, by name of the suite."""
    found = []
    for path in sorted((ROOT / "results/bench").glob("*.json")):
        content = json.loads(path.read_text(encoding="utf-8"))
        if content.get("schema") != SCHEMA or content["version"] > VERSION:
            raise SystemExit(f"{path}: not a file of results that this script reads")
        found.append(content)
    return found


def number(value, digits=4):
    """That many significant digits; a dash where there is none."""
    if value is None:
        return "-"
    decimals = digits - 1 - math.floor(math.log10(abs(value))) if value else 0
    return f"{value + 0.0:.{max(0, min(9, decimals))}f}"


def interval(bounds):
    return "-" if bounds[0] is None else f"[{number(bounds[0])}, {number(bounds[1])}]"


def score(record, env, mean):
    """On the scale of the environment: 0 is random, 1 the best baseline."""
    for scale in record["scales"]:
        if scale["env"] == env and mean is not None:
            value = (mean - scale["zero"]) / (scale["one"] - scale["zero"])
            return f"{value:.3f}".replace("-0.000", "0.000")
    return "-"


def place(mean, lower):
    """Sorts the best mean to the front and undefined ones to the end."""
    return math.inf if mean is None else mean if lower else -mean


def table(record, e):
    """Lines of the table of one environment of a suite, best policy first."""
    about = record["manifest"]["environments"][e]
    names = record["suite"]["environments"][e]["metrics"]
    metrics = {metric["name"]: metric for metric in about["metrics"]}
    lower = metrics[names[0]]["better"] == "lower"
    rows = [result for result in record["results"] if result["environment"] == e and result["episodes"]]
    rows.sort(key=lambda row: place(row["metrics"][names[0]]["mean"], lower))
    titles = [name if metrics[name]["unit"] == "1" else f"{name} [{metrics[name]['unit']}]" for name in names]
    lines = ["| policy | " + " | ".join(titles) + " | 95 % interval | IQM | score |",
             "| --- |" + " ---: |" * (len(names) + 3)]
    for row in rows:
        first = row["metrics"][names[0]]
        cells = [f"`{row['policy']}`" + ("" if row["baseline"] else " +")]
        cells += [number(row["metrics"][name]["mean"]) for name in names]
        cells += [interval(first["mean_bootstrap95"]), number(first["iqm"]),
                  score(record, about["env"], first["mean"])]
        lines.append("| " + " | ".join(cells) + " |")
    return lines


def section(record, e):
    """The table with what it needs to be read."""
    env = record["manifest"]["environments"][e]["env"]
    episodes = record["suite"]["environments"][e]["episodes"]
    return [f"`{env}`, {episodes} episodes of seed {record['suite']['seed']}:", "",
            *table(record, e), ""]


def suite_page(record):
    """The section of a suite in docs/results/NAME.md."""
    host = record["manifest"]["host"]
    lines = [f"## Benchmark {record['suite']['name']}: {record['suite']['summary']}", "",
             f"`park bench {record['suite']['name']}`", "",
             f"{record['manifest']['started'][:10]}, commit {host['commit']}; {host['processor']}, "
             f"{host['cores']} cores. The interval is of the first column; + is judged beside the "
             "baselines; [what the columns mean](../benchmarks.md).", ""]
    for e in range(len(record["manifest"]["environments"])):
        lines += section(record, e)
    return "\n".join(lines)


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("environment")
    name = parser.parse_args().environment
    shown = []
    for record in records():
        for e, suite_env in enumerate(record["suite"]["environments"]):
            if suite_env["env"] == name:
                shown += [f"### {record['suite']['name']}", "", *section(record, e)]
    if shown:
        print("\n## Reference results\n\nWritten by `park bench SUITE`; the interval is of the first "
              "column; a plus is judged beside\nthe baselines. [Benchmarks](../benchmarks.md) tells "
              "what the columns mean.\n")
        print("\n".join(shown[:-1]))
    return 0


if __name__ == "__main__":
    sys.exit(main())
