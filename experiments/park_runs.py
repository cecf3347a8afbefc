"""What scripts of experiments share: a command of park as JSON, trainings that go on, a folder that is kept or not,
and digests of what was played."""

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


def manifest(folder):
    """What the newest checkpoint of a run says of itself; None where there is none."""
    file = figures.ROOT / folder / "latest/manifest.json"
    return json.loads(file.read_text(encoding="utf-8")) if file.exists() else None


def is_trained(folder):
    """Whether a run is there and trained to its end."""
    found = manifest(folder)
    return found is not None and found["progress"]["part"] >= 1


def train(folder, words):
    """Starts a run by the command of park that writes its folder, or goes on with it. That is refused where its
    settings are others, and nothing where it is finished. What it prints goes to stderr."""
    (figures.ROOT / folder).parent.mkdir(parents=True, exist_ok=True)
    resume = ["--resume"] if manifest(folder) else []
    done = subprocess.run([str(PARK), *words, *resume], cwd=figures.ROOT, check=False, stdout=sys.stderr)
    if done.returncode:
        raise SystemExit(done.returncode)


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
