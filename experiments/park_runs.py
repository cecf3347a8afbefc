"""What scripts of experiments share: a command of park as JSON, and a folder that is kept or not."""

import contextlib
import json
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


@contextlib.contextmanager
def working_folder(kept, prefix):
    """The folder that is kept, made where it is absent; where it is None, one that goes with the block."""
    if kept:
        kept.mkdir(parents=True, exist_ok=True)
        yield kept.resolve()
    else:
        with tempfile.TemporaryDirectory(prefix=prefix) as folder:
            yield Path(folder)
