"""Scores a program by `park judge`: for ShinkaEvolve."""
import argparse
import json
import pathlib
import subprocess

COMMAND = ["park", "judge", "--env", "@ENV@", "--set", "validation", "--json"]


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--program_path", default="initial.py")
    parser.add_argument("--results_dir", default="results", type=pathlib.Path)
    given = parser.parse_args()
    run = subprocess.run([*COMMAND, given.program_path], capture_output=True, text=True, timeout=240)
    told = json.loads(run.stdout) if run.returncode == 0 else {"score": 0.0, "feedback": run.stderr[-2000:]}
    correct = told.get("verdict") in ("valid", "failed_inputs")
    given.results_dir.mkdir(parents=True, exist_ok=True)
    for name, value in (("metrics", {"combined_score": told["score"], "public": told.get("metrics", {}),
                                     "text_feedback": told["feedback"]}),
                        ("correct", {"correct": correct, "error": told.get("why") or None})):
        (given.results_dir / f"{name}.json").write_text(json.dumps(value))


if __name__ == "__main__":
    main()
