#!/usr/bin/python3
"""Reports and leaderboards in a browser: every chart drawn, right numbers, no complaint, no request.

    tests/web/report_page_test.py BUILD_FOLDER [TEST...]
"""

import json
import struct
import sys
import tempfile
from pathlib import Path

import page_case
from page_case import PageCase, read

sys.path.insert(0, str(page_case.ROOT / "scripts"))
import export_figures  # noqa: E402

SUITE = {
    "schema": "park.suite", "version": 1, "name": "tiny", "summary": "for a test", "seed": 3,
    "environments": [
        {"env": "load_balance", "config": {"servers": 3, "jobs": 60}, "episodes": 12,
         "metrics": ["avg_response_s", "p95_response_s"],
         "baselines": ["random", "least_work", "shortest_queue"], "timeline": ["least_work", "random"]},
        {"env": "simple_queue", "config": {"jobs": 80}, "episodes": 10, "metrics": ["reward_per_job"],
         "baselines": ["random", "admit_all"], "policies": ["optimal_admission"]},
        {"env": "load_balance", "config": {"servers": 4, "jobs": 60}, "episodes": 8,
         "metrics": ["avg_response_s"], "baselines": ["random", "least_work"]}],
}
DRAWN = ["env-0-bars", "env-0-cdf", "env-0-paired", "env-0-timeline", "env-1-bars", "env-1-cdf",
         "env-1-paired", "env-2-bars", "env-2-cdf", "env-2-paired", "profiles", "scores"]


class Report(PageCase):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        Path(cls.path("suite.json")).write_text(json.dumps(SUITE), encoding="utf-8")
        cls.park("bench", cls.path("suite.json"), "--out", cls.path("out"), "--quiet")
        cls.results = read(cls.path("out/results.json"))

    def setUp(self):
        super().setUp()
        self.seconds = self.open(self.path("out/report.html"))

    def wait(self, milliseconds=400):
        self.js("return new Promise((done) => setTimeout(done, arguments[0]))", milliseconds)

    def test_every_chart_is_drawn(self):
        self.assert_contained(self.path("out/report.html"))
        print(f"ready after {self.seconds:.2f} s")
        figures = self.js("return park.figures.map((f) => [f.name, f.chart.getZr().storage.getDisplayList().length])")
        self.assertEqual(sorted(name for name, _ in figures), DRAWN)
        for name, shapes in figures:
            self.assertGreater(shapes, 8, name)
        painted = self.js("""
            return park.figures.map(({ element }) => {
              const canvas = element.querySelector('canvas');
              const pixels = canvas.getContext('2d').getImageData(0, 0, canvas.width, canvas.height).data;
              return pixels.reduce((sum, value, i) => sum + (i % 4 === 3 && value > 0 ? 1 : 0), 0);
            })""")
        for name, pixels in zip(figures, painted):
            self.assertGreater(pixels, 500, name)

    def test_numbers_are_those_of_the_file(self):
        self.assertEqual(self.js("return park.data.results"), self.results)
        tables = self.js("""
            return [...document.querySelectorAll('#tables tbody')].map((body) =>
              [...body.rows].map((row) => [...row.cells].map((cell) => cell.innerText)))""")
        self.assertEqual([len(rows) for rows in tables], [3, 3, 2])
        for e, rows in enumerate(tables):
            of = {r["policy"]: r for r in self.results["results"] if r["environment"] == e}
            for cells in rows:
                result = of[cells[0].removeprefix("+ ")]
                self.assertEqual(cells[0].startswith("+ "), not result["baseline"])
                for cell, name in zip(cells[1:], SUITE["environments"][e]["metrics"]):
                    mean = result["metrics"][name]["mean"]
                    self.assertAlmostEqual(float(cell.replace("\u202f", "")), mean, delta=6e-4 * abs(mean) + 1e-9)

    def test_bars_and_intervals_lie_where_the_figures_are(self):
        rows = self.js("""
            const env = park.page.envs[0], chart = park.figures.find((f) => f.name === 'env-0-bars').chart;
            const option = chart.getOption();
            return option.series[0].data.map((bar, i) => [env.results[i].policy, bar.value, ...option.series[1].data[i].slice(1)])""")
        for policy, value, low, high in rows:
            result = next(r for r in self.results["results"] if r["policy"] == policy and r["environment"] == 0)
            metric = result["metrics"]["avg_response_s"]
            self.assertEqual([value, low, high], [metric["mean"], *metric["mean_bootstrap95"]])

    def test_the_scatter_follows_the_choice(self):
        def shown():
            return self.js("return park.figures.find((f) => f.name === 'env-0-paired').chart.getOption().yAxis[0].name")

        before = shown()
        self.js("""const select = document.querySelector('#figure-env-0-paired select');
                   select.value = '1'; select.dispatchEvent(new Event('change'))""")
        self.assertNotEqual(shown(), before)

    def test_themes_widths_and_paper(self):
        self.picture("report-light")
        self.browser.dark(True)
        self.wait()
        self.picture("report-dark")
        self.browser.dark(False)
        for width in (390, 320):
            self.browser.size(width, 844)
            self.wait()
            self.assert_fits(width)
        self.picture("report-phone")
        self.browser.size(1400, 1000)
        self.browser.driver.execute_cdp_cmd("Page.printToPDF", {"printBackground": True})

    def test_figures_are_exported(self):
        with tempfile.TemporaryDirectory() as folder:
            names = export_figures.export(self.browser, folder)
            self.assertEqual(sorted(names), DRAWN)
            for name in names:
                svg = Path(folder, f"{name}.svg").read_text(encoding="utf-8")
                self.assertTrue(svg.startswith("<svg"), name)
                self.assertGreater(svg.count("<path") + svg.count("<text"), 10, name)
                if "timeline" in name:  # a rectangle for each of the 2 x 60 jobs, but those below a pixel
                    self.assertGreater(svg.count("M"), 80)
                png = Path(folder, f"{name}.png").read_bytes()
                self.assertTrue(png.startswith(b"\x89PNG"), name)
                self.assertGreaterEqual(struct.unpack(">I", png[16:20])[0], 1900, name)

    def test_the_leaderboard_ranks(self):
        self.park("bench", "leaderboard", self.path("out/results.json"), "--out", self.path("board.html"))
        self.open(self.path("board.html"))
        self.assert_contained(self.path("board.html"))
        policies = self.texts("#boards section:first-child tbody tr td:nth-child(2)")
        means = {r["policy"]: r["metrics"]["avg_response_s"]["mean"] for r in self.results["results"] if r["environment"] == 0}
        self.assertEqual(policies, sorted(means, key=means.get))
        self.picture("leaderboard-light")


if __name__ == "__main__":
    sys.exit(page_case.main())
