#!/usr/bin/env python3
"""Prints one table of the average job completion times in files that `park run --save` wrote.

    scripts/demo_table.py HEADING=FILE...

One row per policy, in the order of the first file; the difference is to the first policy.
"""

import argparse
import json
import sys
from pathlib import Path

METRIC = "avg_jct_s"


def column(text):
    """Heading, episodes, and mean, half interval and relative difference of each policy."""
    heading, path = text.split("=", 1)
    content = json.loads(Path(path).read_text(encoding="utf-8"))
    if content.get("schema") != "park.results" or content["version"] > 1:
        raise SystemExit(f"{path}: not a file of results that this script reads")
    results = content["results"]
    base = results[0]["metrics"][METRIC]["mean"]
    cells = {}
    for result in results:
        summary = result["metrics"][METRIC]
        low, high = summary["ci95"]
        difference = 100 * (summary["mean"] / base - 1)
        cells[result["policy"]] = (f"{summary['mean']:8.1f} ± {(high - low) / 2:<6.1f}"
                                   f"{difference:+6.0f} %")
    return heading, results[0]["episodes"], cells


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("columns", nargs="+", metavar="HEADING=FILE")
    columns = [column(text) for text in parser.parse_args().columns]
    policies = list(columns[0][2])
    first = max(len(policy) for policy in ["policy", *policies])
    widths = [max(len(heading), 26) for heading, _, _ in columns]
    print(f"Average job completion time in seconds (95 % interval over {columns[0][1]} episodes; "
          f"difference to {policies[0]})\n")
    print("  ".join(["policy".ljust(first), *(heading.ljust(width) for (heading, _, _), width
                                              in zip(columns, widths))]).rstrip())
    for policy in policies:
        cells = [cells.get(policy, "-").ljust(width) for (_, _, cells), width
                 in zip(columns, widths)]
        print("  ".join([policy.ljust(first), *cells]).rstrip())
    return 0


if __name__ == "__main__":
    sys.exit(main())
