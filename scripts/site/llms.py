"""llms.txt: the pages for programs that read, each with its first sentence, as links to their Markdown."""

import re

INTRODUCTION = """# Park

> Park is an SDK in C++20 for learning-augmented computer systems. Environments, simulated or real, ask for
> decisions; policies take them. Comparisons of policies are paired, fast and repeatable.

The command is `park`; `park help COMMAND` explains each command, and `park describe ENV --json` describes an
environment for programs. The links lead to Markdown.
"""


def title(text):
    found = re.search(r"^# (.*)$", text, re.MULTILINE)
    return found.group(1) if found else "Page"


def sentence(text):
    """The first sentence behind the title that is neither a link alone, a list, a table nor code."""
    body = re.sub(r"^---\n.*?\n---\n|<!--.*?-->|^```.*?^```$|^ {4}[^\n]*$", "", text, flags=re.S | re.M)
    for block in re.split(r"\n\s*\n", body):
        block = " ".join(block.split())
        if block and block[0] not in "#|-<!:`" and not re.fullmatch(r"\[.*\]\(.*\)", block):
            plain = re.sub(r"!?\[([^\]]*)\]\([^)]*\)", r"\1", block).replace("**", "")
            return re.split(r"(?<=[.:!?]) (?=[A-Z`])", plain)[0].rstrip(":")
    return ""


def text(folder, contents):
    """The whole file; `contents` has (caption, pages)."""
    lines = [INTRODUCTION]
    for caption, pages in contents:
        lines.append(f"## {caption}\n")
        for page in pages:
            source = (folder / f"{page}.md").read_text(encoding="utf-8")
            about = sentence(source)
            lines.append(f"- [{title(source)}](_sources/{page}.md)" + (f": {about}" if about else ""))
        lines.append("")
    return "\n".join(lines)
