"""Scores a program by `park judge`: for SkyDiscover."""
import json
import subprocess

COMMAND = ["park", "judge", "--env", "@ENV@", "--set", "validation", "--json"]


def evaluate(path):
    run = subprocess.run([*COMMAND, path], capture_output=True, text=True, timeout=240)
    told = json.loads(run.stdout) if run.returncode == 0 else {"score": 0.0, "feedback": run.stderr[-2000:]}
    return {"combined_score": told["score"], **told.get("metrics", {}), "artifacts": {"feedback": told["feedback"]}}
