#!/usr/bin/env python3
"""Committed figures and networks: by which command, from which tree, and what stood there before."""

import json
import sys
import tempfile
import unittest
from pathlib import Path
from unittest import mock

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "scripts"))

import figures  # noqa: E402
import generate_results  # noqa: E402
import list_figures  # noqa: E402
import trained_policies  # noqa: E402


def publication(commit, command="scripts/a.py", date="2026-11-22"):
    return {"date": date, "commit": commit, "command": command}


class ListOfFigures(unittest.TestCase):
    @mock.patch.object(list_figures, "changed_since", return_value=set())
    def test_every_file_of_figures_is_listed(self, _):
        for path in sorted((ROOT / "results").glob("*.json")):
            one = list_figures.entry(path, [])
            self.assertTrue(one["command"] and one["commit"] and one["date"], path.name)
            self.assertGreater(one["files"], 0, path.name)
            self.assertIn(path.stem, list_figures.line(one))

    def test_a_figure_is_about_what_it_measures(self):
        self.assertEqual(list_figures.subject("bench_core", "platform"), ("park/core",))
        self.assertIn("agents", list_figures.subject("learning_x", "load_balance"))
        self.assertIn("park/envs/load_balance", list_figures.subject("bench_x", "load_balance"))

    def test_a_commit_outside_of_the_history_is_told(self):
        self.assertIsNone(list_figures.changed_since("0" * 12))
        self.assertEqual(list_figures.changed_since("HEAD"), set())

    def facts(self, commit, publications, command="scripts/a.py"):
        with tempfile.TemporaryDirectory() as folder, \
                mock.patch.object(list_figures, "RESULTS", Path(folder)):
            path = Path(folder) / "a.json"
            path.write_text(json.dumps({"schema": "park.figures", **publication(commit, command)}),
                            encoding="utf-8")
            return list_figures.facts(path, publications)

    def test_what_is_to_be_said_of_a_file(self):
        self.assertEqual(list_figures.state(self.facts("c1", [publication("c1")])), [])
        self.assertEqual(list_figures.state(self.facts("c1+changes", [])), ["tree had changes"])
        self.assertEqual(list_figures.state(self.facts("c2-dirty", [publication("c1")])),
                         ["tree had changes", "made again"])
        self.assertEqual(list_figures.state(self.facts("c3", [publication(c) for c in ("c1", "c2", "c3")])),
                         ["made again, 2 times"])
        self.assertEqual(list_figures.state(self.facts("c1", [publication("c1")], "other/a.py")),
                         ["made by scripts/a.py, which has moved since"])
        self.assertEqual(list_figures.state(self.facts("", [])), ["its file names no commit"])

    def test_publications_are_added_once(self):
        first, second = publication("c1"), publication("c2")
        self.assertEqual(list_figures.added([first], [first, second, second]), [first, second])

    def test_publications_are_read_as_they_were_written(self):
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "publications.jsonl"
            found = {"a": [publication("c1"), publication("c2")], "bench/b": [publication("c3")]}
            with mock.patch.object(list_figures, "PUBLICATIONS", path):
                list_figures.record(found)
            self.assertEqual(list_figures.published(path), found)

    def test_the_page_names_every_file_and_every_network(self):
        page = generate_results.pages()[ROOT / "docs/results.md"]
        for path in list_figures.paths():
            self.assertIn(f"| `{list_figures.name_of(path)}` |", page)
        for name in trained_policies.manifests():
            self.assertIn(f"| {name} |", page)


class Commands(unittest.TestCase):
    def test_a_command_is_that_of_the_process(self):
        words = [str(ROOT / "scripts/a.py"), "--rounds", "3", str(ROOT / "results/b.json"), "/tmp/x", "../sim", "a b"]
        with mock.patch.object(sys, "argv", words):
            self.assertEqual(figures.command({"../sim": "PATH_TO_SIM"}),
                             "scripts/a.py --rounds 3 results/b.json PATH PATH_TO_SIM 'a b'")


class Trainings(unittest.TestCase):
    def test_what_hinders_a_repetition(self):
        manifest = {"settings": {"iterations": 5, "budget_s": 60, "init": "", "network": "mlp"},
                    "host": {"commit": "c1"}, "progress": {"iteration": 5}, "command": ["park", "train", "env"]}
        self.assertEqual(trained_policies.hindrances(manifest), [])
        manifest["host"]["commit"] = "c1-dirty"
        manifest["progress"]["iteration"] = 4
        manifest["command"] = ["park", "train", "--resume"]
        manifest["settings"] |= {"init": "runs/a-1", "network": "park(hidden1=64)"}
        self.assertEqual(len(trained_policies.hindrances(manifest)), 5)

    def test_every_network_has_the_settings_that_began_it(self):
        found = trained_policies.manifests()
        self.assertGreater(len(found), 6)
        for name, manifest in found.items():
            self.assertTrue(manifest["command"][:2] == ["park", "train"] and manifest["settings"]["env"], name)


if __name__ == "__main__":
    unittest.main()
