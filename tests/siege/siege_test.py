#!/usr/bin/env python3
"""park_siege notices what it is for, says what is wrong with a call, and holds where nothing is wrong.

    siege_test.py PARK_SIEGE
"""

import contextlib
import json
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
PROGRAM = Path(sys.argv.pop(1)).resolve()
PARK = PROGRAM.parent / "park"
RECORD = ROOT / "park/envs/load_balance/golden/load_balance.txt"
ENV = "load_balance(servers=3,jobs=20)"


def siege(*words):
    return subprocess.run([PROGRAM, *map(str, words)], capture_output=True, text=True, timeout=240,
                          check=False)


@contextlib.contextmanager
def evil(name):
    """The endpoint of an evil server."""
    with subprocess.Popen([PROGRAM, "--serve", name], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                          text=True) as server:
        word, endpoint = server.stdout.readline().split()
        assert word == "ready"
        yield endpoint
        server.stdin.close()
        server.wait(timeout=60)


class Calls(unittest.TestCase):
    def refused(self, *words):
        done = siege(*words)
        self.assertEqual(done.returncode, 2, done.stdout)
        self.assertEqual(done.stderr.count("\n"), 1, done.stderr)
        return done.stderr

    def test_help_and_list(self):
        self.assertIn("usage: park_siege", siege("--help").stdout)
        lines = siege("--list").stdout.splitlines()
        names = [line.split()[0] for line in lines]
        self.assertEqual(len(set(names)), len(names))
        self.assertTrue({"messages-policies", "evil-metrics-nan", "damage-record", "signals"} <= set(names))

    def test_wrong_calls_are_refused_in_one_line(self):
        self.assertIn("--nope", self.refused("--nope", "1"))
        self.assertIn("--list", self.refused("--attack", "nope"))
        self.assertIn("--count", self.refused("--count", "many"))
        self.assertIn("--count", self.refused("--count", "-1"))
        self.assertIn("evil-NAME", self.refused("--serve", "nope"))
        self.assertIn("allowed are tcp", self.refused("http://localhost"))
        self.assertIn("/nowhere", self.refused("/nowhere/file"))
        self.assertIn("is no record", self.refused(Path(__file__)))
        self.assertIn("signals", self.refused(RECORD, "--attack", "signals"))
        self.refused("tcp://127.0.0.1:1", "--attack", "hellos")


class Notices(unittest.TestCase):
    """Planted faults: a siege that breaks nothing would be worth nothing."""

    def test_a_client_that_believes_everything(self):
        done = siege("--client", "true", "--attack", "evil-honest,evil-metrics-nan", "--json")
        self.assertEqual(done.returncode, 1)
        result = {report["attack"]: report["result"] for report in json.loads(done.stdout)["attacks"]}
        self.assertEqual(result, {"evil-honest": "held", "evil-metrics-nan": "broke"})

    def test_a_client_that_refuses_everything(self):
        done = siege("--client", "false", "--attack", "evil-honest")
        self.assertEqual(done.returncode, 1, done.stdout)

    def test_a_server_that_is_untrue_to_the_canary(self):
        with evil("reply-other") as endpoint:
            self.assertIn("canary", siege(endpoint, "--attack", "hellos-odd").stderr)

    def test_a_reader_that_takes_everything(self):
        with tempfile.TemporaryDirectory() as folder:
            reader = Path(folder) / "park"
            reader.write_text("#!/bin/sh\nexit 0\n", encoding="utf-8")
            reader.chmod(0o700)
            done = siege(RECORD, "--count", "5", "--park", reader)
        self.assertEqual(done.returncode, 1, done.stdout)
        self.assertIn("too tame", done.stdout)

    def test_a_reader_that_crashes(self):
        with tempfile.TemporaryDirectory() as folder:
            reader, mark = Path(folder) / "park", Path(folder) / "whole"
            reader.write_text(f"#!/bin/sh\nif [ -e {mark} ]; then kill -SEGV $$; fi\ntouch {mark}\n",
                              encoding="utf-8")
            reader.chmod(0o700)
            done = siege(RECORD, "--count", "5", "--park", reader)
        self.assertEqual(done.returncode, 1, done.stdout)
        self.assertIn("crashed: -11", done.stdout)


class Holds(unittest.TestCase):
    def test_the_same_seed_the_same_attack(self):
        counts = []
        for _ in range(2):
            done = siege(RECORD, "--count", "10", "--seed", "7", "--json")
            self.assertEqual(done.returncode, 0, done.stdout)
            counts.append([report["count"] for report in json.loads(done.stdout)["attacks"]])
        self.assertEqual(counts, [[10], [10]])

    def test_an_honest_evil_server_is_played(self):
        with evil("honest") as endpoint:
            done = subprocess.run(
                [PARK, "run", f'remote(endpoint="{endpoint}",env="{ENV}")', "--episodes", "3",
                 "--policy", "random"], capture_output=True, text=True, timeout=60, check=False)
        self.assertEqual(done.returncode, 0, done.stderr)

    def test_a_server_at_an_endpoint(self):
        with tempfile.TemporaryDirectory() as folder:
            told = Path(folder) / "endpoint"
            with subprocess.Popen([PARK, "serve", "--endpoint", f"ipc://{folder}/socket", "--quiet",
                                   "--endpoint-file", told], stdout=subprocess.DEVNULL) as server:
                try:
                    for _ in range(200):
                        if told.exists():
                            break
                        with contextlib.suppress(subprocess.TimeoutExpired):
                            server.wait(timeout=0.05)
                    done = siege(told, "--attack", "messages-odd,spec-shapes", "--count", "50",
                                 "--latency", "1000", "--json")
                finally:
                    server.terminate()
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        result = {report["attack"]: report["result"] for report in json.loads(done.stdout)["attacks"]}
        self.assertEqual(result, {"messages-odd": "held", "spec-shapes": "skipped"})


if __name__ == "__main__":
    unittest.main()
