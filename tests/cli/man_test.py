#!/usr/bin/env python3
"""Manual pages, read by programs that show them.

    man_test.py PARK

mandoc says what is wrong with each page, and groff with each as it sets it; one of them is enough. Exits with
77 where there is neither.
"""

import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

PARK = sys.argv[1]


def complaints(command):
    """What a program says of a page, on both of its streams."""
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    return (done.stdout + done.stderr).strip()


def check(pages):
    """What is wrong, as lines; None where nobody looks at pages here."""
    found = []
    if shutil.which("mandoc"):
        found += [complaints(["mandoc", "-T", "lint", "-W", "warning", *map(str, pages)])]
    if shutil.which("groff"):
        found += [complaints(["groff", "-man", "-ww", "-z", "-Tutf8", str(page)]) for page in pages]
    return [line for line in found if line] if found else None


def main():
    with tempfile.TemporaryDirectory() as folder:
        subprocess.run([PARK, "help", "--man", "--out", folder], check=True)
        pages = sorted(Path(folder).glob("*.1"))
        found = check(pages)
        planted = Path(folder) / "planted.1"
        planted.write_text(".TH PLANTED 1 2026-01-01\n.SH NAME\n.nosuch request\n", encoding="utf-8")
        noticed = check([planted])
    if found is None:
        print("skipped: there is neither mandoc nor groff")
        return 77
    print("\n".join(found))
    print(f"{len(pages)} pages, {len(found)} complaints; the planted one: {noticed}")
    return 1 if found or len(pages) < 50 or not noticed else 0


if __name__ == "__main__":
    sys.exit(main())
