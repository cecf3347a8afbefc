#!/usr/bin/env python3
"""Checks a built site: every internal link and anchor leads somewhere, and no page loads anything from
elsewhere.

    scripts/site/check_links.py SITE_FOLDER
"""

import argparse
import sys
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urlsplit

LOADS = {("img", "src"), ("script", "src"), ("link", "href"), ("iframe", "src"), ("source", "src")}
REFERS = {("a", "href"), *LOADS}
DOXYGEN = "cpp"  # names sections on its pages that it left out: only their files are checked
HERE = ("data:", "javascript:")


class Page(HTMLParser):
    """What a page defines and refers to."""

    def __init__(self, text):
        super().__init__(convert_charrefs=True)
        self.names, self.links, self.loaded = set(), [], []
        self.feed(text)

    def handle_starttag(self, tag, attrs):
        for key, value in attrs:
            if key == "id" or (tag == "a" and key == "name"):
                self.names.add(value)
            if (tag, key) in REFERS and value:
                self.links.append(value)
            if (tag, key) in LOADS and value:
                self.loaded.append(value)


def outside(link):
    parts = urlsplit(link)
    return bool(parts.scheme or parts.netloc)


def problems(site):
    """Lines about what is wrong, and how many links were followed."""
    pages = {path: Page(path.read_text(encoding="utf-8")) for path in sorted(site.rglob("*.html"))}
    found, count = [], 0
    for path, page in pages.items():
        name = path.relative_to(site)
        found += [f"{name}: loads {link}" for link in page.loaded
                  if outside(link) and not link.startswith(HERE)]
        own = name.parts[0] == DOXYGEN
        for link in page.links:
            if outside(link):
                continue
            count += 1
            parts = urlsplit(link)
            target = (path.parent / unquote(parts.path)).resolve() if parts.path else path
            if not target.is_relative_to(site) or not target.is_file():
                found.append(f"{name}: {link} leads nowhere")
            elif parts.fragment and not own and target in pages and unquote(parts.fragment) not in pages[target].names:
                found.append(f"{name}: {link} names an anchor that is not there")
    return found, count, len(pages)


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("site", type=Path)
    found, count, pages = problems(parser.parse_args().site.resolve())
    for line in found:
        print(line)
    print(f"{pages} pages, {count} links followed, {len(found)} violations")
    return 1 if found or not count else 0


if __name__ == "__main__":
    sys.exit(main())
