"""Policies of finished trainings as results/policies keeps them, so that their tables can be played again.

policies.jsonl.xz has a line for each run, sorted by its name: {"run": ..., "weights": ..., "manifest": ...,
"best": ...} (`xzcat` shows them). `manifest` is that of the run's newest checkpoint. `best` has what is different in that
of the best checkpoint; of `validations`, which there are the first of the others, it has the number.
`weights` is the file of the best policy: NAME.safetensors.xz beside it, or that of a bundled network.
Members that many manifests have alike stand once, in lines {"shared": KEY, "value": ...} before the
others; a manifest has the key instead. Reference data is named (experiments/reference_data.py).
"""

import json
import lzma
import sys
import zlib
from pathlib import Path

HERE = Path(__file__).resolve().parent
ROOT = HERE.parents[1]
sys.path.insert(0, str(HERE.parent))
import reference_data  # noqa: E402

FOLDER = ROOT / "results/policies"
ENTRIES = "policies.jsonl.xz"
SHARED = ("layout", "data", "host")
POLICY, MANIFEST = "policy.safetensors", "manifest.json"


def read_json(path):
    return json.loads(path.read_text(encoding="utf-8"))


def write_json(path, content):
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(content, indent=2) + "\n", encoding="utf-8")


def named(value):
    """A manifest with names of reference data in its texts."""
    if isinstance(value, dict):
        return {key: named(of) for key, of in value.items()}
    if isinstance(value, list):
        return [named(of) for of in value]
    return reference_data.named(value) if isinstance(value, str) else value


def packed(content):
    return lzma.compress(content, preset=9 | lzma.PRESET_EXTREME)


def entries(folder=FOLDER):
    """What is kept, by the name of the run; members that are shared are in their places."""
    shared, found = {}, {}
    path = folder / ENTRIES
    for line in lzma.decompress(path.read_bytes()).splitlines() if path.exists() else ():
        content = json.loads(line)
        if "shared" in content:
            shared[content["shared"]] = content["value"]
            continue
        for key in SHARED:
            content["manifest"][key] = shared[content["manifest"][key]]
        found[content["run"]] = content
    return found


def write_entries(all_entries, folder=FOLDER):
    """Writes the lines of all runs anew."""
    shared, lines = {}, []
    for _, entry in sorted(all_entries.items()):
        manifest = dict(entry["manifest"])
        for key in SHARED:
            value = json.dumps(manifest[key])
            manifest[key] = f"{key}-{zlib.crc32(value.encode()):08x}"
            shared[manifest[key]] = {"shared": manifest[key], "value": json.loads(value)}
        lines.append({**entry, "manifest": manifest})
    lines = [line for _, line in sorted(shared.items())] + lines
    folder.mkdir(parents=True, exist_ok=True)
    text = "".join(json.dumps(line, separators=(",", ":")) + "\n" for line in lines)
    (folder / ENTRIES).write_bytes(packed(text.encode()))


def bundled(content):
    """The file of a bundled network that is this one, from the root of the repository, or
    None."""
    for path in sorted((ROOT / "data/checkpoints").glob(f"*/{POLICY}")):
        if path.read_bytes() == content:
            return str(path.relative_to(ROOT))
    return None


def keep(run, folder=FOLDER):
    """Keeps the best policy of a finished run; `run` is its folder."""
    name, latest, best = run.name, read_json(run / "latest" / MANIFEST), read_json(run / "best" / MANIFEST)
    latest, best = named(latest), named(best)
    count = len(best["validations"])
    if best["validations"] != latest["validations"][:count]:
        raise SystemExit(f"{run}: its best checkpoint is of another run")
    changed = {key: value for key, value in best.items() if value != latest[key]}
    content = (run / "best" / POLICY).read_bytes()
    where = bundled(content)
    if where is None:
        folder.mkdir(parents=True, exist_ok=True)
        where = f"{name}.safetensors.xz"
        (folder / where).write_bytes(packed(content))
    write_entries({**entries(folder), name: {"run": name, "weights": where, "manifest": latest,
                                             "best": {**changed, "validations": count}}}, folder)


def weights(entry, folder=FOLDER):
    """The file of the best policy."""
    name = entry["weights"]
    if name.endswith(".xz"):
        return lzma.decompress((folder / name).read_bytes())
    return (ROOT / name).read_bytes()


def restore(run, folder=FOLDER):
    """Writes the best policy of a run and the manifest of its newest checkpoint into the folder
    `run`, as the training left them; False: the run is not kept."""
    entry = entries(folder).get(run.name)
    if entry is None:
        return False
    manifest, best = entry["manifest"], entry["best"]
    write_json(run / "latest" / MANIFEST, manifest)
    write_json(run / "best" / MANIFEST, {
        **manifest, **best, "validations": manifest["validations"][:best["validations"]]})
    (run / "best" / POLICY).write_bytes(weights(entry, folder))
    return True
