#!/usr/bin/python3
"""Pages of trees and of distillations in a browser.

    tests/web/distill_page_test.py BUILD_FOLDER [TEST...]
"""

import json
import sys
from pathlib import Path

import page_case
from page_case import PageCase

ENV = "load_balance(servers=3,jobs=40)"


class Distill(PageCase):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.figures = json.loads(cls.park(
            "distill", ENV, "--teacher", "least_work", "--leaves", "6", "--rounds", "2", "--episodes", "4",
            "--validation-episodes", "4", "--test-episodes", "6", "--against", "shortest_queue",
            "--out", cls.path("my.tree"), "--report", cls.path("report.html"), "--json", "--quiet"))
        cls.park("distill", "export", cls.path("my.tree"), "--to", "html", "--out", cls.path("tree.html"))
        cls.tree = json.loads(cls.park("distill", "export", cls.path("my.tree"), "--to", "json"))

    def leaves(self, node):
        return [node] if "leaf" in node else self.leaves(node["yes"]) + self.leaves(node["no"])

    def assert_tree(self):
        level = self.tree["heads"][0]["levels"][0]
        leaves = self.leaves(level["trees"][0])
        self.assertEqual(len(self.texts("#tree .leaf")), len(leaves))
        first = self.text("#leaf-1")
        self.assertIn(f"{leaves[0]['chosen']} of {leaves[0]['samples']}", first)
        self.assertIn(level["trees"][0]["feature"], self.text("#tree summary"))

    def test_a_tree_alone(self):
        self.open(self.path("tree.html"))
        self.assert_contained(self.path("tree.html"))
        self.assertEqual(self.text("#title"), "Tree of load_balance")
        self.assert_tree()
        self.js("document.querySelector('#tree summary').click()")
        self.assertFalse(self.js("return document.querySelector('#tree details').open"))

    def test_a_formula(self):
        formula = "depot.free / owners#count + 0.5"
        Path(self.path("formula.tree")).write_text(
            f"park-tree 1\nenv depot layout 0123456789abcdef\nhead share\n  value = {formula}\n", encoding="utf-8")
        self.park("distill", "export", self.path("formula.tree"), "--to", "html", "--out", self.path("formula.html"))
        self.open(self.path("formula.html"))
        self.assertEqual(self.texts("#tree code"), [formula])

    def test_a_report(self):
        self.open(self.path("report.html"))
        self.assert_contained(self.path("report.html"))
        self.assert_tree()
        rows = self.texts("#comparison tbody tr td:first-child")
        self.assertEqual(rows, [one["policy"] for one in self.figures["comparison"]["policies"]])
        self.assertIn("per decision", " ".join(self.texts("#comparison thead th")))
        self.assertIn("nothing to mix", self.text("#ablation"))
        self.assertEqual(len(self.texts("#agreement tbody tr")), 6)
        self.assertEqual(sorted(self.js("return park.figures.map((figure) => figure.name)")), ["rounds", "sizes"])
        self.assertEqual(len(self.figures["sizes"]), 5)
        self.picture("distill-light")
        self.browser.dark(True)
        self.picture("distill-dark")
        self.browser.size(480, 900)
        self.js("return new Promise((done) => setTimeout(done, 300))")
        self.assert_fits(480)

    def test_whose_choice(self):
        figures = json.loads(self.park(
            "distill", "dag_scheduling(executors=6,jobs=4)", "--teacher", "dag_scheduling-batch-tree", "--leaves", "6",
            "--rounds", "1", "--episodes", "2", "--validation-episodes", "2", "--test-episodes", "3",
            "--out", self.path("two.tree"), "--report", self.path("two.html"), "--json", "--quiet"))
        self.open(self.path("two.html"))
        self.assertEqual(self.texts("#ablation tbody tr td:first-child"),
                         [one["student_head"] for one in figures["ablation"]])
        self.picture("distill-heads")


if __name__ == "__main__":
    sys.exit(page_case.main())
