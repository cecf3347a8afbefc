#!/usr/bin/python3
"""Takes the picture of the README: docs/img/timeline.png, from a page of a benchmark's episode.

    park run 'dag_scheduling(executors=50,jobs=20)' --episodes 1 \\
        --policy dag_scheduling-batch-bundled,fair,fifo --timeline build/timeline.html
    scripts/picture_timeline.py

Needs the group `web` of scripts/setup.sh.
"""

import argparse
import sys

import browser
import figures

WIDTH = 1280
LONGEST = 450_000  # bytes of the picture

# Opens the job with the most stages towards the end of its run under the first policy.
SHOW = """
const page = park.page, model = page.models[0];
const job = [...model.jobs.values()].reduce((a, b) => (b.stages.length > a.stages.length ? b : a));
page.pinned = job.arrival * 0.1 + job.completion * 0.9;
page.chooseJob(job.number, model);
page.view.lit = null;
page.redraw();
"""


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("page", nargs="?", default="build/timeline.html", help="(%(default)s)")
    parser.add_argument("--out", default="docs/img/timeline.png", help="(%(default)s)")
    parser.add_argument("--height", type=int, default=1010, help="in pixels (%(default)s)")
    arguments = parser.parse_args()
    absent = browser.missing()
    if absent:
        print(absent, file=sys.stderr)
        return 1
    out = figures.ROOT / arguments.out
    with browser.Browser(WIDTH, arguments.height) as window:
        window.open(figures.ROOT / arguments.page)
        window.js(SHOW)
        window.picture(out)
    size = out.stat().st_size
    print(f"{out.name}: {size} bytes")
    return 0 if size < LONGEST else 1


if __name__ == "__main__":
    sys.exit(main())
