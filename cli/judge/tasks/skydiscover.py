"""Scores a program by `park judge`: for SkyDiscover."""
import json
import subprocess

COMMAND = ["park", "judge", "--env", "@ENV@", "--set", "validation", "--json"]


def judged(path):
    run = subprocess.run([*COMMAND, path], capture_output=True, text=True, timeout=240)
    told = json.loads(run.stdout) if run.returncode == 0 else {"score": 0.0, "feedback": run.stderr[-2000:]}
    metrics = {name: value for name, value in told.get("metrics", {}).items() if value is not None}
    return {"combined_score": told["score"], **metrics}, {"feedback": told["feedback"]}


def evaluate(path):
    from skydiscover.evaluation.evaluation_result import EvaluationResult  # not in the container
    return EvaluationResult(*judged(path))
