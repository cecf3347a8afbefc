#!/usr/bin/python3
"""Measures timeline pages in a headless Chromium and writes results/pages.json.

    scripts/measure_pages.py

Needs build/release/bin/park and the group `web` of scripts/setup.sh. Each page is opened several
times, each in a browser of its own; then it is zoomed frame by frame.
"""

import argparse
import json
import subprocess
import sys
import tempfile
from pathlib import Path

import browser
import figures

ENV = "dag_scheduling(executors=50,jobs=23)"
PAGES = [("one policy", "fair"), ("three policies", "fair,fifo,weighted_fair")]

# Zooms in and out about a point, one frame after the other: milliseconds of each frame's update and
# painting, and the times between frames when each is asked for as soon as the one before is seen.
ZOOM = """
const done = arguments[arguments.length - 1], page = park.page, zr = page.chart.getZr();
const step = (k) => {
  const span = page.view.endS * Math.pow(0.9, k % 60 < 30 ? k % 30 : 30 - (k % 30));
  page.zoomTo(page.view.endS * 0.3 - span * 0.3, page.view.endS * 0.3 + span * 0.7);
};
const work = [];
for (let k = 0; k < 60; ++k) {
  const start = performance.now();
  step(k);
  zr.flush();
  work.push(performance.now() - start);
}
const gaps = [];
let last = 0, k = 0;
const frame = (now) => {
  if (last) gaps.push(now - last);
  last = now;
  if (++k > 60) return done({ work, gaps });
  step(k);
  requestAnimationFrame(frame);
};
requestAnimationFrame(frame);
"""


def write_page(park, policies, folder):
    """The page of these policies, and how many spans each has at least."""
    stem = Path(folder) / policies.replace(",", "-")
    for ending in (".html", ".json"):
        subprocess.run([park, "run", ENV, "--policy", policies, "--episodes", "1", "--quiet", "--overwrite",
                        "--timeline", f"{stem}{ending}"], check=True, stdout=subprocess.DEVNULL)
    content = json.loads(Path(f"{stem}.json").read_text(encoding="utf-8"))
    return f"{stem}.html", min(len(one["spans"]["lane"]) for one in content["timelines"])


def measure(page, runs):
    """Seconds until the page is ready, and milliseconds of frames, each a value per run."""
    ready, work, gaps = [], [], []
    for _ in range(runs):
        with browser.Browser(1400, 1000) as window:
            ready.append(window.open(page))
            window.driver.set_script_timeout(120)
            found = window.driver.execute_async_script(ZOOM)
            work.append(sorted(found["work"])[len(found["work"]) // 2])
            gaps.append(sorted(found["gaps"])[int(len(found["gaps"]) * 0.95)])
    return ready, work, gaps


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--build", default="build/release", help="build folder (%(default)s)")
    parser.add_argument("--runs", type=int, default=7, help="browsers per page (%(default)s)")
    parser.add_argument("--out", default=str(figures.ROOT / "results/pages.json"), help="file")
    arguments = parser.parse_args()
    absent = browser.missing()
    if absent:
        print(absent, file=sys.stderr)
        return 1
    park = figures.ROOT / arguments.build / "bin/park"
    found = []
    with tempfile.TemporaryDirectory() as folder:
        for name, policies in PAGES:
            page, spans = write_page(park, policies, folder)
            label = f"{name}, {spans} spans or more each"
            ready, work, gaps = measure(page, arguments.runs)
            found += [
                figures.figure(f"{label}: page size", "MB", [Path(page).stat().st_size / 1e6]),
                figures.figure(f"{label}: from navigation until all is drawn", "s", ready),
                figures.figure(f"{label}: a frame of zooming, update and painting", "ms", work,
                               "median of 60 frames"),
                figures.figure(f"{label}: time between frames of zooming", "ms", gaps,
                               "95th percentile of 60 frames; the display's least is 16.7"),
            ]
    figures.write(arguments.out, "Timeline pages in a browser", figures.command(), found,
                  [f"`{ENV}`, one episode; headless Chromium without a graphics processor, window of "
                   "1400 x 1000, a new browser for each run."])
    print(f"{Path(arguments.out).name}: {len(found)} figures")
    return 0


if __name__ == "__main__":
    sys.exit(main())
