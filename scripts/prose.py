"""The prose of a document or of the comments of a C++ header: paragraphs and sentences.

Code, tables, headings, pictures and addresses of links are no prose. A piece of code inside a
sentence counts as one word.
"""

import re

ITEM = re.compile(r"\s*(?:[-*]|\d+\.)\s+")
INLINE_CODE = re.compile(r"``[^`]+``|`[^`]*`")
PICTURE = re.compile(r"!\[[^\]]*\]\([^)]*\)")
LINK = re.compile(r"\[([^\]]*)\]\([^)]*\)")
COMMENT = re.compile(r"^\s*///?<?\s?(.*)$|^.*?\s///<\s?(.*)$")
# A full stop ends a sentence where an opening of the next one follows, unless it belongs to one of these.
SENTENCE_END = re.compile(r"(?<!\be\.g)(?<!\bi\.e)(?<!\bet al)(?<!\bvs)[.!?][)\"*_]*\s+(?=[A-Z0-9`*_(\"])")
WORD = re.compile(r"\w")


def without_markup(text):
    """A line without pictures, addresses of links and the text of inline code."""
    return INLINE_CODE.sub("`code`", LINK.sub(r"\1", PICTURE.sub("", text)))


def paragraphs(text):
    """(line, text) of every paragraph and list item of a Markdown document, code and tables apart."""
    found, fenced, in_list, after_blank = [], False, False, True
    start, parts = 0, []

    def close():
        if parts:
            found.append((start, without_markup(" ".join(parts))))
            parts.clear()

    for number, line in enumerate(text.splitlines(), 1):
        if line.lstrip().startswith("```"):
            close()
            fenced = not fenced
            continue
        blank = not line.strip()
        code = fenced or (line.startswith("    ") and (not in_list or line.startswith("      "))
                          and after_blank)
        if blank or code or line.lstrip().startswith(("|", "#")):
            close()
            # An indented block goes on over its lines.
            after_blank = blank or (code and not fenced)
            continue
        item = ITEM.match(line)
        if item:
            close()
            in_list = True
        elif not line.startswith(" ") and not parts:
            in_list = False
        if not parts:
            start = number
        parts.append(line[item.end():].strip() if item else line.strip())
        after_blank = False
    close()
    return found


def comments(text):
    """(line, text) of every paragraph of the comments of a C++ header, code apart."""
    found, start, parts = [], 0, []
    in_item = behind = code = False  # behind: the comment began behind a member

    def close():
        if parts:
            found.append((start, without_markup(" ".join(parts))))
            parts.clear()

    for number, line in enumerate(text.splitlines(), 1):
        match = COMMENT.match(line)
        raw = (match.group(1) or match.group(2) or "") if match else ""
        content = raw.strip()
        indent = len(raw) - len(raw.lstrip())
        # Four spaces more begin code, except in an item of a list, whose lines may hang as far.
        code = bool(content) and not in_item and (indent == 4 or (code and indent > 4))
        item = not code and ITEM.match(content)
        begins_behind = bool(match and match.group(2))
        if (not content or code or item or begins_behind
                or (behind and not line.lstrip().startswith("///<"))):
            close()
            in_item, behind = bool(item), begins_behind
        if content and not code:
            if not parts:
                start = number
            parts.append(content)
    close()
    return found


def sentences(paragraph):
    """The sentences of a paragraph, in their order."""
    found, begin = [], 0
    for match in SENTENCE_END.finditer(paragraph):
        found.append(paragraph[begin:match.end()].strip())
        begin = match.end()
    rest = paragraph[begin:].strip()
    return found + [rest] if rest else found


def words(sentence):
    """How many words a sentence has."""
    return sum(1 for part in sentence.split() if WORD.search(part))
