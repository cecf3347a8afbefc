#!/usr/bin/env python3
"""The parts of the site's scripts: links, the form of an environment's page, contents, references."""

import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT / "scripts/site"), str(ROOT / "scripts")]

import check_links  # noqa: E402
import gallery  # noqa: E402
import links  # noqa: E402
import llms  # noqa: E402
import mould  # noqa: E402
import park_in_figures  # noqa: E402
import python_api  # noqa: E402
import stage  # noqa: E402

SPEC = {"name": "x", "version": 3, "layout_hash": "abc", "traits": {"system": False, "twin": None},
        "action": {"leaves": [{"name": "server"}]}, "observation": {"leaves": [{}, {}], "groups": []},
        "metrics": [{"name": "t_s", "better": "lower"}], "policies": ["p", "q", "r", "s"],
        "policy_info": {"p": {}, "q": {}, "s": {}}}
PAGE = """# x

moves things.

- Reference: A book

## Configuration

c

## Metrics

m

## Policies that fit

p

## The model

How it is.

### What happens

w

### What is left out

l

### References

- A book.
"""


class Links(unittest.TestCase):
    def test_documents_and_sources_get_places(self):
        self.assertEqual(links.place(ROOT, "docs/envs/x.md"), "envs/x.md")
        self.assertEqual(links.place(ROOT, "README.md"), "tree/README.md")
        self.assertEqual(links.place(ROOT, "examples/speed.h"), "tree/examples/speed.h.md")
        self.assertEqual(links.place(ROOT, "docs/envs"), "envs.md")
        self.assertEqual(links.place(ROOT, "examples"), "tree/examples/contents.md")

    def test_targets_change_but_not_in_code(self):
        wanted = set()
        text = "[a](../README.md#b) [c](https://d.org)\n```text\n[a](../README.md)\n```\n"
        self.assertEqual(links.staged(ROOT, "docs/design.md", text, wanted),
                         "[a](tree/README.md#b) [c](https://d.org)\n```text\n[a](../README.md)\n```\n")
        self.assertEqual(wanted, {"README.md"})

    def test_the_name_of_a_link_may_go_over_lines_but_not_over_paragraphs(self):
        self.assertEqual(links.change("[what\n each](a.md#b)\n\n[c\n\nd](e.md)\n", lambda target: target.upper()),
                         "[what\n each](A.MD#B)\n\n[c\n\nd](e.md)\n")

    def test_a_link_to_nothing_ends_the_build(self):
        with self.assertRaises(SystemExit):
            links.staged(ROOT, "docs/design.md", "[a](nothing.md)", set())


class Mould(unittest.TestCase):
    def test_the_parts_come_in_one_order(self):
        text = mould.environment_page("x", PAGE, SPEC, {})
        titles = [line for line in text.splitlines() if line.startswith("## ")]
        self.assertEqual(titles, ["## Spaces", "## Dynamics", "## Metrics", "## Policies", "## Reference results",
                                  "## What is left out", "## References", "## Versions"])
        self.assertIn("| decides | `server` |", text)
        left_out = text[text.index("## What is left out"):text.index("## References")]
        self.assertIn("\nl\n", left_out)
        self.assertNotIn(mould.NO_GAP, text)

    def test_nothing_of_a_page_is_lost(self):
        text = mould.environment_page("x", PAGE + "\n## More\n\nextra\n", SPEC, {})
        for word in ("moves things.", "How it is.", "\nw\n", "\nextra", "A book."):
            self.assertIn(word, text)

    def test_a_page_without_gaps_says_so(self):
        text = mould.environment_page("x", PAGE.replace("What is left out", "More"), SPEC, {})
        self.assertIn(mould.NO_GAP, text)

    def test_timelines_show_heuristics_even_without_a_suite(self):
        self.assertEqual(gallery.choice("no_such_folder", SPEC), ("no_such_folder", ["p", "q", "s"]))


class Contents(unittest.TestCase):
    def test_each_page_stands_once_and_new_ones_stand_last(self):
        with tempfile.TemporaryDirectory() as name:
            folder = Path(name)
            for page in ("index", "envs/x", "results", "results/x", "a_new_page"):
                (folder / page).parent.mkdir(exist_ok=True)
                (folder / f"{page}.md").write_text("# T\n", encoding="utf-8")
            found = stage.contents(folder)
            pages = [page for _, some in found for page in some]
            self.assertEqual(sorted(pages), ["a_new_page", "envs/x", "index", "results", "results/x"])
            self.assertEqual(found[-1][1], ["a_new_page"])

    def test_a_first_sentence_is_found(self):
        self.assertEqual(llms.sentence("# T\n\n- a list\n\n    code\n\nThe [first](x.md) one. Another."), "The first one.")
        self.assertEqual(llms.sentence("# T\n"), "")

    def test_long_tables_are_cut(self):
        table = "| a |\n| --- |\n" + "".join(f"| {k} |\n" for k in range(9))
        self.assertEqual(stage.LONG_TABLE.sub(r"\1", table).count("\n"), 5)


class Figures(unittest.TestCase):
    def test_a_claim_without_a_figure_is_an_error(self):
        with self.assertRaises(SystemExit):
            park_in_figures.figure_of({"file": "startup", "figure": "no such"})

    def test_figures_in_sentences(self):
        for value, text in ((9757238.1, "9.76 million"), (170483.9, "170 000"), (1.00119, "1.001"), (48.04, "48.04")):
            self.assertEqual(park_in_figures.short(value), text)


class Reference(unittest.TestCase):
    def test_every_name_of_the_package_is_there(self):
        text = python_api.pages(ROOT)["python_api.md"]
        for name in ("Stream", "serve_env", "ParkVectorEnv", "sb3.SB3VecEnv"):
            self.assertRegex(text, rf"\{{py:\w+\}} park_sdk\.{name}\b")


class Snippets(unittest.TestCase):
    """Commands of documents are run by check_snippets.py, but those of the other languages by their own tests."""

    ELSEWHERE = {"python.md": "bridge/python/tests/test_docs.py", "rust.md": "tests/rust/run_cargo.py"}

    def test_every_document_with_commands_is_run(self):
        listed = (ROOT / "tests/repository/CMakeLists.txt").read_text(encoding="utf-8")
        for path in (ROOT / "docs").rglob("*.md"):
            if "```sh\n" not in path.read_text(encoding="utf-8"):
                continue
            name = str(path.relative_to(ROOT / "docs"))
            if name in self.ELSEWHERE:
                self.assertTrue((ROOT / self.ELSEWHERE[name]).exists())
            else:
                self.assertTrue(f"docs/{name}" in listed or f"docs/{path.parent.name}/*.md" in listed, name)


class Check(unittest.TestCase):
    def problems(self, html):
        with tempfile.TemporaryDirectory() as name:
            (Path(name) / "a.html").write_text(html, encoding="utf-8")
            return check_links.problems(Path(name).resolve())[0]

    def test_good_links(self):
        self.assertEqual(self.problems('<h1 id="x"></h1><a href="#x">1</a><a href="a.html#x">2</a>'
                                       '<a href="https://a.org">3</a>'), [])

    def test_links_to_nowhere_and_loads_from_elsewhere(self):
        for html in ('<a href="b.html">', '<a href="#y">', '<a href="../a.html">', '<img src="b.png">',
                     '<script src="https://a.org/x.js">', '<link href="//a.org/x.css">'):
            self.assertEqual(len(self.problems(html)), 1, html)

    def test_the_script_asks_for_a_build(self):
        done = subprocess.run([ROOT / "scripts/site.sh", "no-such-folder"], capture_output=True, text=True, check=False)
        self.assertEqual(done.returncode, 2)
        self.assertIn("there is no no-such-folder/bin/park", done.stderr)


if __name__ == "__main__":
    unittest.main()
