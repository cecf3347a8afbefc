#!/usr/bin/python3
"""Writes the figures of a report as SVG and PNG files, for papers.

    scripts/export_figures.py REPORT.html --out FOLDER

The report has a button for each figure too. Needs the group `web` of scripts/setup.sh.
"""

import argparse
import base64
import sys
from pathlib import Path

import browser

WIDTH, HEIGHT, WIDE = 640, 400, 960  # in points; timelines are wide and as high as in the page


def export(window, folder):
    """Writes the figures of the report that is open; their names."""
    figures = window.js("return park.figures.map(({ name, wide, height }) => [name, wide, height])")
    Path(folder).mkdir(parents=True, exist_ok=True)
    for i, (name, wide, height) in enumerate(figures):
        size = (WIDE, height) if wide else (WIDTH, HEIGHT)
        svg = window.js("return park.svgOf(park.figures[arguments[0]], ...arguments[1])", i, size)
        Path(folder, f"{name}.svg").write_text(svg, encoding="utf-8")
        png = window.js("return park.pngOf(park.figures[arguments[0]], ...arguments[1])", i, size)
        Path(folder, f"{name}.png").write_bytes(base64.b64decode(png.split(",", 1)[1]))
    return [name for name, _, _ in figures]


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("report", metavar="REPORT.html")
    parser.add_argument("--out", required=True, metavar="FOLDER")
    arguments = parser.parse_args()
    absent = browser.missing()
    if absent:
        print(absent, file=sys.stderr)
        return 1
    with browser.Browser() as window:
        window.open(arguments.report)
        names = export(window, arguments.out)
    print(f"{arguments.out}: {len(names)} figures")
    return 0


if __name__ == "__main__":
    sys.exit(main())
