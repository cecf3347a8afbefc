#!/usr/bin/env python3
"""Checks the tracked files: sizes, lengths, what a text may not contain, links and English of the
documents and of comments in headers.

    scripts/check_tree.py

Prints one line per violation and fails then.
"""

import argparse
import re
import subprocess
import sys
from pathlib import Path

import prose

ROOT = Path(__file__).resolve().parent.parent
SIZE_LIMIT = 1_000_000
LARGE_DATA = re.compile(r"data/workloads/.*\.park$|third_party/.*\.min\.js$")
# Files of others stay as they were published.
FOREIGN = re.compile(r"third_party/.+/")
BINARY = {".bin", ".gz", ".lz4", ".zstd", ".inprogress", ".park", ".png", ".npy", ".safetensors", ".so", ".xz"}
README_LINES = 120
EXAMPLE_LINES = 85
# Longer C++ sources say first what they hold, in which order things happen, and who calls.
UNEXPLAINED_LINES = 150
# Their tools write them, with the name of the registry.
LOCK_FILES = {"Cargo.lock"}

# What no text may contain, and why. None of the expressions matches its own text.
FORBIDDEN = [
    (re.compile(r"(?<![\w.}-])/(work|root|home|Users)/\w"), "a path of one machine"),
    (re.compile(r"pypi\.org|files\.pythonhosted\.org|crates\.io|registry\.npmjs\.org|"
                r"repo1?\.maven\.|proxy\.golang\.org|deb\.debian\.org|security\.debian\.org"),
     "the host of a package registry"),
    (re.compile(r"\b(TO[D]O|FIX[M]E|X[X]X)\b"), "a note of unfinished work"),
    (re.compile(r"\.\./share[d]\b"), "a folder beside the checkout; docs/data.md names data"),
    (re.compile(r"[ \t]+$", re.MULTILINE), "white space at the end of a line"),
    (re.compile(r"^(?:<{7}|>{7}) ", re.MULTILINE), "a conflict that was not resolved"),
]
LINK = re.compile(r"\]\(([^)#\s]+)(?:#[^)]*)?\)")
NAMED_FILE = re.compile(
    r"`((?:agents|cmake|data|docs|examples|experiments|park|results|scripts|tests|third_party)/[\w./-]*)`")
# Documents of a project that `park new` writes name the files of that project.
TEMPLATES = re.compile(r"cli/new/templates/\w+/")
PLACEHOLDER = re.compile(r"\b(NAME|ENVIRONMENT)\b")

# Documents whose English is checked. docs/envs is generated from pages of environments and their
# code; docs/results is tables.
DOCUMENT = re.compile(r"README\.md$|docs/(?!envs/|results).*\.md$|park/envs/\w+/README\.md$")
# Headers in whose comments sentences are as short as in documents.
HEADER = re.compile(r"(?!(?:.*/)?third_party/).*\.h$")
# Headers in whose comments the same phrases are refused.
PUBLIC_HEADER = re.compile(r"(agents|bridge|park|systems)/.*\.h$")
MOST_WORDS = 25  # of a sentence in a document or a header

# What neither a document nor a comment of a public header may say, and what to write instead.
REFUSED = [(re.compile(phrase), instead) for phrase, instead in [
    (r"(?:^|[.:] )Of (?!course)", "a sentence with its subject first"),
    (r"\b[Ww]hat (?:becomes?|became) of\b", "what happens to"),
    (r"\b[Oo]f whose\b", "the noun, then whose or with"),
    (r"\bdecided (?:otherwise|differently)\b", "rejected alternatives"),
    (r"\bin the words of\b", "in the terms of"),
    (r"\b[Ww]hatever\b", "any, every, or regardless of"),
    (r"\b(?:house|roof|cellar|attic)s?\b|(?<!waiting )(?<!finite )\b[Rr]ooms?\b",
     "the folder, the part or the memory that is meant"),
    (r"\b(?:come|came|bring|brought)s? along\b", "contain, or install"),
    (r"\btells? (?:that|what|how|where|when|whether)\b", "say, report or show"),
    (r"\b(?:tells?|told)\b(?: \w+)? apart\b", "distinguish"),
    (r"\bwithout a word\b", "silently"),
    (r"\bturn(?:s|ed)? away\b", "reject"),
    (r"\b(?:go|goes|went|going) on\b(?! (?:for|a|an|the)\b)", "continue"),
    (r"\b(?:lie|lies|live|lives) in\b", "is in, or are in"),
    (r"\bchances?\b", "randomness, or probability"),
    (r"\bthe thing\b", "the noun that is meant"),
]]


def tracked():
    """The files that git knows and that are there."""
    listed = subprocess.run(["git", "ls-files", "-z"], cwd=ROOT, check=True, capture_output=True)
    names = listed.stdout.decode().split("\0")
    return [name for name in names if name and (ROOT / name).is_file()]


def check_text(name, text):
    """Lines that say what is wrong with a text file."""
    found = []
    for pattern, what in [] if Path(name).name in LOCK_FILES else FORBIDDEN:
        for match in pattern.finditer(text):
            line = text.count("\n", 0, match.start()) + 1
            found.append(f"{name}:{line}: {what}: {match.group().strip()!r}")
    lines = text.count("\n")
    if name == "README.md" and lines > README_LINES:
        found.append(f"{name}: {lines} lines; at most {README_LINES} are allowed")
    if name.startswith("examples/") and name.endswith(".cc") and lines >= EXAMPLE_LINES:
        found.append(f"{name}: {lines} lines; fewer than {EXAMPLE_LINES} are allowed")
    if name.endswith((".h", ".cc")) and lines > UNEXPLAINED_LINES and not text.startswith("//"):
        found.append(f"{name}: {lines} lines, and no comment on them in the first one")
    if name.endswith(".h") and not re.search(r"^#pragma once$", text, re.MULTILINE):
        found.append(f"{name}: no #pragma once")
    if text and not text.endswith("\n"):
        found.append(f"{name}: no end of line at its end")
    return found


def check_links(name, text):
    """Links and file names in a document that lead nowhere. The page of an environment that was removed
    is left out."""
    page = Path(name)
    if page.parent == Path("docs/envs") and not any(
            (ROOT / place / page.stem).is_dir() for place in ("park/envs", "systems")):
        return []
    found = []
    for match in LINK.finditer(text):
        target = match.group(1)
        if not re.match(r"[a-z]+:", target) and not ((ROOT / name).parent / target).exists():
            found.append(f"{name}: links to {target}, which is not there")
    template = TEMPLATES.match(name)
    top = ROOT / template.group() if template else ROOT
    for match in NAMED_FILE.finditer(text):
        if not PLACEHOLDER.search(match.group(1)) and not (top / match.group(1)).exists():
            found.append(f"{name}: names {match.group(1)}, which is not there")
    return found


def prose_of(name, text):
    """(line, text) of the paragraphs of a document or of a header's comments, else nothing."""
    if DOCUMENT.match(name):
        return prose.paragraphs(text)
    return prose.comments(text) if HEADER.match(name) else []


def check_english(name, text):
    """Refused phrases, and sentences of a document or a header that are too long."""
    found = []
    refused = REFUSED if DOCUMENT.match(name) or PUBLIC_HEADER.match(name) else []
    for line, paragraph in prose_of(name, text):
        for pattern, instead in refused:
            for match in pattern.finditer(paragraph):
                found.append(f"{name}:{line}: says {match.group().strip('.: ')!r}; write {instead}")
        found += [f"{name}:{line}: a sentence of {prose.words(sentence)} words; "
                  f"at most {MOST_WORDS} are allowed"
                  for sentence in prose.sentences(paragraph)
                  if prose.words(sentence) > MOST_WORDS]
    return found


def check_file(name):
    """Lines that say what is wrong with a tracked file."""
    path = ROOT / name
    found = []
    if path.stat().st_size > SIZE_LIMIT and not LARGE_DATA.match(name):
        found.append(f"{name}: {path.stat().st_size} bytes; at most {SIZE_LIMIT} are allowed")
    if path.suffix in BINARY or FOREIGN.match(name):
        return found
    try:
        text = path.read_text(encoding="utf-8")
    except UnicodeDecodeError:
        return found + [f"{name}: neither UTF-8 nor a known kind of binary file"]
    found += check_text(name, text) + check_english(name, text)
    if name.endswith(".md"):
        found += check_links(name, text)
    return found


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.parse_args()
    names = tracked()
    found = [line for name in names for line in check_file(name)]
    for line in found:
        print(line)
    print(f"{len(names)} files checked, {len(found)} violations")
    return 1 if found or not names else 0


if __name__ == "__main__":
    sys.exit(main())
