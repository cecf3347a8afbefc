"""Links of the documents: where they lead in the tree, and where that is on the site."""

import os
import re
from pathlib import PurePosixPath

LINK = re.compile(r"(!?\[(?:[^\[\]]|\[[^\]]*\])*\])\(([^()\s]+(?:\([^()]*\))?)\)")
FENCE = re.compile(r"^\s*(`{3,}|~{3,})")
# The language behind a fence that Pygments does not know, such as csv, or that says more, such as rust,no_run.
LANGUAGE = re.compile(r"^(\s*`{3,})(\w+)(.*)$")
UNKNOWN = {"csv", "jsonl", "spice", "capnp"}
OUTSIDE = re.compile(r"[a-z][a-z0-9+.-]*:|//")


def normal(path):
    """A path of the tree without its dots."""
    return os.path.normpath(str(path)).replace(os.sep, "/")


def place(root, path):
    """Where a file or folder of the tree is on the site, as a file of the folder that Sphinx reads."""
    if path.startswith("docs/"):
        return path.removeprefix("docs/") + ".md" * (root / path).is_dir()
    if (root / path).is_dir():
        return f"tree/{path}/contents.md" if path != "." else "tree/contents.md"
    return f"tree/{path}" if path.endswith(".md") else f"tree/{path}.md"


def change(text, changed):
    """The text with each link's target replaced by changed(target); blocks of code stay as they are. The name of
    a link may go over lines of one paragraph."""
    parts, paragraph, fence = [], [], None

    def end_paragraph():
        if paragraph:
            parts.append(LINK.sub(lambda m: f"{m.group(1)}({changed(m.group(2))})", "\n".join(paragraph)))
            paragraph.clear()

    for line in text.split("\n"):
        found = FENCE.match(line)
        if found and (fence is None or line.strip().startswith(fence)):
            end_paragraph()
            fence = found.group(1) if fence is None else None
            parts.append(LANGUAGE.sub(lambda m: m.group(1) + ("text" if m.group(2) in UNKNOWN else m.group(2)), line))
        elif fence is None and line.strip():
            paragraph.append(line)
        else:
            end_paragraph()
            parts.append(line)
    end_paragraph()
    return "\n".join(parts)


def staged(root, name, text, wanted):
    """A document of the tree with links that fit its place on the site; what they lead to in the tree is
    added to `wanted`."""
    here = PurePosixPath(place(root, name)).parent

    def changed(target):
        if OUTSIDE.match(target) or target.startswith("#"):
            return target
        address, sign, anchor = target.partition("#")
        path = normal(PurePosixPath(name).parent / address)
        if not (root / path).exists():
            raise SystemExit(f"{name}: links to {target}, which is not there")
        wanted.add(path)
        return os.path.relpath(place(root, path), here) + sign + anchor

    return change(text, changed)
