#!/usr/bin/env python3
"""No library of the current folder is loaded, and check_binaries.py notices what it is for.

    binaries_test.py C_COMPILER PARK MODULE

PARK is the command, MODULE the shared library that it loads for networks, or "".
"""

import os
import re
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "scripts"))

import check_binaries  # noqa: E402

COMPILER = sys.argv[1]
PARK, MODULE = (os.path.abspath(path) if path else "" for path in sys.argv[2:4])
# Loads a library as park does, in a process of its own.
LOAD = "import ctypes, sys; ctypes.CDLL(sys.argv[1])"
PLANTED = """
#include <stdio.h>
#include <stdlib.h>
__attribute__((constructor)) static void planted(void) {
  FILE* file = fopen(getenv("PARK_PLANTED"), "w");
  if (file != NULL) fclose(file);
}
"""


def loaded(binary):
    """The names of all libraries that a program or library loads, but the loader itself."""
    listed = subprocess.run(["ldd", binary], check=True, capture_output=True, text=True).stdout
    return set(re.findall(r"^\t(\S+) => ", listed, re.MULTILINE))


def sanitizer_of(binary):
    """What a program without sanitizers needs to load a library with them."""
    listed = subprocess.run(["ldd", binary], check=True, capture_output=True, text=True).stdout
    runtime = re.search(r"^\t(?:libasan|libtsan|libclang_rt)\S* => (\S+)", listed, re.MULTILINE)
    return {"LD_PRELOAD": runtime[1], "ASAN_OPTIONS": "detect_leaks=0"} if runtime else {}


class CurrentFolder(unittest.TestCase):
    def setUp(self):
        scratch = tempfile.TemporaryDirectory()
        self.addCleanup(scratch.cleanup)
        self.folder = Path(scratch.name) / "current"
        self.marker = Path(scratch.name) / "planted"
        self.folder.mkdir()
        self.library = Path(scratch.name) / "planted.so"
        source = Path(scratch.name) / "planted.c"
        source.write_text(PLANTED, encoding="utf-8")
        subprocess.run([COMPILER, "-shared", "-fPIC", "-o", self.library, source], check=True)

    def plant(self, names):
        """Puts a library of each name into the folder."""
        for name in names:
            (self.folder / name).symlink_to(self.library)

    def harmed(self, command, **more):
        """Whether a command that is called in the folder runs what was planted there, or fails."""
        self.marker.unlink(missing_ok=True)
        environment = {**os.environ, "PARK_PLANTED": str(self.marker), **more}
        done = subprocess.run(command, cwd=self.folder, env=environment, capture_output=True,
                              text=True, timeout=60, check=False)
        return self.marker.exists() or done.returncode != 0

    def expect_safe(self, binary, command, **more):
        names = loaded(binary)
        self.assertIn("libstdc++.so.6", names)
        self.assertFalse(self.harmed(command, **more))  # it works at all
        self.plant(names)
        self.assertFalse(self.harmed(command, **more))
        self.assertTrue(self.harmed(command, LD_LIBRARY_PATH=str(self.folder), **more))

    def test_the_command_loads_nothing_of_it(self):
        self.expect_safe(PARK, [PARK, "envs"])

    @unittest.skipUnless(MODULE, "built without LibTorch")
    def test_the_module_of_networks_loads_nothing_of_it(self):
        self.expect_safe(MODULE, [sys.executable, "-c", LOAD, MODULE], **sanitizer_of(PARK))


class Checks(unittest.TestCase):
    def test_elements_below_the_current_folder(self):
        line = " 0x000000000000001d (RUNPATH)            Library runpath: [{}]\n"
        for elements, count in (("$ORIGIN/../lib", 0), ("$ORIGIN:/usr/lib", 0), ("/usr/lib:", 1),
                                (":", 1), ("::/usr/lib:lib", 2), ("", 1), ("lib:$ORIGIN", 1)):
            self.assertEqual(len(check_binaries.bad_elements(line.format(elements))), count, elements)
        old = line.replace("RUNPATH", "RPATH").format("/usr/lib:")
        self.assertEqual(len(check_binaries.bad_elements(old)), 1)

    def test_what_is_not_hardened(self):
        symbols = "__stack_chk_fail@GLIBC __memcpy_chk@GLIBC _ZSt21__glibcxx_assert_failPKciS0_S0_"
        now = " 0x000000000000001e (FLAGS)              BIND_NOW\n"
        later = " 0x000000006ffffffb (FLAGS_1)            Flags: NOW PIE\n"
        self.assertEqual(check_binaries.lacking(now, "GNU_RELRO", symbols), [])
        self.assertEqual(check_binaries.lacking(later, "GNU_RELRO", symbols), [])
        self.assertEqual(len(check_binaries.lacking("", "", "__stack_chk_fail@GLIBC")), 4)
        self.assertEqual(len(check_binaries.lacking(now, "GNU_RELRO", "")), 3)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
