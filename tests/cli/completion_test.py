#!/usr/bin/env python3
"""Completes command lines in a shell, by the script that `park completion` prints.

    completion_test.py PARK bash|zsh|fish

Exits with 77 where the shell is not installed.
"""

import os
import pty
import re
import select
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import unittest
from pathlib import Path

PARK = Path(sys.argv[1]).resolve()
SHELL = sys.argv[2]
DEADLINE_S = 60
# What a terminal shows less than what it is sent: colours, cursor movements, modes.
ESCAPES = re.compile(r"\x1b(?:\[[0-9;?]*[a-zA-Z]|[=>])|[\x07\x08]")


def environment(folder):
    """One in which this park comes first and no settings of a user count."""
    return {"PATH": f"{PARK.parent}:{os.environ['PATH']}", "HOME": folder, "TERM": "dumb", "LC_ALL": "C.UTF-8",
            **{name: os.environ[name] for name in ("LD_LIBRARY_PATH", "ASAN_OPTIONS", "FPATH") if name in os.environ}}


class Terminal:
    """An interactive shell with keys to press."""

    def __init__(self, command, folder):
        self.pid, self.fd = pty.fork()
        if self.pid == 0:
            os.chdir(folder)
            os.execvpe(command[0], command, environment(folder))
        self.shown = ""

    def expect(self, text):
        """Reads until the text appears."""
        until = time.monotonic() + DEADLINE_S
        while text not in ESCAPES.sub("", self.shown):
            ready, _, _ = select.select([self.fd], [], [], max(0.0, until - time.monotonic()))
            if not ready:
                raise AssertionError(f"no {text!r} in {self.shown!r}")
            self.shown += os.read(self.fd, 65536).decode(errors="replace")

    def press(self, keys, text):
        """Types on an empty line, expects a text, and drops the line."""
        self.shown = ""
        os.write(self.fd, keys.encode())
        self.expect(text)
        os.write(self.fd, b"\x15")

    def close(self):
        os.close(self.fd)
        os.kill(self.pid, signal.SIGKILL)
        os.waitpid(self.pid, 0)


class Completion(unittest.TestCase):
    """What every shell does."""

    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        (Path(self.folder.name) / "golden.txt").write_text("", encoding="utf-8")
        self.script = Path(self.folder.name) / "script"
        self.script.write_text(self.run_command([str(PARK), "completion", SHELL]), encoding="utf-8")

    def tearDown(self):
        self.folder.cleanup()

    def run_command(self, command):
        done = subprocess.run(command, cwd=self.folder.name, env=environment(self.folder.name), text=True,
                              capture_output=True, timeout=DEADLINE_S, check=False)
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        return done.stdout

    def test_the_script_has_no_error(self):
        self.run_command([SHELL, "-n", str(self.script)])

    def check_lines(self, answer):
        """`answer` gives the words that fit in place of the last one of a line."""
        self.assertEqual(sorted(answer("park r")), ["record", "replay", "run"])
        self.assertEqual(answer("park data traces sp"), ["split"])
        self.assertEqual(answer("park run load_b"), ["load_balance"])
        self.assertEqual(answer("park run load_balance --pol"), ["--policy"])
        self.assertIn("least_work", answer("park run load_balance --policy "))
        self.assertNotIn("sjf_cp", answer("park run load_balance --policy "))
        self.assertEqual(answer("park run --phase v"), ["validate"])
        self.assertEqual(answer("park run load_balance --policy random,shortest_q"), ["random,shortest_queue"])
        self.assertEqual(answer("park replay gol"), ["golden.txt"])
        self.assertEqual(answer("park nosuch x"), [])

    def check_keys(self, command, source, quoted_later):
        """Presses keys in a real shell. `quoted_later` is how it writes a word whose quote begins in its middle."""
        terminal = Terminal(command, self.folder.name)
        try:
            os.write(terminal.fd, f"{source}; echo rea''dy\n".encode())
            terminal.expect("ready\r")
            terminal.press("park run load_b\t", "park run load_balance ")
            terminal.press("park run 'load_balance(serv\t8", "park run 'load_balance(servers=8")
            terminal.press("park run load_balance --policy='power_of_d(\t2", quoted_later)
            terminal.press("park run load_balance --phase=val\t", "--phase=validate ")
            terminal.press("park replay gol\t", "park replay golden.txt ")
        finally:
            terminal.close()


class Bash(Completion):
    """Bash, by its variables and in a terminal."""

    def answer(self, words):
        quoted = " ".join("'" + word.replace("'", "'\\''") + "'" for word in words)
        script = (f"source {self.script}; COMP_WORDS=({quoted}); COMP_CWORD={len(words) - 1}; _park; "
                  "printf '%s\\n' \"${COMPREPLY[@]}\"")
        return self.run_command(["bash", "--norc", "--noprofile", "-c", script]).splitlines()

    def test_lines(self):
        self.check_lines(lambda line: [word for word in self.answer(line.split(" ")) if word])

    def test_words_that_bash_parts(self):
        self.assertEqual(self.answer(["park", "run", "--phase", "=", "v"]), ["validate"])
        self.assertEqual(self.answer(["park", "run", "--phase", "="]), ["train", "validate", "evaluate"])
        self.assertEqual(self.answer(["park", "run", "load_balance\\(serv"]), ["load_balance\\(servers="])
        self.assertEqual(self.answer(["park", "run", "'load_balance(sizes=exp"]), ["load_balance(sizes=exponential"])
        self.assertEqual(self.answer(["park", "run", "'load_balance(servers=3)'", "--phase", "v"]), ["validate"])

    def test_keys(self):
        self.check_keys(["bash", "--norc", "--noprofile", "-i"], f"source {self.script}", "'power_of_d(d=2")


class Zsh(Completion):
    """Zsh, in a terminal: its completion needs an editor of lines."""

    def test_keys(self):
        source = f"autoload -U compinit; compinit -u -D; source {self.script}"
        self.check_keys(["zsh", "-f", "-i"], source, "power_of_d\\(d=2")


class Fish(Completion):
    """Fish, which answers for a line without a terminal."""

    def answer(self, line):
        script = f"source {self.script}; complete -C $argv[1]"
        told = self.run_command(["fish", "--no-config", "-c", script, line]).splitlines()
        return [word.split("\t")[0] for word in told]

    def test_lines(self):
        self.check_lines(self.answer)
        self.assertEqual(self.answer("park run 'load_balance(serv"), ["load_balance(servers="])


def main():
    if shutil.which(SHELL) is None:
        print(f"skipped: there is no {SHELL}")
        return 77
    suite = unittest.defaultTestLoader.loadTestsFromTestCase({"bash": Bash, "zsh": Zsh, "fish": Fish}[SHELL])
    return 0 if unittest.TextTestRunner().run(suite).wasSuccessful() else 1


if __name__ == "__main__":
    sys.exit(main())
