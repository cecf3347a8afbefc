#!/usr/bin/python3
"""Reports and leaderboards in a browser: every chart drawn, right numbers, no complaint, no request.

    tests/web/report_page_test.py BUILD_FOLDER [TEST...]
"""

import base64
import json
import struct
import sys
import tempfile
from pathlib import Path
from xml.etree import ElementTree

import page_case
from page_case import PageCase, read

sys.path.insert(0, str(page_case.ROOT / "scripts"))
import export_figures  # noqa: E402

SUITE = {
    "schema": "park.suite", "version": 1, "name": "tiny", "summary": "for a test", "seed": 3,
    "environments": [  # no policy but random is in several of them
        {"env": "load_balance", "config": {"servers": 3, "jobs": 60}, "episodes": 12,
         "metrics": ["avg_response_s", "p95_response_s"],
         "baselines": ["random", "least_work", "shortest_queue"], "timeline": ["least_work", "random"]},
        {"env": "load_balance", "config": {"servers": 2, "jobs": 80}, "episodes": 10,
         "metrics": ["jobs_done"], "baselines": ["random", "power_of_d"],
         "policies": ["shortest_expected_delay"]},
        {"env": "load_balance", "config": {"servers": 4, "jobs": 60}, "episodes": 8,
         "metrics": ["avg_response_s"], "baselines": ["random", "round_robin"], "policies": ["power_of_d(d=5)"],
         "bound": "power_of_d(d=5)"},
        {"env": "load_balance", "config": {"servers": 5, "jobs": 16}, "episodes": 4,
         "metrics": ["p95_response_s"],
         "baselines": ["random", "power_of_d(d=3)", "power_of_d(d=4)", "size_interval"],
         "timeline": ["size_interval", "random"]}],
}
DRAWN = ["env-0-bars", "env-0-cdf", "env-0-paired", "env-0-timeline", "env-0-trade", "env-1-bars",
         "env-1-cdf", "env-1-paired", "env-2-bars", "env-2-cdf", "env-2-paired", "env-3-bars", "env-3-cdf",
         "env-3-paired", "env-3-timeline", "profiles", "scores"]
TRAINED = {"env": "dag_scheduling", "config": {"executors": 10, "jobs": 5}, "episodes": 4,
           "metrics": ["avg_jct_s"], "baselines": ["random", "fair"],
           "timeline": ["dag_scheduling-batch-bundled", "fair", "random"]}
DRAWN_TRAINED = ["env-4-bars", "env-4-cdf", "env-4-learning", "env-4-paired", "env-4-timeline",
                 "env-4-timeline-stages-0", "env-4-timeline-stages-1"]
ITERATIONS = 2

class Report(PageCase):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.suite = json.loads(json.dumps(SUITE))
        cls.drawn = list(DRAWN)
        cls.runs = []
        if (page_case.BUILD / "lib" / "libpark_agents_module.so").exists():
            cls.train()
        else:
            print("left out: learning curves and stages of training (built without the agents module)")
        Path(cls.path("suite.json")).write_text(json.dumps(cls.suite), encoding="utf-8")
        cls.park("bench", cls.path("suite.json"), "--out", cls.path("out"), "--quiet")
        cls.results = read(cls.path("out/results.json"))

    @classmethod
    def train(cls):
        """Two short trainings and a bundled policy as a further environment of the suite."""
        cls.runs = [cls.path("run-1"), cls.path("run-2")]
        for seed, run in enumerate(cls.runs):
            cls.park("train", "dag_scheduling(executors=10,jobs=5)", "--out", run, "--iterations", str(ITERATIONS),
                     "--seed", str(seed), "--keep-every", "1", "--validation-episodes", "2", "--quiet")
        policies = ["dag_scheduling-batch-bundled", *cls.runs]
        cls.suite["environments"].append({**TRAINED, "policies": policies})
        cls.drawn = sorted([*DRAWN, *DRAWN_TRAINED])

    def setUp(self):
        super().setUp()
        self.seconds = self.open(self.path("out/report.html"))

    def wait(self, milliseconds=400):
        self.js("return new Promise((done) => setTimeout(done, arguments[0]))", milliseconds)

    def test_every_chart_is_drawn(self):
        self.assert_contained(self.path("out/report.html"))
        print(f"ready after {self.seconds:.2f} s")
        figures = self.js("return park.figures.map((f) => [f.name, f.chart.getZr().storage.getDisplayList().length])")
        self.assertEqual(sorted(name for name, _ in figures), self.drawn)
        ids = self.js("return [...document.querySelectorAll('[id]')].map(({ id }) => id)")
        self.assertEqual(len(ids), len(set(ids)))
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
            return [...document.querySelectorAll('#tables table.metrics tbody')].map((body) =>
              [...body.rows].map((row) => [...row.cells].map((cell) => cell.innerText)))""")
        self.assertEqual([len(rows) for rows in tables],
                         [len(env["baselines"]) + len(env.get("policies", [])) for env in self.suite["environments"]])
        for e, rows in enumerate(tables):
            of = {r["policy"]: r for r in self.results["results"] if r["environment"] == e}
            for cells in rows:
                result = of[cells[0].removeprefix("+ ")]
                self.assertEqual(cells[0].startswith("+ "), not result["baseline"])
                for cell, name in zip(cells[1:], self.suite["environments"][e]["metrics"]):
                    mean = result["metrics"][name]["mean"]
                    self.assertAlmostEqual(float(cell.replace("\u202f", "")), mean, delta=6e-4 * abs(mean) + 1e-9)

    def test_percentages_stand_beside_the_scores(self):
        shown = self.js("""
            return [...document.querySelectorAll('#tables .summary')].map((env) =>
              [...env.querySelectorAll('table.standings tr')].map((row) =>
                [...row.cells].map((cell) => cell.innerText)))""")
        found = {(one["env"], one["policy"]): one for one in self.results["standings"]}
        scales = {one["env"]: one for one in self.results["scales"]}
        self.assertEqual([env for env, scale in scales.items() if "bound_policy" in scale],
                         ["load_balance(servers=4,jobs=60)"])
        for env, table in zip(self.results["manifest"]["environments"], shown, strict=True):
            scale = scales.get(env["env"])
            if not scale:
                self.assertEqual(table, [])
                continue
            head, *rows = table
            columns = {"score": head.index("score"), "percent_better": head.index("% better than " + scale["one_policy"])}
            if "bound_policy" in scale:
                columns["percent_to_bound"] = head.index("% to " + scale["bound_policy"])
            for cells in rows:
                standing = found[env["env"], cells[0].removeprefix("+ ")]
                for name, column in columns.items():
                    value, low, high = standing[name]["value"], *standing[name]["bootstrap95"]
                    if value is None:
                        self.assertEqual(cells[column], "\u2013")
                        continue
                    numbers = [float(word.strip("[],").replace("\u202f", "")) for word in cells[column].split(" ")
                               if word.strip("[],") != "\u2013"]
                    for number, figure in zip(numbers, (value, low, high)):
                        rounding = 6e-4 if name == "score" else 0.06
                        self.assertAlmostEqual(number, figure, delta=rounding + 6e-4 * abs(figure))

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

    def test_ellipses_are_one_standard_deviation_wide(self):
        points = [[1, 2], [2, 5], [4, 3], [6, 8], [7, 6]]
        found = self.js("return park.report.ellipse(arguments[0])", points)
        means = [sum(column) / len(points) for column in zip(*points)]
        self.assertEqual(found["mean"], means)
        gaps = [[x - means[0], y - means[1]] for x, y in points]
        xx, xy, yy = (sum(gap[a] * gap[b] for gap in gaps) / 4 for a, b in ((0, 0), (0, 1), (1, 1)))
        for x, y in found["outline"]:  # Mahalanobis distance
            u, v = x - means[0], y - means[1]
            self.assertAlmostEqual((yy * u * u - 2 * xy * u * v + xx * v * v) / (xx * yy - xy * xy), 1)
        self.assertIsNone(self.js("return park.report.ellipse([[1, 2], [2, 3]])"))

    def test_two_metrics_stand_against_each_other(self):
        def shown():
            return self.js("""
                const { xAxis, yAxis, series } = park.figures.find((f) => f.name === 'env-0-trade').chart.getOption();
                return [xAxis[0].name, yAxis[0].name, series.filter(({ type }) => type === 'scatter')
                        .map(({ name, data }) => [name, data[0]])]""")

        x, y, spots = shown()
        self.assertEqual([x, y], ["p95_response_s [s], less is better", "avg_response_s [s], less is better"])
        for result in (one for one in self.results["results"] if one["environment"] == 0):
            mean = dict(map(tuple, spots))[result["policy"]]
            for value, name in zip(mean, ("p95_response_s", "avg_response_s")):
                self.assertAlmostEqual(value, result["metrics"][name]["mean"], places=9)
        colours = self.js("""
            const { series } = park.figures.find((f) => f.name === 'env-0-trade').chart.getOption();
            return series.map(({ name, itemStyle }) => [name, itemStyle.color])""")
        self.assertEqual(len({tuple(one) for one in colours}), len(spots))  # the legend has those of the dots
        self.js("""const select = document.querySelector('#figure-env-0-trade select');
                   select.value = '0'; select.dispatchEvent(new Event('change'))""")
        self.assertEqual(shown()[0], "avg_response_s [s], less is better")

    def test_scores_of_policies_that_played_all_environments_are_drawn(self):
        self.assertFalse(self.js("return park.find('overall').hidden"))
        bars, lines = self.js("""
            const option = (name) => park.figures.find((f) => f.name === name).chart.getOption();
            const { yAxis, series } = option('scores');
            return [yAxis[0].data.map((name, i) => [name, series[0].data[i].value]),
                    option('profiles').series.map(({ name, data }) => [name, data.map(([, share]) => share)])]""")
        scaled = len(self.results["scales"])
        scores = [r for r in self.results["scores"] if len(r["environments"]) == scaled]
        self.assertEqual([r["policy"] for r in scores], ["random"])
        for score, (bar, iqm), (line, shares) in zip(scores, bars, lines, strict=True):
            self.assertEqual([iqm, shares], [score["iqm"]["value"], score["profile"]["share"]])
            self.assertEqual(line, score["policy"])
            begin, end = bar.split("\u2026") if "\u2026" in bar else (bar, "")
            self.assertTrue(line.startswith(begin) and line.endswith(end), bar)

    def test_the_learning_curves_are_the_validations_of_the_runs(self):
        if not self.runs:
            self.skipTest("built without the agents module")
        series = self.js("""return park.figures.find((f) => f.name === 'env-4-learning').chart.getOption()
            .series.map(({ name, data }) => [name, data])""")
        self.assertEqual([name for name, _ in series], ["dag_scheduling-batch-bundled", *self.runs])
        for name, points in series:
            if name in self.runs:
                validations = read(Path(name, "latest", "manifest.json"))["validations"]
                self.assertEqual(points, [[one["iteration"], one["mean"]] for one in validations])
            self.assertGreater(len(points), ITERATIONS)

    def test_stages_of_the_training_are_shown_with_their_figures(self):
        if not self.runs:
            self.skipTest("built without the agents module")
        for i, run in enumerate(self.runs):
            titles = self.js("""return park.figures.find((f) => f.name === arguments[0]).chart.getOption()
                .title.map(({ text }) => text)""", f"env-4-timeline-stages-{i}")
            stages = [title for title in titles if "avg_jct_s" in title]
            self.assertEqual([title.split("{")[0].strip() for title in stages],
                             [*(f"iteration {k}" for k in range(ITERATIONS + 1)), run])
            for title in stages:
                self.assertRegex(title, r"avg_jct_s \d")
            played = next(t for t in self.js("return park.data.timelines")
                          if t["stages"] and t["timelines"][-1]["policy"] == run)
            self.assertNotEqual(played["timelines"][0]["metrics"], played["timelines"][-1]["metrics"])

    def test_what_has_one_name_has_one_colour(self):
        shown = self.js("""
            return park.data.timelines.map(({ timelines }) => park.timelineModels(timelines).map((model) =>
              [...new Set(Array.from(model.what, (_, i) =>
                (model.job[i] < 0 ? model.whatOf(i) : 'job ' + model.job[i]) + ': ' + model.color(i)))]))""")
        self.assertGreaterEqual(len(shown), 2)
        for models in shown:
            pairs = {pair for model in models for pair in model}
            self.assertEqual(len(pairs), len({pair.rsplit(":", 1)[0] for pair in pairs}))
            self.assertGreater(len(set(models[0]) & set(models[1])), 1)
        few = {pair for model in shown[1] for pair in model}  # names, fewer than there are colours
        self.assertEqual(len(few), len({pair.rsplit(":", 1)[1] for pair in few}))

    def test_policies_have_styles_of_their_own(self):
        styles = self.js("""return Array.from({ length: 32 }, (_, i) => park.policyStyle(i)).map((style) =>
            [style.color, JSON.stringify(style.line.type), JSON.stringify(style.decal)])""")
        self.assertEqual(len({color for color, _, _ in styles[:8]}), 8)
        self.assertEqual(len({(color, dash) for color, dash, _ in styles}), 32)
        self.assertEqual(len({(color, decal) for color, _, decal in styles}), 32)
        self.assertEqual({(dash, decal) for _, dash, decal in styles[:8]}, {('"solid"', "null")})

    def assert_texts_fit(self):
        """No text of a chart is cut off by its edges, and what names a policy of a timeline is whole."""
        cut = self.js("""
            return park.figures.flatMap(({ name, chart }) => {
              chart.getZr().flush();
              return chart.getZr().storage.getDisplayList().filter((text) => text.type === 'tspan' && !text.invisible).flatMap((text) => {
                const rect = text.getBoundingRect().clone();
                if (text.transform) rect.applyTransform(text.transform);
                const inside = rect.x >= -1 && rect.x + rect.width <= chart.getWidth() + 1 &&
                  rect.y >= -1 && rect.y + rect.height <= chart.getHeight() + 1;
                return inside ? [] : [[name, text.style.text]];
              });
            })""")
        self.assertEqual(cut, [])
        for names, texts in self.js("""
                return park.data.timelines.filter(({ stages }) => !stages).map(({ env, timelines }) => {
                  const { id } = park.page.envs.find(({ name }) => name === env);
                  const { chart } = park.figures.find(({ name }) => name === id + '-timeline');
                  return [timelines.map(({ policy }) => policy), chart.getZr().storage.getDisplayList()
                    .filter(({ type }) => type === 'tspan').map(({ style }) => style.text.trim())];
                })"""):
            for name in names:  # in the legend and in the heading
                self.assertEqual(texts.count(name), 2, (name, texts))
            self.assertEqual([text for text in texts if text.endswith(("\u2026", "..."))], [])

    def test_themes_and_widths(self):
        self.picture("report-light")
        self.assert_texts_fit()
        self.browser.dark(True)
        self.wait()
        self.picture("report-dark")
        self.browser.dark(False)
        for width in (500, 390, 320):
            self.browser.size(width, 844)
            self.wait()
            self.assert_fits(width)
            self.assert_texts_fit()
            self.picture(f"report-{width}")

    def test_paper_shows_every_figure_whole(self):
        """On A4 and letter, each with 12 mm around; whatever the window and the theme were."""
        self.browser.dark(True)
        emulate = self.browser.driver.execute_cdp_cmd
        for width in (703, 725):
            emulate("Emulation.setEmulatedMedia", {"media": "print"})
            self.browser.size(width, 965)
            self.js("window.dispatchEvent(new Event('beforeprint'))")
            self.assert_fits(width)
            figures = self.js("""
                return park.figures.map(({ name, element }) => {
                  const box = (one) => one.getBoundingClientRect();
                  const svg = element.parentElement.querySelector('.printed svg');
                  const { left, right, top, bottom } = box(svg);
                  const texts = [...svg.querySelectorAll('text')];
                  return {
                    name, width: right - left, room: box(element.parentElement).width,
                    height: box(element.parentElement).height, hidden: box(element).height === 0,
                    texts: texts.map(({ textContent }) => textContent),
                    cut: texts.filter((text) => box(text).left < left - 1 || box(text).right > right + 1 ||
                      box(text).top < top - 1 || box(text).bottom > bottom + 1).map((text) => text.textContent),
                  };
                })""")
            for figure in figures:
                self.assertTrue(figure["hidden"], figure["name"])
                self.assertLessEqual(figure["width"], figure["room"], figure["name"])
                self.assertGreater(figure["width"], 0.98 * figure["room"], figure["name"])
                self.assertLess(figure["height"], 965, figure["name"])
                self.assertEqual(figure["cut"], [], figure["name"])
            cdf = next(figure for figure in figures if figure["name"] == "env-3-cdf")
            for policy in self.suite["environments"][3]["baselines"]:
                self.assertIn(policy, cdf["texts"])
            self.picture("report-paper")
            self.js("window.dispatchEvent(new Event('afterprint'))")
            self.assertEqual(self.js("return document.querySelectorAll('.printed').length"), 0)
            emulate("Emulation.setEmulatedMedia", {"media": ""})
        self.browser.size(1400, 1000)
        printed = emulate("Page.printToPDF", {"printBackground": True})
        (page_case.BUILD / "web" / "report.pdf").write_bytes(base64.b64decode(printed["data"]))

    def test_figures_are_exported(self):
        with tempfile.TemporaryDirectory() as folder:
            names = export_figures.export(self.browser, folder)
            self.assertEqual(sorted(names), self.drawn)
            self.assertEqual(len(list(Path(folder).iterdir())), 2 * len(self.drawn))
            for name in names:
                svg = Path(folder, f"{name}.svg").read_text(encoding="utf-8")
                self.assertTrue(ElementTree.fromstring(svg).tag.endswith("svg"), name)
                self.assertGreater(svg.count("<path") + svg.count("<text"), 10, name)
                if name == "env-0-timeline":  # a rectangle for each of the 2 x 60 jobs, but those below a pixel
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
