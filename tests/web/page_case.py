"""What the tests of pages share: the build, a browser, and what must hold for every page."""

import json
import re
import subprocess
import sys
import tempfile
import time
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "scripts"))

import browser  # noqa: E402

SKIPPED = 77  # tells ctest that a test was skipped
BUILD = None  # the folder, once main has run


class PageCase(unittest.TestCase):
    """Pages are written into a folder of the class; pictures go to BUILD/web for people."""

    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory()
        cls.browser = browser.Browser()

    @classmethod
    def tearDownClass(cls):
        cls.browser.driver.quit()
        cls.folder.cleanup()

    def setUp(self):
        self.browser.size(1400, 1000)
        self.browser.dark(False)

    def tearDown(self):
        self.assertEqual(self.browser.complaints(), [])

    @classmethod
    def path(cls, name):
        return str(Path(cls.folder.name) / name)

    @classmethod
    def park(cls, *arguments):
        done = subprocess.run([BUILD / "bin" / "park", *arguments], capture_output=True, text=True)
        if done.returncode != 0:
            raise AssertionError(f"park {' '.join(arguments)}: {done.stderr}")
        return done.stdout

    def open(self, path):
        """Opens a page; nothing but the file itself may be asked for."""
        seconds = self.browser.open(path)
        self.assertEqual(self.browser.requests(), [Path(path).resolve().as_uri()])
        return seconds

    def js(self, script, *arguments):
        return self.browser.js(script, *arguments)

    def until(self, condition):
        """Waits for what the page does after an event of the mouse or the keyboard."""
        limit = time.monotonic() + 20
        while not condition():
            self.assertLess(time.monotonic(), limit, "the page does not react")
            time.sleep(0.02)

    def text(self, selector):
        return self.js("return document.querySelector(arguments[0]).innerText", selector)

    def texts(self, selector):
        return self.js("return [...document.querySelectorAll(arguments[0])].map((e) => e.innerText)", selector)

    def picture(self, name):
        self.browser.picture(BUILD / "web" / f"{name}.png", whole=True)

    def assert_contained(self, path):
        """The file names no address that a browser would load, and forbids to load any."""
        html = Path(path).read_text(encoding="utf-8")
        self.assertIn("default-src 'none'", html)
        self.assertNotIn("sourceMappingURL", html)
        own = re.sub(r"<script.*?</script>", "", html, flags=re.S)
        self.assertEqual(re.findall(r"(?:src|href)=\"(?!data:)[^\"]*\"|url\(|@import", own), [])

    def assert_fits(self, width):
        """Nothing makes the page wider than the window."""
        self.assertLessEqual(self.js("return document.documentElement.scrollWidth"), width)


def read(path):
    return json.loads(Path(path).read_text(encoding="utf-8"))


def main():
    global BUILD
    if len(sys.argv) < 2:
        print(f"Usage: {sys.argv[0]} BUILD_FOLDER", file=sys.stderr)
        return 2
    absent = browser.missing()
    if absent:
        print(f"skipped: {absent}")
        return SKIPPED
    BUILD = Path(sys.argv.pop(1)).resolve()
    program = unittest.main(module="__main__", exit=False, verbosity=2)
    return 0 if program.result.wasSuccessful() else 1
