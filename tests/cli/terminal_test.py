#!/usr/bin/env python3
"""What the command line writes to a terminal, and to what is none.

    terminal_test.py PARK

No colour, with NO_COLOR (https://no-color.org) or without it; a status line that is redrawn where the terminal
can do that; no escape sequence at all on a dumb terminal or in a file.
"""

import os
import pty
import re
import subprocess
import sys
import unittest

PARK = sys.argv.pop(1)
RUN = [PARK, "run", "load_balance(jobs=100)", "--policy", "random,least_work", "--episodes", "2000000"]
REFUSED = [PARK, "run", "nosuch", "--policy", "random"]
COLOUR = re.compile(rb"\x1b\[[0-9;]*m")
REDRAWN = b"\r\x1b[K"


def environment(**more):
    """This one, with a terminal and colours as given."""
    kept = {name: text for name, text in os.environ.items()
            if name not in ("TERM", "NO_COLOR", "CLICOLOR_FORCE", "FORCE_COLOR")}
    return {**kept, **more}


def on_terminal(command, until, **more):
    """All that it writes to a terminal; interrupted once `until` has appeared."""
    ours, theirs = pty.openpty()
    with subprocess.Popen(command, env=environment(**more), stdin=theirs, stdout=theirs, stderr=theirs) as park:
        os.close(theirs)
        shown, asked = b"", False
        while True:
            try:
                some = os.read(ours, 65536)
            except OSError:  # how Linux tells that the other end is closed
                break
            shown += some
            if until in shown and not asked:
                asked = True
                park.send_signal(2)
        os.close(ours)
    return shown


class OnATerminal(unittest.TestCase):
    """Standard error is a terminal."""

    def test_the_status_line_is_redrawn_without_colours(self):
        for more in ({}, {"NO_COLOR": "1"}, {"FORCE_COLOR": "1"}):
            shown = on_terminal(RUN, b" left", TERM="xterm-256color", **more)
            self.assertIn(REDRAWN, shown)
            self.assertIn(b"episodes, ", shown)
            self.assertIsNone(COLOUR.search(shown), shown)
            self.assertNotIn(b"\x1b", shown.replace(REDRAWN, b""))

    def test_errors_have_no_colour(self):
        for more in ({}, {"NO_COLOR": "1"}):
            shown = on_terminal(REFUSED, b"never", TERM="xterm-256color", **more)
            self.assertIn(b"error: ENV: no environment 'nosuch'", shown)
            self.assertNotIn(b"\x1b", shown)

    def test_a_dumb_terminal_gets_plain_lines(self):
        for more in ({"TERM": "dumb"}, {}):
            shown = on_terminal(RUN, b" episodes, ", **more)  # the first plain line
            self.assertIn(b" episodes, ", shown)
            self.assertNotIn(b"\x1b", shown)
            self.assertNotIn(b"\r", shown.replace(b"\r\n", b"\n"))


class InAFile(unittest.TestCase):
    """Standard output and standard error are pipes."""

    def test_nothing_but_text(self):
        for command in (REFUSED, [PARK, "--help"], [PARK, "envs"]):
            done = subprocess.run(command, env=environment(TERM="xterm-256color", FORCE_COLOR="1"),
                                  stdin=subprocess.DEVNULL, capture_output=True, check=False)
            self.assertTrue(done.stdout + done.stderr)
            self.assertNotIn(b"\x1b", done.stdout + done.stderr)
            self.assertNotIn(b"\r", done.stdout + done.stderr)


if __name__ == "__main__":
    unittest.main()
