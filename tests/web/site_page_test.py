#!/usr/bin/env python3
"""The site as people open it: from files, at two widths, with a search, and without a network.

    tests/web/site_page_test.py BUILD_FOLDER

Builds the whole site with the command of that build (scripts/site.sh). Pictures go to BUILD/web.
"""

import subprocess
import sys
import time
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "scripts"))

import browser  # noqa: E402

SKIPPED = 77
BUILD, SITE = None, None
WIDTHS = (1400, 420)
PAGES = ("index", "envs/load_balance", "figures", "gallery", "howto/compare", "python_api")


class Site(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.window = browser.Browser()

    @classmethod
    def tearDownClass(cls):
        cls.window.driver.quit()

    def visit(self, address):
        """Opens a page of the site; only files of the site may be asked for."""
        self.window.driver.get_log("performance")
        self.window.driver.get(SITE.as_uri() + "/" + address)
        asked = self.window.requests()
        self.assertTrue(asked)
        self.assertEqual([one for one in asked if not one.startswith(SITE.as_uri())], [])

    def wait(self, script, what):
        limit = time.monotonic() + 20
        while not self.window.js(script):
            self.assertLess(time.monotonic(), limit, what)
            time.sleep(0.05)

    def test_pages_fit_at_both_widths_without_a_complaint(self):
        for width in WIDTHS:
            self.window.size(width, 1000)
            for page in PAGES:
                with self.subTest(page=page, width=width):
                    self.visit(f"{page}.html")
                    self.assertLessEqual(self.window.js("return document.documentElement.scrollWidth"), width)
                    self.assertGreater(len(self.window.js("return document.querySelector('h1').innerText")), 2)
                    self.assertEqual(self.window.complaints(), [])
                    self.window.picture(BUILD / "web" / f"site-{page.replace('/', '-')}-{width}.png")

    def test_the_search_finds_pages_from_files(self):
        self.window.size(1400, 1000)
        self.visit("search.html?q=moving+delay")
        self.wait("return document.querySelectorAll('#search-results li a').length > 0", "nothing was found")
        found = self.window.js("return [...document.querySelectorAll('#search-results li a')].map((e) => e.href)")
        self.assertTrue(any("dag_scheduling" in one for one in found), found)

    def test_pictures_are_there_and_open_live_pages(self):
        self.visit("gallery.html")
        cards = self.window.js("return [...document.querySelectorAll('.gallery a')].map((a) => "
                               "[a.href, a.querySelector('img').naturalWidth])")
        self.assertGreater(len(cards), 3)
        for href, width in cards:
            self.assertGreater(width, 1000, href)
        self.window.driver.get(cards[0][0])
        self.wait("return window.parkReady || 0", "the timeline is not drawn")


def main():
    global BUILD, SITE
    if len(sys.argv) < 2:
        print(f"Usage: {sys.argv[0]} BUILD_FOLDER", file=sys.stderr)
        return 2
    if absent := browser.missing():
        print(f"skipped: {absent}")
        return SKIPPED
    BUILD = Path(sys.argv.pop(1)).resolve()
    SITE = BUILD / "site"
    built = subprocess.run([ROOT / "scripts/site.sh", BUILD, "--out", SITE], check=False)
    if built.returncode != 0:
        return built.returncode
    program = unittest.main(module="__main__", exit=False, verbosity=2)
    return 0 if program.result.wasSuccessful() else 1


if __name__ == "__main__":
    sys.exit(main())
