#!/usr/bin/python3
"""Timeline pages in a browser: right numbers, no complaint, no request, and everything that one does.

    tests/web/timeline_page_test.py BUILD_FOLDER [TEST...]
"""

import sys

import page_case
from page_case import PageCase, read

SHIFT = 8


class Timeline(PageCase):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        run = ["run", "dag_scheduling(executors=10,arrival=poisson,jobs=25)", "--policy",
               "fair,fifo,weighted_fair", "--episodes", "2", "--quiet", "--timeline"]
        cls.park(*run, cls.path("t.html"))
        cls.park(*run, cls.path("t.json"))
        cls.data = read(cls.path("t.json"))

    def setUp(self):
        super().setUp()
        self.seconds = self.open(self.path("t.html"))
        self.box = self.js("const b = document.getElementById('canvas').getBoundingClientRect();"
                           "return [b.left, b.top + scrollY]")

    def panel(self, kind, policy=None):
        """[top, height] of a panel in the window, after it was scrolled into view."""
        return self.js("""
            const panel = park.page.view.panels.find((p) => p.kind === arguments[0] &&
              (arguments[1] === null || p.model.policy === arguments[1]));
            const canvas = document.getElementById('canvas');
            scrollTo(0, canvas.getBoundingClientRect().top + scrollY + panel.top - 150);
            return [canvas.getBoundingClientRect().top + panel.top, panel.height]""", kind, policy)

    def place(self, model, span):
        """Where the middle of a span is in the window."""
        x, row, rows, policy = self.js("""
            const model = park.page.models[arguments[0]], i = arguments[1];
            return [park.page.xOf((model.start[i] + model.end[i]) / 2), model.row[i], model.rows.length, model.policy]""",
                                       model, span)
        top, height = self.panel("lanes", policy)
        return self.box[0] + x, top + (row + 0.5) * height / rows

    def long_span(self, model):
        """The longest span of a job's task."""
        return self.js("""
            const model = park.page.models[arguments[0]];
            let best = -1;
            model.job.forEach((job, i) => {
              if (job >= 0 && (best < 0 || model.end[i] - model.start[i] > model.end[best] - model.start[best])) best = i;
            });
            return best""", model)

    def range(self):
        return self.js("return [park.page.view.range.from, park.page.view.range.to]")

    def test_the_page_is_contained_and_opens(self):
        self.assert_contained(self.path("t.html"))
        print(f"25 jobs: ready after {self.seconds:.2f} s")
        self.assertLess(self.seconds, 30)  # a sanity ceiling; results/ has the figures
        self.picture("timeline-light")
        self.browser.dark(True)
        self.picture("timeline-dark")

    def test_numbers_are_those_of_the_json(self):
        self.assertEqual(self.js("return park.data"), self.data)
        shown = [row.split("\t") for row in self.texts("#metrics tbody tr")]
        for metric, cells in zip(self.data["metrics"], shown, strict=True):
            self.assertEqual(cells[0], metric["name"])
            figures = [one[key][metric["name"]] for key in ("metrics", "means") for one in self.data["timelines"]]
            for text, value in zip(cells[2:], figures, strict=True):
                self.assertAlmostEqual(float(text.replace("\u202f", "")), value, delta=6e-4 * abs(value) + 1e-9)

    def test_the_model_is_the_file(self):
        for m, one in enumerate(self.data["timelines"]):
            spans = one["spans"]
            busy = self.js("""
                const model = park.page.models[arguments[0]];
                let sum = 0;
                model.start.forEach((start, i) => { sum += model.end[i] - start; });
                return [model.start.length, sum, model.jobs.size]""", m)
            self.assertEqual(busy[0], len(spans["lane"]))
            self.assertAlmostEqual(busy[1], sum(spans["end_s"]) - sum(spans["start_s"]), places=3)
            self.assertEqual(busy[2], 25)

    def test_hover_tells_the_task(self):
        span = self.long_span(1)
        x, y = self.place(1, span)
        self.browser.mouse("mouseMoved", x, y)
        self.until(lambda: self.text("#tip"))
        tip = self.text("#tip")
        what, job, stage, duration = self.js("""
            const model = park.page.models[1], i = arguments[0];
            return [model.whatOf(i), model.job[i], model.args.stage[i], park.seconds(model.end[i] - model.start[i])]""", span)
        self.assertIn(what, tip)
        self.assertRegex(tip, rf"job\n{job}\nstage\n{stage}\ntask\n\d+\nwave\n(fresh|first|rest)\n")
        self.assertIn(f"duration\n{duration}", tip)
        self.assertRegex(tip, r"lane\nexecutor \d")
        self.picture("timeline-hover")
        top, height = self.panel("series")
        self.browser.mouse("mouseMoved", x, top + height / 2)
        self.until(lambda: "jobs in system" in self.text("#tip"))
        self.assertRegex(self.text("#tip"), r"jobs in system\ntime\n.*\nfair\n\d+\nfifo\n\d+\nweighted_fair\n\d+")

    def test_search_lists_and_highlights(self):
        jobs = {job["job"]: job["name"] for job in self.data["timelines"][0]["jobs"]}
        name = jobs[3]
        self.js("const s = document.getElementById('search'); s.value = arguments[0];"
                "s.dispatchEvent(new Event('input'))", name)
        expected = [f"#{number} {text}" for number, text in sorted(jobs.items()) if name in text]
        listed = [line.split("\n")[0] for line in self.texts("#jobs button")]
        self.assertEqual(listed, expected)
        lit = self.js("""
            const model = park.page.models[0];
            return [...new Set([...model.job].filter((job, i) => park.page.view.isLit(model, i)))].sort((a, b) => a - b)""")
        self.assertEqual(lit, [number for number, text in sorted(jobs.items()) if name in text])
        self.picture("timeline-search")
        self.js("const s = document.getElementById('search'); s.value = 'nothing of that name';"
                "s.dispatchEvent(new Event('input'))")
        self.assertEqual(self.text("#found"), "no job is called so")
        self.browser.key("Escape")
        self.until(lambda: len(self.texts("#jobs button")) == 25)
        self.assertTrue(self.js("return park.page.view.lit === null"))

    def test_zoom_by_wheel_drag_keys_range_and_fields(self):
        end = self.range()[1]
        top, _ = self.panel("lanes", "fair")
        x = self.box[0] + self.js("return park.page.xOf(park.page.view.endS / 2)")
        self.browser.wheel(x, top + 40, -300)
        self.until(lambda: self.range()[0] > 0)
        begin, stop = self.range()
        self.assertLess(stop, end)
        self.assertAlmostEqual((end / 2 - begin) / (stop - begin), 0.5, delta=0.02)  # where the pointer is
        self.browser.drag(x, top + 40, x - 100, top + 40)
        self.until(lambda: self.range()[0] > begin)
        moved = self.range()
        self.assertAlmostEqual(moved[1] - moved[0], stop - begin, delta=0.01 * end)
        self.browser.key("+")
        self.until(lambda: self.range()[1] - self.range()[0] < 0.9 * (moved[1] - moved[0]))
        self.browser.key("0")
        self.until(lambda: self.range() == [0, end])
        self.browser.drag(x, top + 40, x + 200, top + 40, modifiers=SHIFT)
        self.until(lambda: self.range()[0] > 0)
        begin, stop = self.range()
        width = self.js("return park.page.plot.width")
        self.assertAlmostEqual(begin, end / 2, delta=0.01 * end)
        self.assertAlmostEqual(stop - begin, end * 200 / width, delta=0.01 * end)
        self.js("document.getElementById('reset').click()")
        self.assertEqual(self.range(), [0, end])
        self.js("""for (const [id, value] of [['from', '10'], ['to', '20.5']]) document.getElementById(id).value = value;
                document.getElementById('to').dispatchEvent(new Event('change'))""")
        self.assertEqual(self.range(), [10, 20.5])
        self.picture("timeline-zoomed")

    def test_a_click_opens_the_job_and_a_stage_highlights_its_tasks(self):
        span = self.long_span(2)
        self.browser.click(*self.place(2, span))
        self.until(lambda: self.js("return park.page.job !== null"))
        job = self.js("return park.page.models[2].job[arguments[0]]", span)
        self.assertEqual(self.js("return park.page.job"), job)
        self.assertIn(f"#{job} ", self.text("#job h2"))
        plan = next(one for one in self.data["timelines"][2]["jobs"] if one["job"] == job)
        self.assertEqual(self.js("return park.page.panel.drawn.layout.nodes.length"), len(plan["stages"]))
        self.assertEqual(self.js("return park.page.panel.drawn.layout.edges.length"),
                         sum(len(stage["parents"]) for stage in plan["stages"]))
        self.assertIn("Progress at", self.text("#job"))
        spans = self.data["timelines"][2]["spans"]
        time = self.js("return park.page.pinned")
        for stage, (row, facts) in enumerate(zip(self.texts("#job > .scroll:last-child tbody tr"), plan["stages"], strict=True)):
            done = sum(1 for j, s, end in zip(spans["args"]["job"], spans["args"]["stage"], spans["end_s"])
                       if j == job and s == stage and end <= time)
            self.assertEqual(row.split("\t")[:2], [str(stage), f"{done} / {facts['tasks']}"])
        x, y = self.js("""
            const panel = park.page.panel, box = panel.drawn.chart.getDom();
            box.scrollIntoView({ block: 'center' });
            const { left, top } = box.getBoundingClientRect();
            return [left + panel.drawn.layout.nodes[0].x, top + panel.drawn.layout.nodes[0].y]""")
        self.browser.click(x, y)
        self.until(lambda: self.js("return park.page.panel.stage") == 0)
        lit = self.js("""
            const model = park.page.models[2];
            return [...model.job].flatMap((_, i) => (park.page.view.isLit(model, i) ? [[model.job[i], model.args.stage[i]]] : []))""")
        self.assertEqual(len(lit), plan["stages"][0]["tasks"])
        self.assertTrue(all(pair == [job, 0] for pair in lit))
        self.picture("timeline-job")
        self.browser.key("Escape")
        self.until(lambda: self.js("return park.page.job") is None)

    def test_themes_and_widths(self):
        light = self.js("return getComputedStyle(document.body).backgroundColor")
        self.js("document.getElementById('theme').click()")
        dark = self.js("return getComputedStyle(document.body).backgroundColor")
        self.assertNotEqual(light, dark)
        self.browser.size(480, 900)
        self.js("return new Promise((done) => setTimeout(done, 300))")
        self.assert_fits(480)
        self.picture("timeline-narrow")


class Explained(PageCase):
    """A page with explanations of a tree's decisions and of a heuristic's."""

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        env = "dag_scheduling(executors=6,jobs=5)"
        cls.park("distill", env, "--teacher", "fair", "--leaves", "8", "--rounds", "1", "--episodes", "2",
                 "--validation-episodes", "1", "--out", cls.path("my.tree"), "--quiet")
        cls.park("run", env, "--policy", f"tree(file={cls.path('my.tree')}),fair", "--episodes", "3", "--explain", "6",
                 "--timeline", cls.path("e.html"), "--quiet")
        cls.browser.open(cls.path("e.html"))
        cls.data = cls.browser.js("return park.data")

    def click(self, model, time):
        x, y = self.js("""
            const panel = park.page.view.panels.find((p) => p.kind === 'lanes' && p.model.index === arguments[0]);
            const canvas = document.getElementById('canvas');
            scrollTo(0, canvas.getBoundingClientRect().top + scrollY + panel.top - 150);
            const { left, top } = canvas.getBoundingClientRect();
            return [left + park.page.xOf(arguments[1]), top + panel.top + 5]""", model, time)
        self.browser.mouse("mouseMoved", x, y)
        self.browser.click(x, y)

    def test_a_click_explains_the_nearest_decision(self):
        self.open(self.path("e.html"))
        self.assert_contained(self.path("e.html"))
        self.assertIn("of 12 explained decisions", self.text("#explained"))
        for model, one in enumerate(self.data["timelines"]):
            self.assertEqual(len(one["explained"]), 6)
            last = one["explained"][-1]["time_s"]
            decision = next(d for d in one["explained"] if d["time_s"] == last)
            self.click(model, last)
            self.until(lambda: self.text("#explained").startswith("Decision "))
            self.assertEqual(self.js("return park.page.explained.decision"), decision)
            self.assertEqual(self.js("return park.page.pinned"), decision["time_s"])
            self.check(decision)
            self.picture(f"explained-{'tree' if model == 0 else 'fair'}")
            self.browser.key("Escape")
            self.until(lambda: "explained decisions" in self.text("#explained"))

    def check(self, decision):
        """What the box says of a decision is what the file says."""
        heads = decision["heads"]
        self.assertEqual(self.texts("#explained h3"),
                         [f"{h['head']}: {h['choice']}, one of {h['legal']} candidates" for h in heads])
        self.assertTrue(all(h["candidates"][0]["value"] == h["choice"] for h in heads))
        self.assertTrue(all(len(h["candidates"]) == min(h["legal"], 12) for h in heads))
        for level in (level for h in heads for level in h["surrogate"]["levels"]):
            total = level["base"] + sum(one["shap"] for one in level["shap"])
            self.assertAlmostEqual(total, level["value"], delta=1e-5 * max(1, abs(level["value"])))
        bars = [min(5, sum(one["shap"] != 0 for one in level["shap"]))
                for h in heads for level in h["surrogate"]["levels"]]  # fmt: skip
        self.assertEqual(len(self.texts("#explained .reason")), sum(bars))
        changes = self.texts("#explained .change")
        for text, head in zip(changes, heads, strict=True):
            change = head["change"]
            self.assertIn("No change" if change is None else f"would take {change['choice']}.", text)

    def test_one_goes_from_one_decision_to_the_next(self):
        self.open(self.path("e.html"))
        times = [decision["time_s"] for decision in self.data["timelines"][0]["explained"]]
        self.assertEqual(times, sorted(times))
        self.assertLessEqual(times[-1], self.data["timelines"][0]["end_s"])
        self.click(0, 0)
        self.until(lambda: self.text("#explained").startswith("Decision "))
        for time in times[1:]:
            self.js("document.querySelector('#explained button:last-of-type').click()")
            self.assertEqual(self.js("return park.page.pinned"), time)
        self.assertTrue(self.js("return document.querySelector('#explained button:last-of-type').disabled"))


class Others(PageCase):
    def test_queues_of_servers(self):
        self.park("run", "load_balance(jobs=300)", "--policy", "least_work,random", "--episodes", "1", "--quiet",
                  "--timeline", self.path("q.html"))
        self.open(self.path("q.html"))
        self.assert_contained(self.path("q.html"))
        self.assertEqual(self.js("return park.page.models.map((m) => [m.rows.length, m.ofRow.size, m.jobs.size])"),
                         [[10, 10, 300], [10, 10, 300]])
        self.assertIn("jobs at server", self.text("#legend"))
        self.js("scrollTo(0, 400)")
        x, y = self.js("""
            const panel = park.page.view.panels.find((p) => p.kind === 'lanes');
            const { left, top } = document.getElementById('canvas').getBoundingClientRect();
            return [left + park.page.xOf(park.page.view.endS / 3), top + panel.top + 10]""")
        self.browser.mouse("mouseMoved", x, y)
        self.until(lambda: self.text("#tip"))
        self.assertRegex(self.text("#tip"), r"jobs at server\n(\d+|–)")
        self.picture("queues-light")

    def test_one_job_one_lane(self):
        self.park("run", "load_balance(servers=1,jobs=1)", "--policy", "random", "--episodes", "1", "--quiet",
                  "--timeline", self.path("one.html"))
        self.open(self.path("one.html"))
        self.assertEqual(self.text("#found"), "1 job")


if __name__ == "__main__":
    sys.exit(page_case.main())
