#!/usr/bin/env python3
"""Checks a client of the bridge as docs/conformance.md has it.

    check_conformance.py [--serves] FAKE_SERVER CLIENT [WORD...]

FAKE_SERVER is the program park_fake_server; CLIENT and the words after it begin the command of the
client's conformance program. A library that --serves reads what clients send as well. Prints a line
for each check that failed.
"""

import os
import pathlib
import signal
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor

ROOT = pathlib.Path(__file__).resolve().parents[2]
FOLDER = ROOT / "bridge/conformance"
ENV = "load_balance(servers=3,jobs=8)"
SHORT_ENV = "load_balance(servers=3,jobs=4)"  # of five episodes
LONG_ENV = "load_balance(servers=3,jobs=1000)"  # five minutes where each reply is late
DONE = "done 8"
FAULTS = {"none": DONE, "lose": DONE, "repeat": DONE, "delay": DONE, "garbage": DONE, "mute": "late",
          "refuse": "unsupported", "expire": "noSession", "end": "shuttingDown", "small": "tooMuch",
          "fail": "environmentFailed", "curve": "notAllowed", "major": "unsupported",
          "restart": "noSession"}
HARMLESS = ("lose", "repeat", "delay", "garbage")  # change no trajectory
ABSENT = "tcp://127.0.0.1:1"
LIMIT_S = 10  # of a command
INTERRUPT_S = 3  # from Ctrl-C to the end
ATTEMPTS = 6  # the machine may be busy; a client that is slow is slow each time


class Late(Exception):
    """A client took longer than it may."""


class Server:
    """A fake server; `said` is what it found wrong about its client, after the end."""

    def __init__(self, program, fault):
        self.process = subprocess.Popen([program, fault, "tcp://127.0.0.1:*"], text=True,
                                        stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        self.endpoint = self.process.stdout.readline().split()[-1]
        self.said = ""

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.process.stdin.close()
        self.said = self.process.stdout.read()
        self.process.wait(LIMIT_S)


def in_time(check, *arguments):
    """What a check finds, at the latest when the client was late so many times."""
    wrong = []
    for _ in range(ATTEMPTS):
        try:
            return check(*arguments)
        except Late as late:
            wrong = [str(late)]
    return wrong


def said_by(client, *words):
    """What the client prints. Raises Late."""
    try:
        done = subprocess.run([*client, *words], capture_output=True, text=True, timeout=LIMIT_S,
                              check=False)
    except subprocess.TimeoutExpired as error:
        raise Late(f"{' '.join(words):.200}: nothing within {LIMIT_S} s") from error
    if done.returncode != 0:
        return f"exit status {done.returncode}: {done.stderr.strip()[-300:]}"
    return done.stdout


def compare(what, found, expected):
    """A line where two texts differ."""
    return [] if found == expected else [f"{what}: {found!r:.500} instead of {expected!r:.500}"]


def check_vectors(client, folder):
    """Every vector of a folder is read as it is, or rejected."""
    files = sorted(folder.glob("*.bin"))
    found = said_by(client, "decode", *map(str, files)).splitlines()
    expected = (folder / "expected.txt").read_text(encoding="utf-8").splitlines()
    if len(found) != len(expected):
        return [f"decode: {len(found)} lines, {len(expected)} expected: {found[:3]!r:.500}"]
    return [line for f, e in zip(found, expected) for line in compare("decode", f, e)]


def check_rollout(server, client, fault, env, digest):
    """A rollout has the hash that it has in every language, whatever happens on the way."""
    with Server(server, fault) as serving:
        found = said_by(client, "rollout", serving.endpoint, env).strip()
    return [f"rollout {env}, {fault}: {line}"
            for line in compare("hash", found, digest) + serving.said.splitlines()]


def check_fault(server, client, fault):
    """A fault is told as it should be, and the client keeps to the protocol."""
    with Server(server, fault) as serving:
        found = said_by(client, "scenario", serving.endpoint, ENV).strip()
    if found == "late" != FAULTS[fault]:
        raise Late(f"scenario {fault}: 'late' instead of {FAULTS[fault]!r}")
    wrong = compare(f"scenario {fault}", found, FAULTS[fault])
    return wrong + [f"scenario {fault}: {line}" for line in serving.said.splitlines()]


def check_interrupt(server, client):
    """Ctrl-C ends a client that waits for replies."""
    with Server(server, "delay") as serving:
        command = [*client, "scenario", serving.endpoint, LONG_ENV]
        with subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
                              start_new_session=True) as process:
            time.sleep(3)
            if process.poll() is not None:
                return [f"interrupt: ended before it, exit status {process.returncode}"]
            os.killpg(process.pid, signal.SIGINT)
            try:
                process.wait(INTERRUPT_S)
            except subprocess.TimeoutExpired as error:
                os.killpg(process.pid, signal.SIGKILL)
                raise Late(f"interrupt: goes on for {INTERRUPT_S} s") from error
    return compare("interrupt", process.returncode != 0, True)


def check_absent(client):
    """A client waits no longer than its deadline for a server that is not there."""
    return compare("scenario absent", said_by(client, "scenario", ABSENT, ENV).strip(), "late")


def rollouts():
    """Lines "digest environment" of what a client plays, from the folders of the environments."""
    return [line for file in sorted(ROOT.glob("park/envs/*/golden/rollouts.hashes"))
            for line in file.read_text(encoding="utf-8").splitlines()]


def checks(server, client, serves):
    """Functions and their arguments."""
    yield check_vectors, client, FOLDER / "vectors"
    if serves:
        yield check_vectors, client, FOLDER / "vectors/requests"
    yield check_interrupt, server, client
    yield check_absent, client
    for fault in FAULTS:
        yield check_fault, server, client, fault
    digests = {}
    for line in rollouts():
        digest, env = line.split(maxsplit=1)
        digests[env] = digest
        yield check_rollout, server, client, "none", env, digest
    for fault in HARMLESS:
        yield check_rollout, server, client, fault, SHORT_ENV, digests[SHORT_ENV]


def main():
    words = sys.argv[1:]
    serves = words[:1] == ["--serves"]
    server, *client = words[serves:] or [""]
    if not client:
        print(__doc__, file=sys.stderr)
        return 2
    signal.signal(signal.SIGINT, signal.default_int_handler)  # clients of a shell's job ignore it
    with ThreadPoolExecutor(4) as pool:  # they wait more than they work
        found = [pool.submit(in_time, *check) for check in checks(server, client, serves)]
        wrong = [line for check in found for line in check.result()]
    for line in wrong:
        print(line)
    print(f"{len(found)} checks, {len(wrong)} failures")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
