#!/usr/bin/env python3
"""Runs one part of the siege (docs/reliability.md): makes what is attacked, then calls park_siege.

    run_siege.py PARK_SIEGE PART [options]

PART is one of
    messages  nearly right messages to servers of environments, of policies and of Spark's family
    servers   every attack on servers
    client    evil servers meet Park's client, or that of --language
    files     damaged records, results, suites, workloads, checkpoints and traces
    runs      signals, full disks and losses of power in trainings and benchmarks

What is not an option here goes to park_siege, such as --full, --seed or --latency. Exit status 0: all
held; 1: something broke; 77: what it needs is not here.
"""

import argparse
import concurrent.futures
import datetime
import json
import os
import shlex
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "scripts"))
import figures  # noqa: E402

SKIPPED = 77
MESSAGES = ("messages-environments", "messages-policies", "messages-spark")
SUITE = {
    "schema": "park.suite", "version": 1, "name": "siege-v1", "summary": "for a siege", "seed": 3,
    "environments": [{"env": "load_balance", "config": {"servers": 3, "jobs": 30}, "episodes": 16,
                      "metrics": ["avg_response_s"], "baselines": ["random", "least_work"],
                      "policies": [], "timeline": []}]}
TRAINING = ("load_balance(servers=3,jobs=100)", "--algo", "a2c(sequences=2,rollouts=2)", "--iterations", "8",
            "--validation-episodes", "4", "--keep-every", "4")


def long_suite(full):
    """A benchmark that takes a second, so that it can be disturbed: optimised in full, else under the sanitizer."""
    return {**SUITE, "environments": [{**SUITE["environments"][0], "episodes": 400 if full else 80,
                                       "config": {"servers": 10, "jobs": 3000}}]}


class Skip(Exception):
    """What a part needs is not here."""


def called(*words, **options):
    """Runs a program that has to succeed."""
    done = subprocess.run([str(word) for word in words], capture_output=True, text=True, timeout=1200,
                          check=False, **options)
    if done.returncode != 0:
        raise RuntimeError(f"{shlex.join(map(str, words))}: status {done.returncode}: {done.stderr}")


class Siege:
    """Calls park_siege and keeps its reports."""

    def __init__(self, program, more):
        self.program = Path(program).resolve()
        self.park = self.program.parent / "park"
        self.more = more
        self.parts = []
        self.held = True

    def __call__(self, *words):
        self.keep(self.played(words))

    def together(self, *targets):
        """Attacks on files side by side, each of which keeps one processor busy."""
        with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
            for part in pool.map(self.played, targets):
                self.keep(part)

    def played(self, words):
        """The report of park_siege."""
        done = subprocess.run([self.program, *map(str, words), *self.more, "--json"], text=True,
                              stdout=subprocess.PIPE, check=False)
        if done.returncode not in (0, 1):
            raise RuntimeError(f"park_siege ended with {done.returncode}")
        return json.loads(done.stdout)

    def keep(self, part):
        self.parts += part["attacks"]
        self.held = self.held and part["held"]
        for attack in part["attacks"]:
            worst = f"{attack['worst_ms']:.0f} ms" if "worst_ms" in attack else "-"
            print(f"{attack['attack']:<28} {attack['count']:>9} {attack['result']:<8} {worst:>9} "
                  f"{attack['seconds']:7.1f} s", *(attack["broke"] or [attack.get("skipped", "")]),
                  sep="\n    " if attack["broke"] else " ", flush=True)


def messages(siege, _work, _arguments):
    siege("--attack", ",".join(MESSAGES))


def servers(siege, _work, _arguments):
    listed = subprocess.run([siege.program, "--list", "tcp://127.0.0.1:1"], capture_output=True,
                            text=True, check=True).stdout
    names = [line.split()[0] for line in listed.splitlines()]
    siege("--attack", ",".join(name for name in names if name not in MESSAGES))


def go_program(work):
    if not shutil.which("go"):
        raise Skip("there is no go; scripts/setup.sh bridge go installs it")
    go = work / "examples/go"
    shutil.copytree(ROOT / "examples/go", go, ignore=shutil.ignore_patterns("park.capnp.go"))
    shutil.copytree(ROOT / "bridge/schema", work / "bridge/schema")
    called("go", "generate", "./...", cwd=go)
    called("go", "build", "-o", work / "conformance", "./conformance", cwd=go)
    return str(work / "conformance")


def conformance_of(language, build, work):
    """The words of a language's conformance program."""
    if language == "go":
        return go_program(work)
    if language == "python":
        found = build / "python/newest"
        words = f"{found} -m park_sdk.conformance"
    elif language == "java":
        os.environ["PARK_JAVA_BUILD"] = str(build / "java")
        found, words = build / "java/park-client.jar", str(ROOT / "bridge/java/conformance.sh")
    else:
        found = build / "rust/debug/examples/conformance"
        words = str(found)
    if not found.exists():
        raise Skip(f"the client for {language} is not built; its own tests do that")
    return words


def client(siege, work, arguments):
    if arguments.language:
        siege("--client", conformance_of(arguments.language, Path(arguments.build).resolve(), work))
        return
    listed = subprocess.run([siege.program, "--list"], capture_output=True, text=True, check=True).stdout
    names = [line.split()[0] for line in listed.splitlines()]
    siege("--attack", ",".join(name for name in names if name.startswith("evil-")))


def made_suite(work, suite):
    path = work / "suite.json"
    path.write_text(json.dumps(suite, indent=1), encoding="utf-8")
    return path


def has_networks(siege, work):
    """Whether this build trains: it has LibTorch."""
    done = subprocess.run([siege.park, "train", *TRAINING, "--out", work / "training"], text=True,
                          capture_output=True, timeout=1200, check=False)
    if done.returncode != 0:
        print(f"without trainings: {done.stderr.strip()}")
    return done.returncode == 0


def files(siege, work, _arguments):
    suite = made_suite(work, SUITE)
    called(siege.park, "bench", suite, "--out", work / "bench")
    targets = [[work / "bench/results.json"], [ROOT / "park/envs/load_balance/golden/load_balance.txt"], [suite],
               [ROOT / "data/workloads/tpch/tpch.park"], [ROOT / "data/traces/cellular-test"]]
    if has_networks(siege, work):  # the longest ones first
        targets = [[ROOT / "data/checkpoints/load_balance-default", "--attack", f"damage-checkpoint{sums}"]
                   for sums in ("-sums", "")] + targets
    siege.together(*targets)


def runs(siege, work, _arguments):
    called(siege.park, "bench", made_suite(work, long_suite("--full" in siege.more)), "--out", work / "bench")
    siege(work / "bench")
    if has_networks(siege, work):
        siege(work / "training")


PARTS = {"messages": messages, "servers": servers, "client": client, "files": files, "runs": runs}


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("program", metavar="PARK_SIEGE")
    parser.add_argument("part", metavar="PART", choices=PARTS)
    parser.add_argument("--language", choices=["python", "java", "rust", "go"])
    parser.add_argument("--build", default="build/dev", help="where the clients were built")
    parser.add_argument("--save", help="write the reports of this part to a file")
    arguments, more = parser.parse_known_args()
    siege = Siege(arguments.program, more)
    with tempfile.TemporaryDirectory(prefix="park-siege-") as folder:
        try:
            PARTS[arguments.part](siege, Path(folder), arguments)
        except Skip as reason:
            print(f"skipped: {reason}")
            return SKIPPED
    if arguments.save:
        part = arguments.part + (f"-{arguments.language}" if arguments.language else "")
        Path(arguments.save).write_text(
            json.dumps({"schema": "park.siege", "version": 1, "part": part, "options": more,
                        "command": "tests/siege/run_siege.py " + shlex.join(sys.argv[1:]),
                        "machine": figures.machine(), "commit": figures.commit(),
                        "date": datetime.date.today().isoformat(), "attacks": siege.parts},
                       indent=1) + "\n", encoding="utf-8")
    return 0 if siege.held else 1


if __name__ == "__main__":
    sys.exit(main())
