"""Files of figures: results/NAME.json with the schema park.figures (results/README.md)."""

import datetime
import json
import platform
import re
import shlex
import statistics
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
SCHEMA = "park.figures"
VERSION = 1
COMMON = "platform"  # the page of what is about no environment and no system alone


def machine():
    """The machine in one line with its set of vector instructions, without names or addresses."""
    def first(pattern, path):
        text = Path(path).read_text(encoding="utf-8") if Path(path).exists() else ""
        found = re.search(pattern, text, re.MULTILINE)
        return found.group(1) if found else "unknown"

    processor = first(r"^model name\s*: (.*)$", "/proc/cpuinfo")
    cores = len(re.findall(r"^processor\s*:", Path("/proc/cpuinfo").read_text(), re.MULTILINE))
    memory = int(first(r"^MemTotal:\s+(\d+)", "/proc/meminfo")) / 1024**2
    system = first(r'^PRETTY_NAME="(.*)"$', "/etc/os-release")
    compiler = subprocess.run(["g++", "-dumpfullversion"], capture_output=True, text=True,
                              check=False).stdout.strip()
    return (f"{processor} ({instruction_set()}), {cores} cores, {memory:.0f} GiB, {system}, g++ {compiler}, "
            f"Python {platform.python_version()}")


def instruction_set():
    """The level of the x86-64 ABI that the processor has, or the kind of processor."""
    flags = set(re.search(r"^flags\s*: (.*)$|\Z", Path("/proc/cpuinfo").read_text(encoding="utf-8"),
                          re.MULTILINE).group(0).split())
    levels = {"x86-64-v4": {"avx512f", "avx512bw", "avx512cd", "avx512dq", "avx512vl"},
              "x86-64-v3": {"avx2", "bmi1", "bmi2", "f16c", "fma"}, "x86-64-v2": {"sse4_2", "popcnt"}}
    return next((name for name, needed in levels.items() if needed <= flags), platform.machine())


def commit():
    """The commit of the tree, with "+changes" where C++ sources differ from it."""
    def git(*words):
        return subprocess.run(["git", *words], cwd=ROOT, check=True, capture_output=True,
                              text=True).stdout.strip()

    changed = git("status", "--porcelain", "--untracked-files=no", "--", "park", "agents", "bridge",
                  "systems", "cli", "tests")
    return git("rev-parse", "--short=12", "HEAD") + ("+changes" if changed else "")


def command(placeholders=None):
    """The command that runs, as one types it from the root of the repository. `placeholders` has what is
    written for a word; a path outside of the tree is PATH."""
    def shown(word):
        if word in (placeholders or {}):
            return placeholders[word]
        path = Path(word)
        if not path.is_absolute():
            return shlex.quote(word)
        return str(path.relative_to(ROOT)) if path.is_relative_to(ROOT) else "PATH"

    return " ".join(map(shown, [str(Path(sys.argv[0]).resolve()), *sys.argv[1:]]))


def figure(name, unit, values, doc=""):
    """One figure out of the values of its runs."""
    return {"name": name, "unit": unit, "median": statistics.median(values), "min": min(values),
            "max": max(values), "runs": len(values), "doc": doc}


def plus_minus(mean, half):
    """A mean with half of its interval, as tables show them."""
    return f"{mean:.4g} ± {half:.2g}"


def write(path, title, command, figures, notes=(), tables=(), curves=None, page=COMMON,
          measured=None):
    """Writes a file of figures, of tables (dicts of title, columns, rows of texts, and whether a page
    shows it `folded`) and of curves (a dict of columns, and of runs with their rows of numbers). `page`
    is the environment or the system that it is about. `measured` is the commit of what was measured, where
    the tree may have gone on since."""
    content = {
        "schema": SCHEMA, "version": VERSION, "title": title, "page": page, "command": command,
        "machine": machine(), "date": datetime.date.today().isoformat(), "commit": measured or commit(),
        "notes": list(notes), "figures": figures,
    }
    if tables:
        content["tables"] = list(tables)
    if curves:
        content["curves"] = curves
    Path(path).write_text(json.dumps(content, indent=2) + "\n", encoding="utf-8")


def read(path):
    """Reads a file of figures; refuses other files and newer versions."""
    content = json.loads(Path(path).read_text(encoding="utf-8"))
    if content.get("schema") != SCHEMA:
        raise SystemExit(f"{path}: schema is {content.get('schema')!r}, not {SCHEMA!r}")
    if content["version"] > VERSION:
        raise SystemExit(f"{path}: version {content['version']} is newer than {VERSION}")
    return content
