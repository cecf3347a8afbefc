"""What scripts of experiments share: a command of park as JSON, a folder that is kept or not, and digests of what was
played."""

import contextlib
import hashlib
import json
import os
import re
import subprocess
import sys
import tempfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "scripts"))
import figures  # noqa: E402

PARK = figures.ROOT / "build/release/bin/park"


def park(*words):
    """What a command reports; ends the program with its complaint where it fails."""
    done = subprocess.run([str(PARK), *map(str, words), "--json", "--quiet"], cwd=figures.ROOT, check=False,
                          capture_output=True, text=True)
    if done.returncode != 0:
        raise SystemExit(f"park {' '.join(map(str, words))}\n{done.stderr}")
    return json.loads(done.stdout)


def files_of_policy(text, root=figures.ROOT):
    """The files that a policy's text names, in quotes or without: of a run or a checkpoint those that play, as
    park chooses them. Names are those of bundled checkpoints, or paths from the root of the tree."""
    words = {text, *re.findall(r'"([^"]*)"', text), *re.split(r'[\s"(),=\\]+', text)} - {""}
    found = set()
    for place in (base / word for word in words for base in (root, root / "data/checkpoints")):
        if os.path.isfile(place):  # which takes any text
            found.add(place)
        for folder in (place, place / "best", place / "latest"):
            if os.path.isfile(folder / "policy.safetensors"):
                found |= {folder / "policy.safetensors", folder / "manifest.json"}
                break
    return sorted(found)


def digest(files):
    """A short one of the content of files."""
    each = "".join(hashlib.sha256(Path(path).read_bytes()).hexdigest() for path in files)
    return hashlib.sha256(each.encode()).hexdigest()[:16]


@contextlib.contextmanager
def working_folder(kept, prefix):
    """The folder that is kept, made where it is absent; where it is None, one that goes with the block."""
    if kept:
        kept.mkdir(parents=True, exist_ok=True)
        yield kept.resolve()
    else:
        with tempfile.TemporaryDirectory(prefix=prefix) as folder:
            yield Path(folder)
