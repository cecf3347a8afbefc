#!/usr/bin/env python3
"""Skipped tests are compared with the list for the machine, and a set-up that fails is a failure."""

import os
import re
import shutil
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path
from unittest import mock

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "scripts"))

import test_results  # noqa: E402
from test_results import Expected, Machine, Skip  # noqa: E402

CASES = {
    "passes": '<testcase name="passes" status="run"><system-out>fine</system-out></testcase>',
    "fails": '<testcase name="fails" status="fail"><failure message=""/></testcase>',
    "is_not_there": '<testcase name="is_not_there" status="notrun"><skipped message="Unable to find '
                    'executable"/></testcase>',
    "skips": '<testcase name="skips" status="notrun"><skipped message="SKIP_RETURN_CODE=77"/>'
             "<system-out>begins\nskipped: there is no tool\n</system-out></testcase>",
    "disabled": '<testcase name="disabled" status="disabled"><system-out>Disabled</system-out></testcase>',
    "shards.2": '<testcase name="shards.2" status="run"><system-out>[       OK ] A.B (1 ms)\n[       OK ] Presets/A.D/2 (1 ms)\na.cc:3: Skipped\n'
                "no such file\n[  SKIPPED ] A.C (0 ms)\n[  SKIPPED ] 1 test, listed below:\n"
                "[  SKIPPED ] A.C\n</system-out></testcase>",
    "of_pytest": '<testcase name="of_pytest" status="run"><system-out>..s\n9 passed, 1 skipped in 2.1s\n'
                 "</system-out></testcase>",
    "of_unittest": '<testcase name="of_unittest" status="run"><system-out>Ran 3 tests in 1s\n\nOK (skipped=1)\n'
                   "</system-out></testcase>",
}


def junit(*names):
    return f'<testsuite name="all" tests="{len(names)}">{"".join(CASES[name] for name in names)}</testsuite>'


class Results(unittest.TestCase):
    def read(self, *names, status=0):
        with tempfile.NamedTemporaryFile("w", suffix=".xml") as file:
            file.write(junit(*names))
            file.flush()
            return test_results.read(file.name, status)

    def test_what_failed_and_what_could_not_begin_has_failed(self):
        self.assertEqual(self.read("passes", "fails", "is_not_there", status=8), (1, 2, []))
        self.assertEqual(self.read("passes", status=8), (1, 1, []), "ctest says that something is wrong")

    def test_skipped_and_disabled_tests_are_found(self):
        self.assertEqual(self.read("skips", "disabled"),
                         (0, 0, [Skip("skips", "skipped: there is no tool"), Skip("disabled", "it is disabled")]))

    def test_what_a_passed_program_skipped_is_found(self):
        passed, failed, skips = self.read("passes", "shards.2", "of_pytest", "of_unittest")
        self.assertEqual((passed, failed), (5, 0))
        self.assertEqual(skips, [Skip("shards.A.C", "no such file"),
                                 Skip("of_pytest", "9 passed, 1 skipped in 2.1s"),
                                 Skip("of_unittest", "OK (skipped=1)")])


class List(unittest.TestCase):
    def test_a_skip_needs_a_line_whose_condition_holds(self):
        lines = [Expected("a.*", "tier quick", "it is slow"), Expected("b", "always", "so it is")]
        skips = [Skip("a.b", "x"), Skip("b", "y"), Skip("c", "z")]
        texts, wrong = test_results.judge(skips, lines, Machine("quick"))
        self.assertEqual(wrong, 1)
        self.assertEqual(texts[:2], ["  skipped: a.b: it is slow", "  skipped: b: so it is"])
        self.assertIn("c: z", texts[2])
        self.assertEqual(test_results.judge(skips, lines, Machine("ci"))[1], 2)

    def test_conditions(self):
        machine = Machine("ci", offline=True)
        for condition in ("always", "offline", "tier ci", "no command no-such-program",
                          "no python module no_such_module", "no instructions nosuchflag",
                          f"descriptors below {10**9}"):
            self.assertTrue(machine.holds(condition), condition)
        for condition in ("tier full", "no command sh", "no python module json", "descriptors below 1",
                          "sanitizer thread"):
            self.assertFalse(machine.holds(condition), condition)
        for condition in ("sometimes", "no data nothing", "tier slow", "descriptors below few"):
            with self.assertRaises(ValueError, msg=condition):
                machine.holds(condition)

    def test_reference_data_is_looked_for(self):
        with tempfile.TemporaryDirectory() as folder, mock.patch.dict(
                os.environ, {"PARK_REFERENCE_DATA": folder}):
            self.assertTrue(Machine().holds("no data decima-tpch"))
            (Path(folder) / "decima-tpch").mkdir()
            self.assertFalse(Machine().holds("no data decima-tpch"))

    def test_a_build_tells_its_sanitizer(self):
        with tempfile.TemporaryDirectory() as folder:
            (Path(folder) / "CMakeCache.txt").write_text("PARK_SANITIZE:STRING=thread\n", encoding="utf-8")
            self.assertTrue(Machine(build=folder).holds("sanitizer thread"))

    def test_every_line_is_about_a_test_that_there_is(self):
        """By its last name, or by that of the folder that adds the check."""
        sources = "".join(path.read_text(encoding="utf-8") for kind in ("*.cc", "CMakeLists.txt")
                          for path in (ROOT / "tests").rglob(kind))
        lines = test_results.expected()
        self.assertGreater(len(lines), 10)
        for line in lines:
            Machine().holds(line.condition)
            self.assertTrue(line.reason, line.test)
            if line.test.startswith("set-up: "):
                continue
            for word in re.findall(r"\w+", line.test.split(".", 1)[-1] if "_test." in line.test else line.test):
                self.assertIn(word, sources, line.test)


class Script(unittest.TestCase):
    """scripts/test.sh with a build and a ctest that do nothing but give these results."""

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.root = Path(folder.name)
        for name in ("scripts/test.sh", "scripts/steps.sh", "scripts/test_results.py",
                     "experiments/reference_data.py", "experiments/reference_data.txt"):
            (self.root / name).parent.mkdir(exist_ok=True)
            shutil.copy(ROOT / name, self.root / name)
        (self.root / "tests").mkdir()
        (self.root / "tests/expected_skips.txt").write_text(
            "skips | tier quick | it has to\nset-up: spark | offline | it is far\n", encoding="utf-8")
        self.program("bin/cmake", "exit 0")
        self.program("scripts/python_packages.sh", "exit 0")
        self.program("scripts/python_sdk.sh", "exit 0")
        self.program("scripts/spark.sh", "exit 0")

    def program(self, name, text):
        path = self.root / name
        path.parent.mkdir(exist_ok=True)
        path.write_text(f"#!/usr/bin/env bash\n{text}\n", encoding="utf-8")
        path.chmod(0o755)

    def run_script(self, *options, cases=("passes",), status=0):
        self.program("bin/ctest", f"""while [[ $1 != --output-junit ]]; do shift; done
cat >"$2" <<'XML'
{junit(*cases)}
XML
exit {status}""")
        environment = {**os.environ, "PATH": f"{self.root / 'bin'}:{os.environ['PATH']}"}
        told = self.root / "told"  # no pipe, which a sleeping process behind the script would hold open
        with told.open("w") as out:
            done = subprocess.run([self.root / "scripts/test.sh", "--no-setup", *options], env=environment,
                                  stdout=out, stderr=out, check=False)
        return done.returncode, told.read_text(encoding="utf-8").splitlines()

    def test_expected_skips_are_shown_with_their_reason(self):
        code, lines = self.run_script("--quick", cases=("passes", "skips"))
        self.assertEqual((code, lines[-1]), (0, "1 passed, 0 failed, 1 skipped"))
        self.assertIn("  skipped: skips: it has to", lines)

    def test_other_skips_are_failures(self):
        for cases, passed in ((("passes", "disabled"), 1), (("shards.2",), 2)):
            code, lines = self.run_script("--quick", cases=cases)
            self.assertEqual((code, lines[-1]), (1, f"{passed} passed, 1 failed, 0 skipped"))

    def test_failures_are_counted(self):
        code, lines = self.run_script("--quick", cases=("passes", "fails"), status=8)
        self.assertEqual((code, lines[-1]), (1, "1 passed, 1 failed, 0 skipped"))

    def test_a_set_up_that_fails_is_a_failure(self):
        self.program("scripts/python_packages.sh", "exit 1")
        code, lines = self.run_script()
        self.assertEqual((code, lines[-1]), (1, "2 passed, 1 failed, 0 skipped"))

    def test_a_set_up_that_cannot_be_done_is_compared_with_the_list(self):
        self.program("scripts/spark.sh", "echo the network; exit 77")
        code, lines = self.run_script()
        self.assertEqual((code, lines[-1]), (1, "2 passed, 1 failed, 0 skipped"))
        code, lines = self.run_script("--offline")
        self.assertEqual((code, lines[-1]), (0, "2 passed, 0 failed, 1 skipped"))
        self.assertIn("  skipped: set-up: spark: it is far", lines)


if __name__ == "__main__":
    unittest.main()
