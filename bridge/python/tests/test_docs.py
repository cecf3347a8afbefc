"""What docs/python.md shows runs."""

import re
import subprocess
import sys

from conftest import ROOT

BLOCK = re.compile(r"^```python\n(.*?)^```$", re.MULTILINE | re.DOTALL)


def test_the_page_runs(tmp_path):
    blocks = BLOCK.findall((ROOT / "docs" / "python.md").read_text())
    alone = [block for block in blocks if "tcp://" not in block]  # the others wait for somebody
    assert len(alone) >= 3
    done = subprocess.run(
        [sys.executable, "-W", "error", "-c", "\n".join(alone)],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        timeout=100,
    )
    assert done.returncode == 0, done.stderr
    assert "avg_response_s" in done.stdout
