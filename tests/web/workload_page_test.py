#!/usr/bin/python3
"""Pages of workloads in a browser.

    tests/web/workload_page_test.py BUILD_FOLDER [TEST...]
"""

import json
import subprocess
import sys

import page_case
from page_case import PageCase


class Workload(PageCase):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        subprocess.run([page_case.BUILD / "bin" / "web_fixture", cls.path("w.park")], check=True)
        cls.park("workload", "describe", cls.path("w.park"), "--html", cls.path("w.html"))
        cls.summary = json.loads(cls.park("workload", "describe", cls.path("w.park"), "--json"))["workload"]

    def setUp(self):
        super().setUp()
        self.open(self.path("w.html"))

    def test_the_page_is_contained(self):
        self.assert_contained(self.path("w.html"))
        self.picture("workload-light")
        self.browser.dark(True)
        self.picture("workload-dark")

    def test_the_table_has_the_jobs_and_sorts(self):
        rows = [row.split("\t") for row in self.texts("#jobs tbody tr")]
        self.assertEqual([row[0] for row in rows], [job["name"] for job in self.summary["per_job"]])
        for row, job in zip(rows, self.summary["per_job"], strict=True):
            values = [float(cell.replace("\u202f", "")) for cell in row[1:6]]
            for value, key in zip(values, ("stages", "levels", "tasks", "work_s", "critical_path_s")):
                self.assertAlmostEqual(value, job[key], delta=6e-4 * job[key])
        heads = "document.querySelectorAll('#jobs thead button')"
        self.js(f"{heads}[1].click()")
        self.assertEqual(self.texts("#jobs tbody tr td:nth-child(2)"), ["50", "20", "8", "3", "1"])
        self.js(f"{heads}[1].click()")
        self.assertEqual(self.texts("#jobs tbody tr td:nth-child(2)"), ["1", "3", "8", "20", "50"])
        self.js(f"{heads}[0].click()")
        self.assertEqual(self.texts("#jobs tbody tr td:nth-child(2)"), ["1", "3", "8", "20", "50"])

    def test_search(self):
        self.js("const s = document.getElementById('search'); s.value = 'of 5'; s.dispatchEvent(new Event('input'))")
        self.assertEqual(self.texts("#jobs tbody tr td:first-child"), ["job of 50 <stages>"])
        self.assertEqual(self.text("#found"), "1 of 5 jobs")

    def test_graphs_of_every_size_are_laid_out_without_overlap(self):
        for number, job in enumerate(self.summary["per_job"]):
            self.js("document.querySelectorAll('#jobs tbody tr')[arguments[0]].click()", number)
            self.assertEqual(self.text("#job-name"), job["name"])
            layout = self.js("return park.page.graph.layout")
            self.assertEqual(len(layout["nodes"]), job["stages"])
            self.assertEqual(len(layout["edges"]), job["edges"])
            boxes = [(n["x"] - n["width"] / 2, n["y"] - n["height"] / 2, n["x"] + n["width"] / 2, n["y"] + n["height"] / 2)
                     for n in layout["nodes"]]
            for i, a in enumerate(boxes):
                for b in boxes[:i]:
                    self.assertTrue(a[2] <= b[0] or b[2] <= a[0] or a[3] <= b[1] or b[3] <= a[1])
            for edge in layout["edges"]:  # downwards
                self.assertLess(layout["nodes"][edge["from"]]["y"], layout["nodes"][edge["to"]]["y"])
            self.picture(f"workload-{job['stages']}-stages")

    def test_distributions_and_durations(self):
        steps = self.js("return park.WorkloadPage.steps([1, 2, 4, 8])")
        self.assertEqual(steps, [[1, 0], [1, 0.25], [2, 0.5], [4, 0.75], [8, 1], [8, 1]])
        bins = self.js("return park.WorkloadPage.bins([1, 2, 2, 4, 8, 64])")
        self.assertEqual(sum(count for _, _, count in bins), 6)
        levels = self.js("return park.data.durations")
        self.assertEqual({(level["wave"], level["executors"]) for level in levels},
                         {(wave, n) for wave in ("fresh", "first", "rest") for n in (2, 8, 32)})
        self.assertEqual(sum(level["samples"] for level in levels), self.summary["total"]["samples"])

    def test_narrow(self):
        self.browser.size(480, 900)
        self.js("return new Promise((done) => setTimeout(done, 300))")
        self.assert_fits(480)
        self.picture("workload-narrow")


if __name__ == "__main__":
    sys.exit(page_case.main())
