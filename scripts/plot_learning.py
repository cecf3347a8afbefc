#!/usr/bin/python3
"""Draws the learning curves of results/learning_*.json: docs/img/learning_NAME.svg.

    scripts/plot_learning.py

A line for each run: the validation of the policy against core-minutes, minutes and decisions.
Needs the group `plot` of scripts/setup.sh.
"""

import argparse
import sys

import figures

try:
    import matplotlib
    matplotlib.use("svg")
    from matplotlib import pyplot
except ImportError:
    pyplot = None

AXES = (("cpu_s", 60, "core-minutes"), ("wall_s", 60, "minutes"), ("decisions", 1e6, "million decisions"))
COLOURS = ("#2a6fdb", "#d1495b", "#3c8d5a", "#a463b0", "#c77d1e", "#4c9fb0", "#7a6a5d", "#8a8f2a",
           "#555555", "#b06fa0")


def training(run):
    """The training that a run is a seed of."""
    return run.rsplit("/", 1)[-1].rsplit("-", 1)[0]


def draw(name, content):
    """Writes the picture of one file."""
    columns, runs = content["curves"]["columns"], content["curves"]["runs"]
    kinds = list(dict.fromkeys(map(training, runs)))
    figure, panels = pyplot.subplots(1, len(AXES), figsize=(10, 3.2), sharey=True)
    for panel, (column, unit, label) in zip(panels, AXES):
        for run, points in runs.items():
            kind = training(run)
            x = [point[columns.index(column)] / unit for point in points]
            y = [point[columns.index("mean")] for point in points]
            panel.plot(x, y, color=COLOURS[kinds.index(kind) % len(COLOURS)], linewidth=1,
                       label=kind if run.endswith("-1") else None)
        panel.set_xlabel(label)
        panel.grid(color="#dddddd", linewidth=0.5)
    ends = sorted(points[-1][columns.index("mean")] for points in runs.values())
    panels[0].set_ylim(0.98 * ends[0], 1.25 * ends[-1])
    panels[0].set_ylabel(content["tables"][0]["columns"][1] + ", validation")
    if len(kinds) > 1:
        panels[-1].legend(fontsize=7, frameon=False)
    figure.suptitle(content["title"], fontsize=10)
    figure.tight_layout()
    path = figures.ROOT / f"docs/img/{name}.svg"
    figure.savefig(path, metadata={"Date": None})
    pyplot.close(figure)
    lines = path.read_text(encoding="utf-8").splitlines()
    path.write_text("".join(f"{line.rstrip()}\n" for line in lines), encoding="utf-8")


def main():
    argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter).parse_args()
    if pyplot is None:
        sys.exit("plot_learning: needs matplotlib: scripts/setup.sh plot")
    matplotlib.rcParams.update({"font.size": 8, "svg.hashsalt": "park", "svg.fonttype": "none"})
    for path in sorted((figures.ROOT / "results").glob("learning_*.json")):
        content = figures.read(path)
        if content.get("curves", {}).get("runs"):
            draw(path.stem, content)
            print(f"docs/img/{path.stem}.svg")


if __name__ == "__main__":
    main()
