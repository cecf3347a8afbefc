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
VERSION = 2
ARCHIVED = ("", " The file is of version 1: `park bench verify` of that commit verifies it, that of today does not.")


def version_of(record):
    """The name of a suite without its version, and that version."""
    name, number = record["suite"]["name"].rsplit("-v", 1)
    return name, int(number)


def records():
    """The results of suites that are committed, by name of the suite and the newest version first. `newer`
    is the name of the suite that replaces theirs, or None."""
    found = []
    for path in sorted((ROOT / "results/bench").glob("*.json")):
        content = json.loads(path.read_text(encoding="utf-8"))
        if content.get("schema") != SCHEMA or content["version"] > VERSION:
            raise SystemExit(f"{path}: not a file of results that this script reads")
        found.append(content)
    newest = {name: number for name, number in sorted(map(version_of, found))}
    for record in found:
        name, number = version_of(record)
        record["newer"] = f"{name}-v{newest[name]}" if newest[name] > number else None
    return sorted(found, key=lambda record: (version_of(record)[0], -version_of(record)[1]))


def number(value, digits=4):
    """That many significant digits; a dash where there is none."""
    if value is None:
        return "-"
    decimals = digits - 1 - math.floor(math.log10(abs(value))) if value else 0
    return f"{value + 0.0:.{max(0, min(9, decimals))}f}"


def interval(bounds):
    return "-" if bounds[0] is None else f"[{number(bounds[0])}, {number(bounds[1])}]"


def failed_episodes(record, index):
    """How many episodes a result failed in; they count as the worst."""
    return sum(one["episodes"] for one in record["failures"] if one["result"] == index)


def scale_of(record, env):
    """The scale of the environment; None where it has none."""
    return next((scale for scale in record["scales"] if scale["env"] == env), None)


def rounded(value, decimals):
    text = f"{value:.{decimals}f}"
    return text.removeprefix("-") if float(text) == 0 else text


def estimate(found, decimals):
    """A figure with its interval."""
    if found["value"] is None:
        return "-"
    low, high = found["bootstrap95"]
    bounds = "" if low is None else f" [{rounded(low, decimals)}, {rounded(high, decimals)}]"
    return rounded(found["value"], decimals) + bounds


def standing(record, env, policy, mean, lower):
    """Score and percent better than the best baseline; version 1 has the means alone."""
    scale = scale_of(record, env)
    if scale is None or mean is None:
        return ["-", "-"]
    if record["version"] == 1:
        score = (mean - scale["zero"]) / (scale["one"] - scale["zero"])
        better = (scale["one"] - mean if lower else mean - scale["one"]) / abs(scale["one"])
        return [rounded(score, 3), rounded(100 * better, 1)]
    for one in record["standings"]:
        if one["env"] == env and one["policy"] == policy:
            to_bound = [estimate(one["percent_to_bound"], 1)] if "bound" in scale else []
            return [estimate(one["score"], 3), estimate(one["percent_better"], 1), *to_bound]
    return ["-"] * (3 if "bound" in scale else 2)


def place(mean, lower):
    """Sorts the best mean to the front and undefined ones to the end."""
    return math.inf if mean is None else mean if lower else -mean


def table(record, e):
    """Lines of the table of one environment of a suite, best policy first."""
    about = record["manifest"]["environments"][e]
    names = record["suite"]["environments"][e]["metrics"]
    metrics = {metric["name"]: metric for metric in about["metrics"]}
    lower = metrics[names[0]]["better"] == "lower"
    rows = [{**result, "failed": failed_episodes(record, i)} for i, result in enumerate(record["results"])
            if result["environment"] == e]
    rows = [row for row in rows if row["episodes"] or row["failed"]]
    rows.sort(key=lambda row: place(row["metrics"][names[0]]["mean"], lower))
    titles = [name if metrics[name]["unit"] == "1" else f"{name} [{metrics[name]['unit']}]" for name in names]
    titles += ["95 % interval", "IQM", "score", "% better"]
    scale = scale_of(record, about["env"])
    titles += [f"% to `{scale['bound_policy']}`"] if scale and "bound" in scale else []
    lines = ["| policy | " + " | ".join(titles) + " |", "| --- |" + " ---: |" * len(titles)]
    for row in rows:
        first = row["metrics"][names[0]]
        cells = [f"`{row['policy']}`" + ("" if row["baseline"] else " +")
                 + (f" ({row['failed']} failed)" if row["failed"] else "")]
        cells += [number(row["metrics"][name]["mean"]) for name in names]
        cells += [interval(first["mean_bootstrap95"]), number(first["iqm"]),
                  *standing(record, about["env"], row["policy"], first["mean"], lower)]
        lines.append("| " + " | ".join(cells) + " |")
    return lines


def section(record, e):
    """The table with what it needs to be read."""
    env = record["manifest"]["environments"][e]["env"]
    episodes = record["suite"]["environments"][e]["episodes"]
    return [f"`{env}`, {episodes} episodes of seed {record['suite']['seed']}:", "",
            *table(record, e), ""]


def command_of(record):
    """What plays the suite again, with the policies that were judged beside its own."""
    words = record["manifest"]["command"]
    more = [f" --policy {words[i + 1]}" for i, word in enumerate(words) if word == "--policy"]
    return f"park bench {record['suite']['name']}{''.join(more)}"


def suite_page(record):
    """The section of a suite in docs/results/NAME.md."""
    host = record["manifest"]["host"]
    lines = [f"## Benchmark {record['suite']['name']}: {record['suite']['summary']}", "",
             f"`{command_of(record)}`", "",
             f"{record['manifest']['started'][:10]}, commit {host['commit']}; {host['processor']}, "
             f"{host['cores']} cores. The interval is of the first column, % better is than the best "
             "baseline; + is judged beside the baselines; [what the columns mean](../benchmarks.md)."
             + ARCHIVED[record["version"] == 1], ""]
    tables = [line for e in range(len(record["manifest"]["environments"])) for line in section(record, e)]
    if record["newer"]:
        tables = ["<details>", f"<summary>As it was published; {record['newer']} replaces it, with baselines "
                  "that are tuned on training inputs</summary>", "", *tables, "</details>", ""]
    return "\n".join([*lines, *tables])


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("environment")
    name = parser.parse_args().environment
    shown = []
    for record in records():
        for e, suite_env in enumerate(record["suite"]["environments"]):
            if suite_env["env"] == name and not record["newer"]:
                shown += [f"### {record['suite']['name']}", "", *section(record, e)]
    if shown:
        print("\n## Reference results\n\nWritten by `park bench SUITE`; the interval is of the first "
              "column, % better is than the best\nbaseline; a plus is judged beside the baselines. "
              "[Benchmarks](../benchmarks.md) tells what the columns mean.\n")
        print("\n".join(shown[:-1]))
    return 0


if __name__ == "__main__":
    sys.exit(main())
