#!/usr/bin/env python3
"""The checks of the tree notice what they are for; figures are collected and printed right."""

import hashlib
import json
import lzma
import os
import re
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path
from unittest import mock

ROOT = Path(__file__).resolve().parents[2]
SCRIPTS, EXPERIMENTS = ROOT / "scripts", ROOT / "experiments"
sys.path[:0] = map(str, (SCRIPTS, EXPERIMENTS, EXPERIMENTS / "learning", Path(__file__).parent))

import check_labels  # noqa: E402
import check_snippets  # noqa: E402
import check_tree  # noqa: E402
import figures  # noqa: E402
import generate_results  # noqa: E402
import measure_learning  # noqa: E402
import park_runs  # noqa: E402
import phases_test  # noqa: E402
import policies  # noqa: E402
import prose  # noqa: E402
import record_bench  # noqa: E402
import record_reference_data  # noqa: E402
import reference_data  # noqa: E402
import reference_tables  # noqa: E402
import sbom  # noqa: E402
import settings  # noqa: E402
import tune_suites  # noqa: E402


class TunedSuites(unittest.TestCase):
    def test_files_of_suites_are_written_as_they_are(self):
        self.assertTrue(tune_suites.suites())
        for path in tune_suites.suites():
            text = path.read_text(encoding="utf-8")
            self.assertEqual(tune_suites.written(json.loads(text)) + "\n", text, path.name)

    def test_a_tuned_text_replaces_the_one_before_and_leaves_the_plain_one(self):
        some = ["random", "a", "a(x=1)", "b"]
        self.assertEqual(tune_suites.replaced(some, "a", "a(x=1)", "a(x=2)"), ["random", "a", "a(x=2)", "b"])
        self.assertEqual(tune_suites.replaced(some, "a", "a(x=1)", "a(x=1)"), some)
        self.assertEqual(tune_suites.replaced(some, "a", "a(x=1)", "a"), ["random", "a", "b"])
        self.assertEqual(tune_suites.replaced(["a", "b"], "a", None, "a(x=2)"), ["a", "a(x=2)", "b"])
        self.assertEqual(tune_suites.replaced(["a", "b"], "a", "a", "a(x=2)"), ["a", "a(x=2)", "b"])

    def test_intervals_are_those_of_student(self):
        mean, low, high = tune_suites.mean_interval([1.0, 2.0] * 50)  # t(0.975, 99) = 1.98422
        self.assertAlmostEqual(mean, 1.5)
        half = 1.98422 * 0.5 * (100 / 99) ** 0.5 / 10
        self.assertAlmostEqual((high - low) / 2, half, delta=1e-3 * half)

    def test_an_environment_takes_other_fields_for_its_training(self):
        env = {"env": "load_balance", "config": {"jobs": 5, "recording": "", "on": True}}
        self.assertEqual(tune_suites.env_text(env, {"jobs": 7}), 'load_balance(jobs=7,recording="",on=true)')

    def check(self, better, only=None, out=None):
        """What the check says where the policy found again is better by that much in each of 50 episodes."""
        env = {"env": "load_balance", "config": {}, "tuning": {"tuned": [{"policy": "a(x=1)"}]}}
        metric = {"name": "t_s", "unit": "s", "better": "lower"}
        columns = [[10.0] * 50, [10.0 - better + (0.1 if k % 2 else -0.1) for k in range(50)]]

        class Fake(tune_suites.Park):
            def ask(self, *words):
                if words[0] == "tune":
                    return {"best": "a(x=2)", "env": "load_balance", "metric": metric}
                return {"results": [{"per_episode": {"t_s": column}} for column in columns]}

        arguments = mock.Mock(episodes=4, seed=2, budget_evals=9, held_out=50, only=only, jobs=2, out=out)
        with mock.patch("builtins.print"):
            return tune_suites.check_tuned(Fake("park"), [env], arguments)

    def test_the_check_names_what_is_beaten_beyond_noise(self):
        (row,) = self.check(0.2)
        self.assertEqual((row["policy"], row["found"], row["beaten"]), ("a(x=1)", "a(x=2)", True))
        self.assertFalse(self.check(0.01)[0]["beaten"])
        self.assertFalse(self.check(-0.2)[0]["beaten"])

    def test_a_check_goes_on_from_the_comparisons_that_it_kept(self):
        with tempfile.TemporaryDirectory() as folder:
            out = Path(folder) / "kept.jsonl"
            rows = self.check(0.2, out=out)
            self.assertEqual(self.check(-0.2, out=out), rows)
            self.assertEqual(len(out.read_text(encoding="utf-8").splitlines()), 1)

    def test_it_may_look_at_one_policy_alone(self):
        self.assertEqual(len(self.check(0.2, only="a")), 1)
        self.assertEqual(self.check(0.2, only="b"), [])


class Tree(unittest.TestCase):
    def test_a_clean_text_passes(self):
        self.assertEqual(check_tree.check_text("a.h", "#pragma once\nint build_work = 1;\n"), [])

    def test_what_no_text_may_contain(self):
        for text in ("cd /" + "root/x\n", "see (/" + "work/main)\n", "https://pypi" + ".org/x\n",
                     "// TO" + "DO later\n", "trailing \n",
                     "x(traces=../" + "shared/data/y)\n"):
            self.assertEqual(len(check_tree.check_text("a.txt", text)), 1, text)

    def test_lengths(self):
        lines = "x\n" * check_tree.EXAMPLE_LINES
        self.assertEqual(len(check_tree.check_text("examples/a.cc", lines)), 1)
        self.assertEqual(check_tree.check_text("examples/a.cc", "x\n" * (check_tree.EXAMPLE_LINES - 1)), [])
        self.assertEqual(len(check_tree.check_text("README.md", "x\n" * 121)), 1)

    def test_files_of_others_stay_as_they_are(self):
        foreign = [name for name in check_tree.tracked() if check_tree.FOREIGN.match(name)]
        self.assertIn("third_party/echarts/echarts.min.js", foreign)
        self.assertNotIn("third_party/README.md", foreign)
        sums = (check_tree.ROOT / "third_party/README.md").read_text(encoding="utf-8")
        for name in foreign:
            if name.endswith(".js"):
                content = (check_tree.ROOT / name).read_bytes()
                self.assertIn(hashlib.sha256(content).hexdigest(), sums, name)
        self.assertLess(sum((check_tree.ROOT / name).stat().st_size for name in foreign), 1_500_000)

    def test_headers_are_included_once(self):
        self.assertEqual(len(check_tree.check_text("a.h", "int a;\n")), 1)

    def test_links_lead_somewhere(self):
        good = "[tour](docs/index.md) [x](https://example.org) `scripts/test.sh` `docs/envs/NAME.md`"
        self.assertEqual(check_tree.check_links("README.md", good), [])
        bad = "[tour](docs/nothing.md) `scripts/nothing.sh`"
        self.assertEqual(len(check_tree.check_links("README.md", bad)), 2)


class English(unittest.TestCase):
    def refused(self, name, text):
        return [line for line in check_tree.check_english(name, text) if ": says " in line]

    def test_refused_phrases_are_named_with_what_to_write(self):
        found = self.refused("docs/a.md", "First line.\n\nA text. What becomes of it says `b`:\n")
        self.assertEqual(found, ["docs/a.md:3: says 'What becomes of'; write what happens to"])
        for text in ("Of these, two.", "It ends. Of these, two.", "Blocks of whose episodes one lacks.",
                     "What was decided otherwise", "It works whatever comes.", "The cellar of the tree.",
                     "Room for ten rows.", "Its data comes along.", "It tells what\nis wrong.",
                     "It ends without a word.", "All chance is seeded.", "The run goes on."):
            self.assertEqual(len(self.refused("docs/a.md", text)), 1, text)

    def test_plain_english_passes(self):
        for text in ("A waiting room of ten.", "It tells the agent.", "Of course.", "A cell of two.",
                     "Rows follow `whatever`.", "Its bytes go on a page."):
            self.assertEqual(self.refused("docs/a.md", text), [], text)

    def test_code_and_tables_are_no_prose(self):
        text = "```\nOf\n```\n\n    whatever\n\n    chance\n\n| whatever |\n\n`chance` [a](house.md)\n"
        self.assertEqual(check_tree.check_english("docs/a.md", text), [])

    def test_comments_of_public_headers_are_read_across_lines(self):
        header = "/// A row, whatever\n/// it holds.\nint chance;\n/// Of each row.\nint b;  ///< what it\n"
        self.assertEqual([line.split(": ")[0] for line in self.refused("park/core/a.h", header)],
                         ["park/core/a.h:1", "park/core/a.h:4"])
        self.assertEqual(self.refused("tests/kit/a.h", header), [])
        self.assertEqual(self.refused("park/core/a.cc", header), [])

    def test_which_documents_are_read(self):
        for name in ("README.md", "docs/a.md", "docs/b/a.md", "park/envs/a/README.md"):
            self.assertEqual(len(self.refused(name, "Whatever.\n")), 1, name)
        for name in ("docs/envs/a.md", "docs/results.md", "docs/results/a.md", "data/a.md"):
            self.assertEqual(self.refused(name, "Whatever.\n"), [], name)

    def test_sentences_are_short(self):
        most = "word " * 24 + "word."
        self.assertEqual(check_tree.check_english("docs/a.md", f"{most} {most.capitalize()}\n"), [])
        found = check_tree.check_english("docs/a.md", f"Short.\n\n- One more {most}\n")
        self.assertEqual(found, ["docs/a.md:3: a sentence of 27 words; at most 25 are allowed"])

    def test_sentences_in_comments_of_headers_are_short(self):
        most = "word " * 24 + "word."
        # Code, and a comment behind a member, are not parts of the comment that follows.
        header = (f"/// {most}\n///     {most}\n/// {most}\nint a;  ///< of\n"
                  f"/// {most}\n/// - item\n///     of {most}\n")
        for name in ("tests/kit/a.h", "park/core/a.h"):
            self.assertEqual(check_tree.check_english(name, header),
                             [f"{name}:6: a sentence of 27 words; at most 25 are allowed"])
        for name in ("third_party/a/a.h", "systems/a/third_party/a.h", "park/core/a.cc"):
            self.assertEqual(check_tree.check_english(name, header), [], name)

    def test_sentences_of_a_paragraph(self):
        text = "It has 2.5 s, e.g. 2 (Mao et al. 2019). `code` begins one.\nAnother ends! 3 follow"
        ((line, paragraph),) = prose.paragraphs(text)
        self.assertEqual(line, 1)
        self.assertEqual([prose.words(s) for s in prose.sentences(paragraph)], [10, 3, 2, 2])

    def test_items_of_a_list_are_paragraphs(self):
        text = "1. One\n   more:\n   - two;\n   - three.\n\n   Rest of it.\n\nA line\n    of one.\n"
        self.assertEqual([p for _, p in prose.paragraphs(text)],
                         ["One more:", "two;", "three.", "Rest of it.", "A line of one."])


class Labels(unittest.TestCase):
    def test_labels_of_a_test(self):
        test = {"properties": [{"name": "TIMEOUT", "value": 1},
                               {"name": "LABELS", "value": ["quick", "plain"]}]}
        self.assertEqual(check_labels.labels(test), ["quick", "plain"])
        self.assertEqual(check_labels.labels({"properties": []}), [])


class Snippets(unittest.TestCase):
    def test_only_marked_blocks_are_run(self):
        with tempfile.NamedTemporaryFile("w", suffix=".md") as page:
            page.write("```sh\npark envs\n\npark x\n```\ntext\n```\npark no\n```\n    park no\n")
            page.flush()
            self.assertEqual(check_snippets.commands(page.name), ["park envs", "park x"])

    def test_long_blocks_are_run_on_demand(self):
        with tempfile.TemporaryDirectory() as folder:
            page = Path(folder) / "page.md"
            page.write_text("```sh long\npark train\n```\n```sh\npark envs\n```\n", encoding="utf-8")
            check_snippets.write_files(page, folder)
            self.assertEqual([p.name for p in Path(folder).iterdir()], ["page.md"])
            self.assertEqual(check_snippets.commands(page), ["park envs"])
            self.assertEqual(check_snippets.commands(page, with_long=True), ["park train", "park envs"])

    def test_files_that_a_page_shows_are_written(self):
        with tempfile.TemporaryDirectory() as folder:
            page = Path(folder) / "page.md"
            page.write_text("```csv a.csv\nx,y\n1,2\n```\n```sh\npark a\n```\n```text\nno\n```\n",
                            encoding="utf-8")
            check_snippets.write_files(page, folder)
            self.assertEqual((Path(folder) / "a.csv").read_text(encoding="utf-8"), "x,y\n1,2\n")
            self.assertEqual(sorted(p.name for p in Path(folder).iterdir()), ["a.csv", "page.md"])
            self.assertEqual(check_snippets.commands(page), ["park a"])

    def test_failures_are_noticed(self):
        with tempfile.TemporaryDirectory() as folder:
            self.assertTrue(check_snippets.fails("rm x", folder, {}))
            path = {"PATH": "/usr/bin:/bin"}
            self.assertIn("exit status 127", check_snippets.fails("park envs", folder, path))


class Figures(unittest.TestCase):
    def test_median_and_range(self):
        figure = figures.figure("a", "1/s", [3.0, 1.0, 2.0, 10.0])
        self.assertEqual((figure["median"], figure["min"], figure["max"], figure["runs"]),
                         (2.5, 1.0, 10.0, 4))

    def test_newer_and_other_files_are_refused(self):
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "a.json"
            for content in ({"schema": "park.figures", "version": 2}, {"schema": "other"}):
                path.write_text(json.dumps(content), encoding="utf-8")
                with self.assertRaises(SystemExit):
                    figures.read(path)

    def test_a_written_file_is_read_and_printed(self):
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "a.json"
            figures.write(path, "Title", "command", [figures.figure("speed", "1/s", [1234.5])], ["n"])
            section = generate_results.section(path)
        self.assertIn("## Title", section)
        self.assertIn("| speed | 1/s | 1 234 | 1 234 | 1 234 | 1 |", section)

    def test_folded_tables_are_closed(self):
        table = {"title": "Single seeds", "columns": ["a", "b"], "rows": [["c", "d"]]}
        self.assertEqual(generate_results.rows_of(table)[0], "### Single seeds")
        folded = generate_results.rows_of({**table, "folded": True})
        self.assertEqual((folded[1], folded[-2]), ("<summary>Single seeds</summary>", "</details>"))
        self.assertIn("| c | d |", folded)

    def test_every_figure_is_on_the_page_of_what_it_is_about(self):
        texts = generate_results.pages()
        for path in (ROOT / "results").glob("*.json"):
            content = figures.read(path)
            page = texts[ROOT / f"docs/results/{content['page']}.md"]
            self.assertIn(f"## {content['title']}\n", page)
            link = f"(results/{content['page']}.md#{generate_results.anchor(content['title'])})"
            self.assertIn(link, texts[ROOT / "docs/results.md"])

    def test_figures_on_data_of_others_stand_behind_those_on_bundled_data(self):
        for name, page in ((path.name, path.read_text(encoding="utf-8"))
                           for path in (ROOT / "docs/results").glob("*.md")):
            sections = page.split("\n## ")[1:]
            outside = ["It needs [data of others](../data.md)" in section for section in sections]
            self.assertEqual(outside, sorted(outside), name)
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "a.json"
            for note, sets in (("of `fcc-train`", ["fcc-train"]), ("fcc-trains", []),
                               ("workload=build/decima.park)", ["decima-tpch"])):
                figures.write(path, "Title", "command", [], [note])
                self.assertEqual(generate_results.needs(figures.read(path)), sets)

    def test_programs_are_measured_for_the_environment_that_has_their_source(self):
        for path in (ROOT / "tests/envs").glob("*/**/bench_*.cc"):
            self.assertEqual(record_bench.page(path.stem), path.relative_to(ROOT / "tests/envs").parts[0])
        self.assertEqual(record_bench.page("bench_core"), figures.COMMON)

    def test_numbers_have_four_digits(self):
        self.assertEqual([generate_results.number(value) for value in
                          (0, 0.012344, 0.5, 12.345, 1234567, 2e-5, 3.5e9)],
                         ["0", "0.01234", "0.5000", "12.35", "1 234 567", "2.000e-05", "3.500e+09"])

    def test_benchmark_runs_become_figures(self):
        run = {"run_name": "BM_a", "run_type": "iteration", "real_time": 2.0, "time_unit": "ns",
               "items_per_second": 5.0, "name": "BM_a", "iterations": 3, "family_index": 1,
               "per_family_instance_index": 0}
        first = {**run, "run_name": "BM_b", "family_index": 0, "file_bytes": 7.0,
                 "label": "the aim"}
        slow = {**run, "real_time": 4.0}
        mean = {**run, "run_type": "aggregate", "real_time": 100.0}
        figure_list = record_bench.collect([run, slow, mean, first], "")
        found = {figure["name"]: figure for figure in figure_list}
        self.assertEqual(figure_list[0]["name"], "BM_b time")
        self.assertEqual([figure["doc"] for figure in figure_list], ["the aim"] + 4 * [""])
        self.assertEqual(found["BM_b file_bytes"]["unit"], "B")
        self.assertEqual(found["BM_a time"]["median"], 3.0)
        self.assertEqual(found["BM_a items_per_second"]["unit"], "1/s")
        with self.assertRaises(SystemExit):
            record_bench.collect([{**run, "error_occurred": True, "error_message": "no"}], "")
        named = record_bench.collect([run], " (x86-64-v3)")
        self.assertEqual(named[0]["name"], "BM_a time (x86-64-v3)")

    def test_a_program_runs_once_for_each_instruction_set(self):
        sets = record_bench.sets_of("bench_networks")
        self.assertEqual(list(sets)[0], figures.instruction_set())
        self.assertEqual(record_bench.sets_of("bench_core"), {"": {}})


def results_record(version):
    """A suite with a bound; one policy failed in two of its episodes."""
    def result(policy, mean, baseline, episodes=8):
        return {"environment": 0, "policy": policy, "baseline": baseline, "episodes": episodes, "metrics": {
            "time": {"mean": mean, "mean_bootstrap95": [mean - 1, mean + 1], "iqm": mean}}}

    def standing(policy, score, better, to_bound):
        return {"env": "x", "policy": policy, **{
            name: {"value": value, "bootstrap95": [value - 0.1, value + 0.1]}
            for name, value in (("score", score), ("percent_better", better), ("percent_to_bound", to_bound))}}

    record = {
        "version": version, "suite": {"environments": [{"metrics": ["time"], "episodes": 8}], "seed": 1},
        "manifest": {"environments": [{"env": "x", "metrics": [{"name": "time", "unit": "s", "better": "lower"}]}]},
        "results": [result("random", 20.0, True), result("best", 10.0, True), result("mine", 9.0, False, 6)],
        "failures": [{"result": 2, "episodes": 2}],
        "scales": [{"env": "x", "zero": 20.0, "one": 10.0, "one_policy": "best"}]}
    if version > 1:
        record["scales"][0]["bound_policy"] = record["scales"][0]["bound"] = "limit"
        record["standings"] = [standing("random", 0.0, -100.0, -500.0), standing("mine", 1.1, 10.0, 50.0)]
    return record


class ReferenceTables(unittest.TestCase):
    def cells(self, version):
        lines = reference_tables.table(results_record(version), 0)
        return [[cell.strip() for cell in line.strip("|").split("|")] for line in lines]

    def test_percentages_and_intervals_stand_beside_the_score(self):
        head, _, mine, best, random = self.cells(2)
        self.assertEqual(head[4:], ["score", "% better", "% to `limit`"])
        self.assertEqual(mine, ["`mine` + (2 failed)", "9.000", "[8.000, 10.00]", "9.000", "1.100 [1.000, 1.200]",
                                "10.0 [9.9, 10.1]", "50.0 [49.9, 50.1]"])
        self.assertEqual(best[4:], ["-", "-", "-"])
        self.assertEqual(random[4:6], ["0.000 [-0.100, 0.100]", "-100.0 [-100.1, -99.9]"])

    def test_version_1_has_them_from_its_means(self):
        head, _, mine, *_ = self.cells(1)
        self.assertEqual(head[4:], ["score", "% better"])
        self.assertEqual(mine[4:], ["1.100", "10.0"])


class Learning(unittest.TestCase):
    def test_what_a_training_begins_with_is_restored(self):
        with tempfile.TemporaryDirectory() as folder:
            root = Path(folder)
            training = settings.Training("streams", "env", init="batch")
            with mock.patch.object(figures, "ROOT", root), \
                    mock.patch.object(park_runs.subprocess, "run") as run:
                run.return_value.returncode = 0
                measure_learning.train(training, 2)
            words = run.call_args.args[0]
            self.assertEqual(words[words.index("--init") + 1], "runs/batch-2")
            self.assertTrue((root / "runs/batch-2/best/policy.safetensors").is_file())

    def test_a_training_that_is_there_goes_on(self):
        with tempfile.TemporaryDirectory() as folder, mock.patch.object(figures, "ROOT", Path(folder)), \
                mock.patch.object(park_runs.subprocess, "run") as run:
            run.return_value.returncode = 0
            for part, trained in ((None, False), (0.5, False), (1, True)):
                if part is not None:
                    policies.write_json(Path(folder) / "runs/a-1/latest/manifest.json", {"progress": {"part": part}})
                self.assertEqual(park_runs.is_trained("runs/a-1"), trained)
                park_runs.train("runs/a-1", ["train", "env"])  # refuses other settings of a finished one, too
                self.assertEqual(run.call_args.args[0][1:], ["train", "env", *([] if part is None else ["--resume"])])

    def test_a_table_needs_every_seed_trained_to_its_end(self):
        training = settings.Training("streams", "env", seeds=3)
        setting = settings.Setting("title", "env", [training], settings.Heuristics(("fair",)))

        def finish(seed, part):
            run = figures.ROOT / training.run(seed)
            policies.write_json(run / "latest/manifest.json", {"progress": {"part": part}})
            (run / "best").mkdir(exist_ok=True)

        with tempfile.TemporaryDirectory() as folder, \
                mock.patch.object(figures, "ROOT", Path(folder)), \
                mock.patch.object(measure_learning, "park") as park:
            finish(1, 1)
            finish(2, 0.99)
            for table in (measure_learning.comparison, measure_learning.validations):
                with self.assertRaises(SystemExit) as refused:
                    table(setting)
                self.assertIn("runs/streams-2 is not trained to its end", str(refused.exception))
                self.assertIn("runs/streams-3 is absent", str(refused.exception))
            park.assert_not_called()
            finish(2, 1)
            finish(3, 1)
            self.assertEqual(measure_learning.whole([training]),
                             {training: [f"runs/streams-{seed}" for seed in (1, 2, 3)]})

    def test_kept_policies_come_back_as_they_were(self):
        with tempfile.TemporaryDirectory() as folder:
            root = Path(folder)
            points = [{"mean": 2.0}, {"mean": 1.0}, {"mean": 3.0}]
            latest = {"layout": ["a"], "data": [], "host": {"cores": 2}, "progress": 3,
                      "validations": points, "files": ["latest"]}
            best = {**latest, "progress": 2, "validations": points[:2], "files": ["best"]}
            runs = [root / f"runs/{name}" for name in ("a-1", "a-2")]
            for run in runs:
                policies.write_json(run / "latest/manifest.json", latest)
                policies.write_json(run / "best/manifest.json", best)
                (run / "best/policy.safetensors").write_bytes(run.name.encode())
                policies.keep(run, root / "kept")
            self.assertEqual(len(lzma.decompress((root / "kept/policies.jsonl.xz").read_bytes()).splitlines()), 3 + 2)
            for run in runs:
                again = root / "again" / run.name
                self.assertTrue(policies.restore(again, root / "kept"))
                for file in ("latest/manifest.json", "best/manifest.json", "best/policy.safetensors"):
                    self.assertEqual((again / file).read_bytes(), (run / file).read_bytes(), file)
            self.assertFalse(policies.restore(root / "again/a-3", root / "kept"))

    def test_what_is_kept_is_whole_and_small(self):
        kept = policies.entries()
        self.assertGreater(len(kept), 0)
        runs = {training.run(seed) for experiment in settings.experiments().values()
                for training in experiment.setting.trainings for seed in range(1, training.seeds + 1)}
        for name, entry in kept.items():
            self.assertIn(f"runs/{name}", runs)
            weights = policies.weights(entry)
            self.assertEqual(len(weights), entry["best"]["files"][0]["bytes"], name)
        used = {entry["weights"] for entry in kept.values()}
        packed = {path.name for path in policies.FOLDER.glob("*.safetensors.xz")}
        self.assertEqual(packed, {name for name in used if name.endswith(".xz")})
        self.assertLess(sum(path.stat().st_size for path in policies.FOLDER.iterdir()), 2_000_000)

    def test_reference_data_is_named_and_found(self):
        with mock.patch.dict(os.environ, {"PARK_REFERENCE_DATA": "/data"}):
            name, path = next(iter(reference_data.sets().items()))
            self.assertTrue(path.is_relative_to("/data"))
            text = f"env(a={name},b={name}-other,c=1)"
            paths = f"env(a={path},b={name}-other,c=1)"
            self.assertEqual(reference_data.resolved(text), paths)
            self.assertEqual(reference_data.named(paths), text)
            self.assertEqual(reference_data.missing(text), [name])
        page = (ROOT / "docs/data.md").read_text(encoding="utf-8")
        for name in reference_data.sets():
            self.assertIn(f"`{name}`", page)

    def test_every_set_of_reference_data_has_sums(self):
        recorded = record_reference_data.recorded()
        self.assertEqual(list(recorded), list(reference_data.sets()))
        self.assertTrue(all(recorded.values()))
        with mock.patch.dict(os.environ, {"PARK_REFERENCE_DATA": "/nowhere"}):
            text, absent = record_reference_data.whole()  # with the paths of reference_data.txt
        self.assertEqual(text, record_reference_data.LIST.read_text(encoding="utf-8"))
        self.assertEqual(absent, list(recorded))


class Phases(unittest.TestCase):
    def test_overlaps_are_compared_with_what_is_declared(self):
        shared, train_test = {"same": 2}, ("training", "test")
        declared = {("a", *train_test): shared}
        self.assertEqual(phases_test.differences("a", {train_test: shared}, declared), [])
        self.assertEqual(len(phases_test.differences("a", {}, declared)), 1)
        self.assertEqual(len(phases_test.differences("a", {train_test: {"same": 3}}, declared)), 1)
        self.assertEqual(len(phases_test.differences("b", {train_test: shared}, declared)), 1)

    def test_files_are_compared_byte_for_byte(self):
        with tempfile.TemporaryDirectory() as folder:
            for name, text in (("one/a", "x"), ("one/b", "y"), ("two/c", "x"), ("two/d.md", "y")):
                path = Path(folder) / name
                path.parent.mkdir(exist_ok=True)
                path.write_text(text, encoding="utf-8")
            self.assertEqual(phases_test.compared_files(None, Path(folder) / "one", Path(folder) / "two"), {"same": 1})

    def test_every_bundled_folder_is_declared(self):
        inputs, _ = phases_test.declarations()
        self.assertEqual(phases_test.undeclared_folders(inputs), [])
        self.assertTrue(phases_test.undeclared_folders({}))

    def test_inputs_of_reference_data_have_a_check_each(self):
        lists = (ROOT / "tests/repository/CMakeLists.txt").read_text(encoding="utf-8")
        checked = re.search(r"foreach\(inputs bundled ([^)]*)\)", lists).group(1).split()
        inputs, _ = phases_test.declarations()
        self.assertEqual(checked, [name for name, (_, paths) in inputs.items() if phases_test.needed(paths)])


class Sbom(unittest.TestCase):
    def setUp(self):
        uses = [*sbom.cargo(), *sbom.maven(), *sbom.go(), *sbom.python(), *sbom.bundled()]
        self.uses = uses
        self.parts, self.relations = sbom.merged(uses)

    def test_every_source_has_its_parts(self):
        names = {(part.kind, part.name, bool(part.version)) for part in self.parts}
        for expected in (("cargo", "capnp", True), ("maven", "org.zeromq:jeromq", True),
                         ("golang", "github.com/pebbe/zmq4", True), ("pypi", "numpy", False),
                         ("npm", "echarts", True)):
            self.assertIn(expected, names)
        self.assertIn(("park-spark", "PROVIDED_DEPENDENCY_OF",
                       "SPDXRef-maven-org.apache.spark-spark-sql-2.13-4.1.3"), self.relations)

    def test_a_part_without_licence_and_a_licence_without_part_are_refused(self):
        known = {(part.kind, part.name): "MIT" for part in self.parts}
        with mock.patch.object(sbom, "licences", lambda: known):
            self.assertEqual(sbom.licensed(self.parts).keys(), self.parts.keys())
        for wrong in (known | {("deb", "nothing"): "MIT"}, dict(list(known.items())[1:])):
            with mock.patch.object(sbom, "licences", lambda wrong=wrong: wrong), \
                    self.assertRaises(SystemExit):
                sbom.licensed(self.parts)

    def test_differences_are_named(self):
        with mock.patch.object(sbom, "licensed", lambda parts: dict.fromkeys(parts, "MIT")):
            old, new = sbom.document(self.uses), sbom.document(self.uses[1:])
        self.assertEqual(sbom.differences(old, old), [])
        self.assertEqual([line[0] for line in sbom.differences(old, new)], ["-", "-"])


class Scripts(unittest.TestCase):
    def test_every_script_has_a_help_text(self):
        for script in sorted([*SCRIPTS.iterdir(), *EXPERIMENTS.glob("*/*")]):
            if script.suffix not in (".sh", ".py") or not script.stat().st_mode & 0o100:
                continue
            if re.search(r"^import (numpy|torch)\b", script.read_text(encoding="utf-8"), re.MULTILINE):
                continue  # not among what is set up
            done = subprocess.run([script, "--help"], capture_output=True, text=True, check=False)
            self.assertEqual(done.returncode, 0, f"{script.name}: {done.stderr}")
            self.assertIn(script.name, done.stdout)

    def test_unknown_options_are_refused(self):
        for name in ("setup.sh", "test.sh", "demo.sh"):
            done = subprocess.run([SCRIPTS / name, "--nothing"], capture_output=True, text=True,
                                  check=False)
            self.assertEqual(done.returncode, 2, name)
            self.assertIn("--nothing", done.stderr)


if __name__ == "__main__":
    unittest.main()
