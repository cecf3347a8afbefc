#!/usr/bin/env python3
"""An environment that Python serves, in a process that is stopped or killed, under a C++ client.

    served_env_test.py PARK PYTHON

PYTHON has the package park_sdk.
"""

import contextlib
import json
import signal
import subprocess
import sys
import time
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
EXAMPLE = ROOT / "bridge/python/examples/serve_environment.py"
EPISODES = 2000  # of some seconds in all
TIMEOUT_S = 4
SLACK_S = 2
LIMIT_S = 120  # the machine may be busy
SKIPPED = 77


@contextlib.contextmanager
def served():
    """A server of CartPole and its endpoint."""
    server = subprocess.Popen([PYTHON, "-u", EXAMPLE, "--wait"], text=True,
                              stdout=subprocess.PIPE)
    try:
        yield server, server.stdout.readline().split()[-1]
    finally:
        server.kill()
        server.stdout.close()
        server.wait()


def played(process):
    """What each episode gave."""
    out, err = process.communicate(timeout=LIMIT_S)
    if process.returncode != 0:
        raise AssertionError(f"park ended with {process.returncode}: {err}")
    return json.loads(out)["results"][0]["per_episode"]


class ServedEnv(unittest.TestCase):
    def client(self, endpoint):
        """`park run` on what is served there."""
        env = f'remote(endpoint="{endpoint}",timeout_s={TIMEOUT_S})'
        process = subprocess.Popen([PARK, "run", env, "--policy", "random", "--episodes",
                                    str(EPISODES), "--json", "--quiet"], text=True,
                                   stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        self.addCleanup(process.communicate)
        self.addCleanup(process.kill)
        return process

    def playing(self, endpoint):
        """One that is in the middle."""
        process = self.client(endpoint)
        time.sleep(1)
        self.assertIsNone(process.poll(), "it was over too soon")
        return process

    def test_stopped_for_a_second_it_goes_on_where_it_was(self):
        with served() as (_, endpoint):
            expected = played(self.client(endpoint))
        with served() as (server, endpoint):
            process = self.playing(endpoint)
            server.send_signal(signal.SIGSTOP)
            time.sleep(1)
            self.assertIsNone(process.poll(), "it was not stopped")
            server.send_signal(signal.SIGCONT)
            self.assertEqual(played(process), expected)

    def test_killed_it_is_unavailable_within_the_timeout(self):
        with served() as (server, endpoint):
            process = self.playing(endpoint)
            server.kill()
            begin = time.monotonic()
            process.wait(LIMIT_S)
            self.assertLess(time.monotonic() - begin, TIMEOUT_S + SLACK_S)
        self.assertEqual(process.returncode, 1)
        self.assertIn(endpoint, process.stderr.read())


if __name__ == "__main__":
    PARK, PYTHON = sys.argv.pop(1), sys.argv.pop(1)
    if subprocess.run([PYTHON, "-c", ""], check=False).returncode == SKIPPED:  # says why
        sys.exit(SKIPPED)
    unittest.main()
