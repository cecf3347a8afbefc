"""Scores a program by `park judge`: for OpenEvolve."""
import json
import subprocess

from openevolve.evaluation_result import EvaluationResult

COMMAND = ["park", "judge", "--env", "@ENV@", "--set", "validation", "--json"]


def evaluate(path):
    run = subprocess.run([*COMMAND, path], capture_output=True, text=True, timeout=240)
    told = json.loads(run.stdout) if run.returncode == 0 else {"score": 0.0, "feedback": run.stderr[-2000:]}
    metrics = {name: value for name, value in told.get("metrics", {}).items() if value is not None}
    return EvaluationResult(metrics={"combined_score": told["score"], **metrics},
                            artifacts={"feedback": told["feedback"]})
