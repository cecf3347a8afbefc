#!/usr/bin/env python3
"""Checks that plug-ins show nothing but park_plugin, and have no RUNPATH.

    check_exports.py FILE ...

What else they showed could be taken for a symbol of the host that has the same name.
"""

import subprocess
import sys


def readelf(option, path):
    return subprocess.run(["readelf", option, "-W", path], check=True, capture_output=True,
                          text=True).stdout


def exported(path):
    """Names of the symbols that the file defines for others."""
    names = []
    for line in readelf("--dyn-syms", path).splitlines():
        words = line.split()
        if len(words) >= 8 and words[4] in ("GLOBAL", "WEAK", "UNIQUE") and words[6] != "UND":
            names.append(words[7].split("@")[0])
    return sorted(set(names) - {"_init", "_fini", "_edata", "_end", "__bss_start"})


def main():
    wrong = []
    for path in sys.argv[1:]:
        names = [name for name in exported(path) if not name.startswith("__asan")]
        if names != ["park_plugin"]:
            wrong.append(f"{path}: shows {', '.join(names[:5])} ({len(names)} in all)")
        if "RUNPATH" in readelf("-d", path) or "(RPATH)" in readelf("-d", path):
            wrong.append(f"{path}: has a RUNPATH")
    print("\n".join(wrong) or f"{len(sys.argv) - 1} plug-ins show park_plugin alone")
    return 1 if wrong or len(sys.argv) < 2 else 0


if __name__ == "__main__":
    sys.exit(main())
