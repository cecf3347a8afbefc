#!/usr/bin/env python3
"""Writes the folder that Sphinx makes the site of: the documents as they are, pages of environments in one
form, and a page for each file of the tree that a document links to.

    scripts/site/stage.py PARK SOURCE_FOLDER [--light]

Order: documents of docs/; environments (mould.py); results; the two references; timelines and pictures
(gallery.py), not with --light; then what links lead to, until nothing new is linked; at last the contents
and llms.txt. docs/contents.txt orders the pages.
"""

import argparse
import fnmatch
import json
import re
import shutil
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
import gallery  # noqa: E402
import links  # noqa: E402
import llms  # noqa: E402
import mould  # noqa: E402
import python_api  # noqa: E402

HERE = Path(__file__).resolve().parent
ROOT = HERE.parents[1]
LANGUAGES = {".cc": "cpp", ".h": "cpp", ".py": "python", ".sh": "bash", ".rs": "rust", ".java": "java",
             ".go": "go", ".json": "json", ".js": "javascript", ".c": "c", ".toml": "toml", ".scala": "scala"}
LONGEST = 60_000  # bytes of a file that gets a page with its text
ORPHAN = "---\norphan: true\n---\n"  # a page that is reached by links alone
# The first rows of a table, and the rest: with --light only the first are kept.
LONG_TABLE = re.compile(r"(^\|[^\n]*\n\|[ :|-]*\n(?:\|[^\n]*\n){3})(?:\|[^\n]*\n)+", re.MULTILINE)
OVERVIEWS = {"docs/envs": "Environments", "docs/howto": "How do I ...?"}
PICTURES = {".svg", ".png"}


class Stage:
    """The folder that is written, and what its pages link to."""

    def __init__(self, folder, light):
        self.folder, self.light, self.wanted, self.done = folder, light, set(), set()

    def write(self, place, text):
        path = self.folder / place
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")

    def document(self, name, text=None):
        """A document of the tree, or what stands in its place."""
        self.done.add(name)
        text = text if text is not None else (ROOT / name).read_text(encoding="utf-8")
        if not name.startswith("docs/"):
            text = ORPHAN + text
        if self.light:
            text = LONG_TABLE.sub(r"\1", text)
        self.write(links.place(ROOT, name), links.staged(ROOT, name, text, self.wanted))

    def linked(self, name):
        """A page for what a link leads to."""
        path = ROOT / name
        if path.is_dir():
            self.folder_page(name)
        elif path.suffix == ".md":
            self.document(name)
        elif path.suffix in PICTURES:
            target = self.folder / name.removeprefix("docs/")
            target.parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(path, target)
        else:
            self.done.add(name)
            self.write(links.place(ROOT, name), source_page(name))

    def folder_page(self, name):
        """The page of a folder: its README if it has one, and the names of its files."""
        self.done.add(name)
        files = sorted(one.name + "/" * one.is_dir() for one in (ROOT / name).iterdir()
                       if not one.name.startswith((".", "__")))
        shown = "\n".join(f"- `{one}`" for one in files)
        more = "\nSee [its page](README.md).\n" if (ROOT / name / "README.md").exists() else ""
        if more:
            self.wanted.add(links.normal(f"{name}/README.md"))
        self.write(links.place(ROOT, name), f"{ORPHAN}# {name}\n{more}\n{shown}\n")

    def overview(self, name, title):
        """The page of a folder of documents: each with its first sentence."""
        self.done.add(name)
        lines = [f"# {title}", ""]
        for path in sorted((self.folder / name.removeprefix("docs/")).glob("*.md")):
            text = path.read_text(encoding="utf-8")
            about = llms.sentence(text)
            lines.append(f"- [{llms.title(text)}]({path.parent.name}/{path.name})" + (f": {about}" if about else ""))
        self.write(links.place(ROOT, name), "\n".join(lines) + "\n")

    def follow(self):
        """Pages for everything that is linked, and for what these link to."""
        while left := sorted(self.wanted - self.done):
            for name in left:
                self.done.add(name)
                self.linked(name)


def source_page(name):
    """The page of a file that is no document."""
    path = ROOT / name
    data = path.read_bytes()
    head = f"{ORPHAN}# {name}\n\n"
    try:
        text = data.decode()
    except UnicodeDecodeError:
        return head + f"A binary file of {len(data)} bytes, in the source tree.\n"
    if len(data) > LONGEST:
        return head + f"A file of {len(data)} bytes, in the source tree.\n"
    return head + f"````````{LANGUAGES.get(path.suffix, 'text')}\n{text}````````\n"


def parts():
    """(caption, patterns of pages) as docs/contents.txt has them."""
    found = []
    for line in (ROOT / "docs/contents.txt").read_text(encoding="utf-8").splitlines():
        if line.startswith("#") or not line.strip():
            continue
        if line.startswith(" "):
            found[-1][1].append(line.strip())
        else:
            found.append((line.strip(), []))
    return found


def contents(folder):
    """(caption, pages in order); each page stands once, and `results` does not match results/x."""
    left = sorted(str(path.relative_to(folder).with_suffix("")) for path in folder.rglob("*.md"))
    left = [page for page in left if not page.startswith(("tree/", "extra/"))]
    named = {pattern for _, patterns in parts() for pattern in patterns if "*" not in pattern}
    found = []
    for caption, patterns in parts():
        pages = []
        for pattern in patterns:
            match = [page for page in left if fnmatch.fnmatchcase(page, pattern)
                     and (page == pattern or page not in named)]
            pages += match
            left = [page for page in left if page not in match]
        if pages:
            found.append((caption, pages))
    return found


def front_page(folder, found):
    """Adds the contents, which the theme shows at the side, to the first page."""
    trees = [f"\n```{{toctree}}\n:hidden:\n:caption: {caption}\n\n"
             + "\n".join(page for page in pages if page != "index") + "\n```\n" for caption, pages in found]
    path = folder / "index.md"
    path.write_text(path.read_text(encoding="utf-8") + "".join(trees), encoding="utf-8")


def version():
    return re.search(r"^project\(park VERSION ([\d.]+)", (ROOT / "CMakeLists.txt").read_text(encoding="utf-8"),
                     re.MULTILINE).group(1)


def prepare(folder):
    """An empty folder with what Sphinx needs besides pages."""
    shutil.rmtree(folder, ignore_errors=True)
    (folder / "static").mkdir(parents=True)
    (folder / "extra").mkdir()
    shutil.copy(HERE / "site.css", folder / "static/site.css")
    shutil.copy(HERE / "conf.py", folder / "conf.py")
    (folder / "site.json").write_text(json.dumps({"version": version()}), encoding="utf-8")


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("park", type=Path)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--light", action="store_true")
    arguments = parser.parse_args()
    prepare(arguments.folder)
    stage = Stage(arguments.folder, arguments.light)
    envs = mould.environments(arguments.park)
    pictures = {} if arguments.light else gallery.make(arguments.park, envs, arguments.folder)
    for path in sorted((ROOT / "docs").rglob("*.md")):
        name = str(path.relative_to(ROOT))
        stage.document(name, mould.page(name, envs, pictures))
    for folder, title in OVERVIEWS.items():
        stage.overview(folder, title)
    if pictures:
        stage.write("gallery.md", gallery.page(envs, pictures))
    for place, text in python_api.pages(ROOT).items():
        stage.write(place, text)
    if not arguments.light:
        stage.write("cpp_api.md", python_api.CPP)
    stage.follow()
    found = contents(arguments.folder)
    front_page(arguments.folder, found)
    (arguments.folder / "extra/llms.txt").write_text(llms.text(arguments.folder, found), encoding="utf-8")
    print(f"{sum(len(pages) for _, pages in found)} pages in {len(found)} parts, "
          f"{len(envs)} environments, {len(pictures)} timelines")
    return 0


if __name__ == "__main__":
    sys.exit(main())
