"""Compares docs/newenv.md with the environment: every field, leaf, head and metric, with its meaning."""

import json
import subprocess
from pathlib import Path

PAGE = Path(__file__).resolve().parent.parent / "docs" / "newenv.md"


def test_page() -> None:
    """What `park describe` tells."""
    command = ["park", "describe", "newenv", "--plugin", "park_newenv:SingleServer", "--json"]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    told = json.loads(done.stdout)
    parts = [told["config"], told["observation"]["leaves"], told["action"]["leaves"], told["metrics"]]
    page = PAGE.read_text()
    missing = [
        part["name"]
        for part in sum(parts, [])
        if f"| `{part['name']}` |" not in page or f"| {part['doc']} |" not in page
    ]
    assert missing == []
