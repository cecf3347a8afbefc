#!/usr/bin/python3
"""Draws the learning curves of results/learning_*.json: docs/img/learning_NAME.svg.

    experiments/learning/plot_learning.py

A line for each run: the validation of the policy against core-minutes, minutes and decisions.
Needs the group `plot` of scripts/setup.sh.
"""

import argparse
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "scripts"))
import figures  # noqa: E402

try:
    import matplotlib
    matplotlib.use("svg")
    from matplotlib import pyplot
except ImportError:
    pyplot = None

AXES = (("cpu_s", 60, "core-minutes"), ("wall_s", 60, "minutes"), ("decisions", 1e6, "million decisions"))
COLOURS = "tab10"


def training(run):
    """The training that a run is a seed of."""
    return run.rsplit("/", 1)[-1].rsplit("-", 1)[0]


def draw(name, content):
    """Writes the picture of one file."""
    columns, runs = content["curves"]["columns"], content["curves"]["runs"]
    kinds = list(dict.fromkeys(map(training, runs)))
    colours = pyplot.get_cmap(COLOURS).colors
    figure, panels = pyplot.subplots(1, len(AXES), figsize=(10, 3.2), sharey=True,
                                     layout="constrained")
    for panel, (column, unit, label) in zip(panels, AXES):
        for run, points in runs.items():
            kind = training(run)
            x = [point[columns.index(column)] / unit for point in points]
            y = [point[columns.index("mean")] for point in points]
            panel.plot(x, y, color=colours[kinds.index(kind) % len(colours)], linewidth=1,
                       label=kind if run.endswith("-1") else None)
        panel.set_xlabel(label)
        panel.grid(color="#dddddd", linewidth=0.5)
    ends = sorted(points[-1][columns.index("mean")] for points in runs.values())
    begins = [points[0][columns.index("mean")] for points in runs.values()]
    grows = sum(ends) > sum(begins)  # more of it is better
    panels[0].set_ylim(*(0.75 * ends[0], 1.02 * ends[-1]) if grows else
                       (0.98 * ends[0], 1.25 * ends[-1]))
    panels[0].set_ylabel(content["tables"][0]["columns"][1] + ", validation")
    if len(kinds) > 1:
        panels[-1].legend(fontsize=7, frameon=False, loc="center left", bbox_to_anchor=(1, 0.5))
    figure.suptitle(content["title"], fontsize=10)
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
    drawn = set()
    for path in sorted((figures.ROOT / "results").glob("learning_*.json")):
        content = figures.read(path)
        runs = frozenset(content.get("curves", {}).get("runs", ()))
        if runs - drawn:  # several tables may be of the same runs
            draw(path.stem, content)
            print(f"docs/img/{path.stem}.svg")
        drawn |= runs


if __name__ == "__main__":
    main()
