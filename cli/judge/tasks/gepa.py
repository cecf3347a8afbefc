"""Scores a program by `park judge`: an evaluator for GEPA's optimize_anything."""
import json
import pathlib
import subprocess
import tempfile

COMMAND = ["park", "judge", "--env", "@ENV@", "--set", "validation", "--json"]


def evaluate(candidate):
    """Of the text of a program: the score, and what its author should know."""
    with tempfile.TemporaryDirectory() as folder:
        path = pathlib.Path(folder) / "program.py"
        path.write_text(candidate)
        run = subprocess.run([*COMMAND, str(path)], capture_output=True, text=True, timeout=240)
    told = json.loads(run.stdout) if run.returncode == 0 else {"score": 0.0, "feedback": run.stderr[-2000:]}
    # Not as "scores": GEPA takes more of those for better.
    return told["score"], {"feedback": told["feedback"], "metrics": told.get("metrics", {})}
