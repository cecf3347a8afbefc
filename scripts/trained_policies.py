"""The networks of the tree and what their trainings can be repeated from: bundled ones (data/checkpoints)
and those of tables (results/policies)."""

import json
import re
import sys

import figures

sys.path.insert(0, str(figures.ROOT / "experiments/learning"))
import policies  # noqa: E402


def manifests():
    """The manifest of the newest checkpoint of each kept run, and that of each bundled network, by name."""
    found = {f"results/policies: {name}": entry["manifest"] for name, entry in policies.entries().items()}
    for path in sorted((figures.ROOT / "data/checkpoints").glob("*/manifest.json")):
        found[f"data/checkpoints/{path.parent.name}"] = json.loads(path.read_text(encoding="utf-8"))
    return dict(sorted(found.items()))


def hindrances(manifest):
    """Why the command of a manifest does not give the same bits again on one type of processor."""
    settings, commit = manifest["settings"], manifest["host"]["commit"]
    texts = ["the tree had changes"] if re.search(r"-dirty$|[+]changes$", commit) else []
    exact = settings["iterations"] or settings.get("decisions", 0)
    if not exact or manifest["progress"]["iteration"] < settings["iterations"]:
        texts.append(f"it ended after {settings['budget_s']:g} s of CPU time")
    if "--resume" in manifest["command"]:
        texts.append("the manifest names a command that went on with the run; its settings are whole")
    if settings["network"].startswith("park"):
        texts.append("its network park is called cluster_features today")
    if settings["init"]:
        texts.append(f"it began with {settings['init']}")
    return texts


def table():
    """A row for each network: name, commit, iterations of its newest checkpoint, what hinders."""
    return [[name, manifest["host"]["commit"].split("-")[0], str(manifest["progress"]["iteration"]),
             "; ".join(hindrances(manifest)) or "nothing"] for name, manifest in manifests().items()]
