#!/usr/bin/env python3
"""The command with classes of Python as plug-ins: each is served by a process of its own.

    plugin_test.py PARK PYTHON [--full]

PYTHON has the package park_sdk.
With --full what takes longer: a process of Python starts for each command.
"""

import contextlib
import json
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import unittest
import zipfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
CLASSES = [*(ROOT / "bridge/python/tests/plugins").glob("*.py"),
           ROOT / "bridge/python/examples/clinic.py"]
LIMIT_S = 200  # the machine may be busy
SKIPPED = 77
# Of a package with a plug-in, as its wheel has them.
PACKAGE = {
    "clinic_package-1.2.dist-info/METADATA":
        "Metadata-Version: 2.1\nName: clinic_package\nVersion: 1.2\n",
    "clinic_package-1.2.dist-info/WHEEL":
        "Wheel-Version: 1.0\nGenerator: a test\nRoot-Is-Purelib: true\nTag: py3-none-any\n",
    "clinic_package-1.2.dist-info/entry_points.txt":
        "[park.envs]\nclinic = clinic_of_a_package:Clinic\n",
}


def processes(folder):
    """The processes that serve plug-ins with this folder for temporary files."""
    found = []
    for entry in Path("/proc").glob("[0-9]*"):
        with contextlib.suppress(OSError):
            if (b"park_sdk.plugin_server" in (entry / "cmdline").read_bytes()
                    and f"TMPDIR={folder}".encode() in (entry / "environ").read_bytes()):
                found.append(int(entry.name))
    return found


class WithPark(unittest.TestCase):
    """The command, in a folder of its own, which has the classes and temporary files."""

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = self.working = Path(folder.name)
        for module in CLASSES:
            shutil.copy(module, self.folder)

    def start(self, *words, **variables):
        """A command that runs."""
        environment = {**os.environ, "PARK_PYTHON": PYTHON, "TMPDIR": str(self.folder),
                       **variables}
        process = subprocess.Popen([PARK, *words], text=True, stdout=subprocess.PIPE,
                                   stderr=subprocess.PIPE, env=environment, cwd=self.working)
        self.addCleanup(process.communicate)
        self.addCleanup(process.kill)
        return process

    def park(self, *words, **variables):
        """What a command prints."""
        process = self.start(*words, **variables)
        out, err = process.communicate(timeout=LIMIT_S)
        self.assertEqual(process.returncode, 0, err)
        self.left_nothing()
        return out

    def refused(self, code, *words, **variables):
        """The one line of a command that ends with this code."""
        process = self.start(*words, **variables)
        _, err = process.communicate(timeout=LIMIT_S)
        self.assertEqual(process.returncode, code, err)
        self.left_nothing()
        lines = [line for line in err.splitlines() if "rror: " in line]
        self.assertEqual(len(lines), 1, err)
        return lines[0]

    def run_of(self, name, **variables):
        """The one line of a run that fails, of a class by its name in Park."""
        return self.refused(1, "run", name, "--plugin", f"ward:{name.title().replace('_', '')}",
                            "--policy", "random", "--episodes", "1", "--quiet", **variables)

    def left_nothing(self):
        """Neither processes nor files, after the second that an orderly end may take."""
        until = time.monotonic() + 20
        left = [*processes(self.folder), *self.folder.glob("park-plugin-*")]
        while left and time.monotonic() < until:
            time.sleep(0.05)
            left = [*processes(self.folder), *self.folder.glob("park-plugin-*")]
        self.assertEqual(left, [])


class Environments(WithPark):
    def test_it_is_described(self):
        told = json.loads(self.park("describe", "ward(patients=4)", "--plugin", "ward:Ward",
                                    "--json"))
        self.assertEqual((told["name"], told["version"]), ("ward", 3))
        fields = {f["name"]: f for f in told["config"]}
        self.assertEqual(fields["gap_s"]["unit"], "s")
        self.assertEqual(list(fields), ["patients", "wings", "rule", "gap_s", "tired"])

    def test_it_plays_as_it_does_in_python(self):
        out = self.park("run", "ward(patients=5)", "--plugin", "ward:Ward", "--plugin",
                        "ward:FirstAllowed", "--policy", "random,first_allowed(calm=1)",
                        "--episodes", "6", "--seed", "3", "--json", "--quiet")
        there = [r["metrics"]["care_s"]["mean"] for r in json.loads(out)["results"]]
        program = (
            "import json, ward, park_sdk\n"
            "found = []\n"
            "for policy in ('random', 'first_allowed(calm=1)'):\n"
            "    episodes = park_sdk.Episodes.of_run(seed=3, count=6)\n"
            "    with park_sdk.Stream('ward(patients=5)', episodes) as stream:\n"
            "        t = park_sdk.record(stream, park_sdk.Policy(policy, stream.spec, seed=3))\n"
            "    found.append(t.episodes['metric.care_s'].mean())\n"
            "print(json.dumps(found))\n")
        done = subprocess.run([PYTHON, "-c", program], cwd=self.folder, check=True,
                              capture_output=True, text=True, timeout=LIMIT_S)
        for one, other in zip(there, json.loads(done.stdout), strict=True):
            self.assertAlmostEqual(one, other, places=9)


class Ends(WithPark):
    def playing(self):
        """A command in the middle of its work, and the process that serves it."""
        process = self.start("run", "ward(patients=1000)", "--plugin", "ward:Ward", "--policy",
                             "random", "--episodes", "100000", "--quiet")
        until = time.monotonic() + LIMIT_S
        while time.monotonic() < until:
            self.assertIsNone(process.poll())
            if list(self.folder.glob("park-plugin-*/socket")):
                time.sleep(0.5)
                (served,) = processes(self.folder)
                return process, served
            time.sleep(0.05)
        return self.fail("nothing is served")

    def test_its_folder_is_private_and_a_killed_park_leaves_nothing(self):
        process, _ = self.playing()
        (folder,) = self.folder.glob("park-plugin-*")
        self.assertEqual(folder.stat().st_mode & 0o777, 0o700)
        process.kill()
        process.wait(LIMIT_S)
        self.left_nothing()

    def test_an_end_is_one_line_with_the_last_of_its_output(self):
        line = self.run_of("dies")
        self.assertIn("ward:Dies: its process ended with status 7; the last line of its output: "
                      "no more power", line)


class Full(Ends):
    def test_ctrl_c_leaves_nothing(self):
        process, _ = self.playing()
        process.send_signal(signal.SIGINT)
        process.wait(LIMIT_S)
        self.left_nothing()

    def test_killed_it_is_one_line(self):
        process, served = self.playing()
        os.kill(served, signal.SIGKILL)
        begin = time.monotonic()
        _, err = process.communicate(timeout=LIMIT_S)
        self.assertLess(time.monotonic() - begin, 10)
        self.assertEqual(process.returncode, 1)
        self.assertIn("ward:Ward: its process was ended by signal 9", err)
        self.left_nothing()

    def test_a_silence_is_one_line_with_the_last_of_its_output(self):
        line = self.run_of("hangs", PARK_PYTHON_TIMEOUT_S="15")
        self.assertIn("ward:Hangs: no reply from its process; the last line of its output: going "
                      "to sleep in time", line)

    def test_what_it_raises_is_one_line(self):
        line = self.run_of("throws_in_reset")
        self.assertIn("ward:ThrowsInReset: ValueError: the pump is stuck (", line)
        self.assertIn("ward.py:", line)

    def test_what_cannot_be_loaded_is_one_line(self):
        for text, why in (
                ("ward:Wart", "ward has no Wart; its plug-ins are Ward, FirstAllowed"),
                ("no_ward:Ward", "No module named 'no_ward'"),
                ("broken_import:X", "No module named 'no_such_package_of_park'"),
                ("ward:NamedAsAnother", "name: environment 'load_balance' is there already")):
            line = self.refused(2, "envs", "--plugin", text)
            self.assertIn(f"{text}: ", line)
            self.assertIn(why, line)

    def test_python_that_is_not_there_is_one_line(self):
        line = self.refused(2, "envs", "--plugin", "ward:Ward", PARK_PYTHON="/no/python")
        self.assertIn("ward:Ward: /no/python cannot be started; PARK_PYTHON names an interpreter",
                      line)
        bare = self.working / "bare"
        bare.write_text(f'#!/bin/sh\nexec {PYTHON} -I -S "$@"\n', encoding="utf-8")
        bare.chmod(0o755)
        line = self.refused(2, "envs", "--plugin", "ward:Ward", PARK_PYTHON=str(bare))
        self.assertIn(f"ward:Ward: {bare} has no park_sdk (docs/python.md); PARK_PYTHON names an "
                      "interpreter", line)
        line = self.refused(2, "envs", "--plugin", "ward:Ward", PARK_PYTHON_TIMEOUT_S="soon")
        self.assertIn('PARK_PYTHON_TIMEOUT_S: "soon"; allowed are 0.001 to 86400 seconds', line)

    def test_a_start_that_takes_too_long_is_one_line(self):
        line = self.refused(2, "envs", "--plugin", "slow_import:X", PARK_PYTHON_TIMEOUT_S="8")
        self.assertIn("slow_import:X: is not ready within 8 s", line)

    def test_a_bad_field_is_named(self):
        line = self.refused(2, "run", "ward(patients=0)", "--plugin", "ward:Ward", "--policy",
                            "random")
        self.assertIn("patients = 0", line)
        line = self.refused(2, "run", "ward(wings=[9,9,9])", "--plugin", "ward:Ward", "--policy",
                            "random")
        self.assertIn("ward:Ward: wings = [9, 9, 9]: the sum is 27; allowed are 20", line)

    def test_it_is_listed_and_served_on(self):
        listed = json.loads(self.park("envs", "--plugin", "ward:Ward", "--json"))
        self.assertIn("ward", [e["name"] for e in listed["environments"]])
        endpoint = self.folder / "endpoint"
        server = self.start("serve", "ward(patients=3)", "--plugin", "ward:Ward", "--endpoint-file",
                            str(endpoint), "--token", "--quiet")
        while not endpoint.exists():
            self.assertIsNone(server.poll())
            time.sleep(0.05)
        client = self.start("run", f'remote(endpoint="{endpoint}")', "--policy", "random",
                            "--episodes", "3", "--json", "--quiet")
        out, err = client.communicate(timeout=LIMIT_S)
        self.assertEqual(client.returncode, 0, err)
        self.assertEqual(json.loads(out)["results"][0]["metrics"]["done"]["mean"], 3)
        server.send_signal(signal.SIGINT)
        server.wait(LIMIT_S)
        self.left_nothing()

    def test_all_properties_hold(self):
        for env, plugin in (("ward(patients=4)", "ward:Ward"), ("clinic", "clinic:Clinic")):
            told = json.loads(self.park("check", env, "--plugin", plugin, "--json", "--quiet"))
            results = {p["name"]: p["result"] for p in told["properties"]}
            self.assertNotIn("violated", results.values(), results)
            self.assertEqual(results["repeats_itself"], "ok")
            self.assertEqual(results["horizon_only_cuts"], "ok")

    def test_it_trains_and_is_compared(self):
        words = ("clinic(patients=8)", "--plugin", "clinic:Clinic")
        if "agents" in self.park("--version"):
            self.park("train", *words, "--algo", "ppo(sequences=2,rollouts=1,epochs=1)",
                      "--baseline", "value", "--iterations", "1", "--validation-episodes", "2", "--out", "run", "--quiet")
            out = self.park("run", *words, "--plugin", "clinic:ShortestWork", "--policy",
                            "random,shortest_work,run", "--episodes", "20", "--json", "--quiet")
            random, shortest, trained = json.loads(out)["results"]
            self.assertLess(shortest["metrics"]["avg_wait_s"]["mean"],
                            random["metrics"]["avg_wait_s"]["mean"])
            self.assertGreater(trained["metrics"]["avg_wait_s"]["mean"], 0)

    def test_a_package_announces_it(self):
        wheel = self.folder / "clinic_package-1.2-py3-none-any.whl"
        installed = self.folder / "installed"
        files = {"clinic_of_a_package.py": (self.folder / "clinic.py").read_text(), **PACKAGE}
        record = "clinic_package-1.2.dist-info/RECORD"
        with zipfile.ZipFile(wheel, "w") as archive:
            for name, text in {**files, record: "".join(f"{n},,\n" for n in files)}.items():
                archive.writestr(name, text)
        subprocess.run([PYTHON, "-m", "pip", "install", "--quiet", "--no-deps", "--no-index",
                        "--target", str(installed), str(wheel)], check=True, timeout=LIMIT_S)
        self.working = installed
        out = self.park("run", "clinic", "--plugin", "park.envs:clinic", "--policy", "random",
                        "--episodes", "2", "--json", "--quiet")
        self.assertIn("avg_wait_s", out)


if __name__ == "__main__":
    PARK, PYTHON = sys.argv.pop(1), sys.argv.pop(1)
    if subprocess.run([PYTHON, "-c", ""], check=False).returncode == SKIPPED:  # says why
        sys.exit(SKIPPED)
    if "--full" in sys.argv:
        sys.argv = [sys.argv[0], "Full"]
    else:
        sys.argv += ["Environments", "Ends"]
    unittest.main()
