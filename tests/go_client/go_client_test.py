#!/usr/bin/env python3
"""Builds examples/go and lets it play on a server; what it prints has to be what `park run` says.

    go_client_test.py PARK [FAKE_SERVER]

Exits with 77 where Go or Cap'n Proto's compiler is missing. FAKE_SERVER is the server with a fault
of docs/conformance.md.
"""

import contextlib
import json
import shutil
import subprocess
import sys
import tempfile
import time
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
ENV = "load_balance(servers=4,jobs=50)"
EPISODES = 5
CONFORMANCE = ROOT / "tests/bridge/check_conformance.py"
SKIPPED = 77


def run(*command, **options):
    """The stdout of a command that has to succeed."""
    done = subprocess.run(command, capture_output=True, text=True, timeout=600, **options)
    if done.returncode != 0:
        raise AssertionError(f"{command} ended with {done.returncode}: {done.stderr}")
    return done.stdout


def build(work):
    """Builds a copy, so that nothing is written between the sources."""
    go = work / "examples/go"
    shutil.copytree(ROOT / "examples/go", go, ignore=shutil.ignore_patterns("park.capnp.go"))
    shutil.copytree(ROOT / "bridge/schema", work / "bridge/schema")
    run("go", "generate", "./...", cwd=go)
    unformatted = run("gofmt", "-l", ".", cwd=go)
    if unformatted:
        raise AssertionError(f"gofmt would change {unformatted.split()}")
    run("go", "vet", "./...", cwd=go)
    (work / "bin").mkdir()
    run("go", "build", "-o", work / "bin", "./...", cwd=go)


@contextlib.contextmanager
def served(park, work, endpoint):
    """The endpoint of a server of ENV."""
    told = work / "endpoint"
    told.unlink(missing_ok=True)
    server = subprocess.Popen([park, "serve", ENV, "--endpoint", endpoint, "--endpoint-file", told,
                               "--quiet"], stdout=subprocess.DEVNULL)
    try:
        end = time.monotonic() + 30
        while not told.exists():
            if server.poll() is not None or time.monotonic() > end:
                raise AssertionError("the server did not begin")
            time.sleep(0.01)
        yield json.loads(told.read_text())["endpoint"]
    finally:
        server.terminate()
        server.wait(timeout=30)


def episode_of_run(park, number):
    """An episode of `park run`, as the client takes it: its line in a record has the seeds."""
    record = run(park, "record", ENV, "--policy", "shortest_queue", "--episode", str(number),
                 "--decisions", "1")
    line = next(line for line in record.splitlines() if line.startswith("episode "))
    fields = dict(field.split("=") for field in line.split()[1:])
    return f"{fields['id']}:{fields['inputs']}:{fields['dynamics']}"


class GoClient(unittest.TestCase):
    """PARK and WORK are set by main."""

    def setUp(self):
        # Each test has its own, since a server lets no other user into the folder of its socket.
        folder = tempfile.TemporaryDirectory(dir=WORK)
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)

    def test_metrics_are_those_of_park_run(self):
        expected = json.loads(run(PARK, "run", ENV, "--policy", "shortest_queue", "--episodes",
                                  str(EPISODES), "--json"))["results"][0]["per_episode"]
        episodes = [episode_of_run(PARK, number) for number in range(EPISODES)]
        with served(PARK, self.folder, "tcp://127.0.0.1:*") as endpoint:
            printed = run(WORK / "bin/parkclient", endpoint, ENV, *episodes)
        lines = [line.split() for line in printed.splitlines()]
        played = {row["episode"]: row for row in (dict(zip(w[::2], w[1::2])) for w in lines)}
        self.assertEqual(len(lines), EPISODES)
        for number in range(EPISODES):
            row = played[str(number)]
            self.assertEqual(row["decisions"], "50")
            # The order in which rewards are added up is the client's own.
            self.assertAlmostEqual(float(row["return"]) / expected["reward"][number], 1, places=12)
            for metric in expected.keys() - {"reward"}:
                self.assertEqual(float(row[metric]), expected[metric][number], metric)

    def test_a_rollout_is_the_same_over_every_transport(self):
        found = []
        for endpoint in ("tcp://127.0.0.1:*", f"ipc://{self.folder}/socket"):
            with served(PARK, self.folder, endpoint) as told:
                found.append(run(WORK / "bin/conformance", "rollout", told, ENV))
        self.assertEqual(found[0], found[1])

    def test_a_session_ends_by_the_word(self):
        with served(PARK, self.folder, "tcp://127.0.0.1:*") as endpoint:
            scenario = run(WORK / "bin/conformance", "scenario", endpoint, ENV)
        self.assertEqual(scenario, "done 50\n")

    def test_an_absent_server_is_told(self):
        scenario = run(WORK / "bin/conformance", "scenario", f"ipc://{self.folder}/nobody", ENV)
        self.assertEqual(scenario, "late\n")

    def test_a_wrong_environment_is_told(self):
        with served(PARK, self.folder, "tcp://127.0.0.1:*") as endpoint:
            done = subprocess.run([WORK / "bin/parkclient", endpoint, "dag_scheduling", "0:1:2"], timeout=60,
                                  capture_output=True, text=True, check=False)
        self.assertEqual(done.returncode, 1)
        self.assertIn("this server has load_balance(servers=4,jobs=50) alone", done.stderr)

    def test_hostile_servers_are_told(self):
        """The client's own tests: messages that cannot be, built by hand."""
        run("go", "test", "./...", cwd=WORK / "examples/go")

    def test_conforms(self):
        if not FAKE_SERVER:
            self.skipTest("this build has no server with a fault")
        done = subprocess.run([CONFORMANCE, FAKE_SERVER, WORK / "bin/conformance"], timeout=600,
                              capture_output=True, text=True, check=False)
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)


if __name__ == "__main__":
    for tool in ("go", "capnp"):
        if shutil.which(tool) is None:
            print(f"skipped: there is no {tool}; scripts/setup.sh bridge go installs it")
            sys.exit(SKIPPED)
    PARK = sys.argv.pop(1)
    FAKE_SERVER = sys.argv.pop(1) if len(sys.argv) > 1 else ""
    with tempfile.TemporaryDirectory() as folder:
        WORK = Path(folder)
        build(WORK)
        unittest.main()
