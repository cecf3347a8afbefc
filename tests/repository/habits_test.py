#!/usr/bin/env python3
"""The files for editors, containers and pre-commit agree with what the tests check.

    habits_test.py
"""

import json
import re
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
# Those that need a build.
AFTER_A_BUILD = {"scripts/check_labels.py", "scripts/check_binaries.py", "scripts/check_snippets.py",
                 "scripts/check_tidy.sh"}


def text_of(name):
    return (ROOT / name).read_text(encoding="utf-8")


def checks_in(text):
    return set(re.findall(r"scripts/check_\w+\.(?:py|sh)", text))


class Habits(unittest.TestCase):
    """Each file names what is there, and nothing is missing."""

    def test_pre_commit_runs_the_checks_of_the_tests(self):
        tested = checks_in(text_of("tests/repository/CMakeLists.txt")) - AFTER_A_BUILD
        hooks = re.findall(r"^ +entry: (\S+)$", text_of(".pre-commit-config.yaml"), re.MULTILINE)
        self.assertGreater(len(tested), 3)
        self.assertEqual(sorted(hooks), sorted(tested))
        self.assertTrue(all((ROOT / name).is_file() for name in AFTER_A_BUILD))

    def test_contributing_names_the_checks(self):
        text = text_of("CONTRIBUTING.md")
        self.assertEqual(checks_in(text), checks_in(text_of(".pre-commit-config.yaml")))
        loop = text.split("\n\n")[2].splitlines()
        self.assertEqual(len(loop), 5)
        for line in loop:
            program = line.split()[0]
            self.assertTrue(program in ("cmake", "ctest") or (ROOT / program).is_file(), program)

    def test_the_container_installs_groups_that_exist(self):
        container = json.loads(text_of(".devcontainer/devcontainer.json"))
        groups = container["onCreateCommand"].removeprefix("scripts/setup.sh ").split()
        for group in groups:
            self.assertIn(f"\n      {group}) printf", text_of("scripts/setup.sh"))
        self.assertGreater(len(groups), 2)
        presets = [one["name"] for one in json.loads(text_of("CMakePresets.json"))["configurePresets"]]
        self.assertIn(container["postCreateCommand"].removeprefix("cmake --preset "), presets)

    def test_the_editor_has_the_width_of_the_formatter(self):
        width = re.search(r"^ColumnLimit: (\d+)$", text_of(".clang-format"), re.MULTILINE).group(1)
        self.assertIn(f"[*.{{cc,h}}]\nmax_line_length = {width}\n", text_of(".editorconfig"))


if __name__ == "__main__":
    unittest.main()
