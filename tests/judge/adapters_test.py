#!/usr/bin/env python3
"""Task folders of `park judge export` in the packages that they are for, from PyPI: each scores the first
program of the folder, and a program that raises.

    adapters_test.py PARK

Exits with 77 where the packages cannot be downloaded. SkyDiscover and OpenEvolve run their own evaluators,
GEPA one round with the seed alone, and ShinkaEvolve reads what its evaluator has written. Harbor's package
is not on PyPI: its script runs as its container would run it, and so does that of SkyDiscover's container.
"""
import json
import os
import pathlib
import subprocess
import sys
import tempfile

PACKAGES = ["openevolve==0.4.0", "skydiscover==0.1.0", "gepa==0.1.4"]
ALONE = ["shinka-evolve==0.0.7"]  # without the packages that it draws in: one module of it is used
RAISES = "def decide(row):\n    raise ValueError('no')\n"

OPENEVOLVE = """
import asyncio, sys
from openevolve.config import EvaluatorConfig
from openevolve.evaluator import Evaluator
evaluator = Evaluator(EvaluatorConfig(cascade_evaluation=False, timeout=300), "evaluator.py")
for number, program in enumerate(sys.argv[1:]):
    metrics = asyncio.run(evaluator.evaluate_program(open(program).read(), str(number)))
    told = evaluator.get_pending_artifacts(str(number))
    print('judged', metrics["combined_score"], bool(told and told["feedback"]))
"""
SKYDISCOVER = """
import asyncio, sys
from skydiscover.config import EvaluatorConfig
from skydiscover.evaluation.evaluator import Evaluator
evaluator = Evaluator(EvaluatorConfig(cascade_evaluation=False, timeout=300), "evaluator.py")
for number, program in enumerate(sys.argv[1:]):
    result = asyncio.run(evaluator.evaluate_program(open(program).read(), str(number)))
    print('judged', result.metrics["combined_score"], bool(result.artifacts.get("feedback")))
"""
GEPA = """
import sys
from gepa.optimize_anything import EngineConfig, GEPAConfig, optimize_anything
from evaluator import evaluate
for program in sys.argv[1:]:
    text = open(program).read()
    config = GEPAConfig(engine=EngineConfig(max_metric_calls=1, parallel=False))
    result = optimize_anything(seed_candidate=text, evaluator=evaluate, objective="score", config=config)
    print('judged', result.val_aggregate_scores[0], bool(evaluate(text)[1]["feedback"]))
"""
SHINKA = """
import importlib.util, pathlib, subprocess, sys, tempfile
package = pathlib.Path(importlib.util.find_spec("shinka").submodule_search_locations[0])
spec = importlib.util.spec_from_file_location("general", package / "utils" / "general.py")
general = importlib.util.module_from_spec(spec)
spec.loader.exec_module(general)
for program in sys.argv[1:]:
    with tempfile.TemporaryDirectory() as results:
        subprocess.run([sys.executable, "evaluate.py", "--program_path", program, "--results_dir", results], check=True)
        told = general.load_results(results)
    print('judged', told["metrics"]["combined_score"], bool(told["metrics"]["text_feedback"]))
"""
FORMATS = {"openevolve": (OPENEVOLVE, "initial_program.py"), "skydiscover": (SKYDISCOVER, "initial_program.py"),
           "gepa": (GEPA, "program.py"), "shinka": (SHINKA, "initial.py")}


def check(format_name, lines):
    """The first program scores, the one that raises does not, and both come with a text."""
    good, bad = [line.split()[1:] for line in lines if line.startswith("judged ")]
    if not (float(good[0]) > 0 and float(bad[0]) == 0 and good[1] == bad[1] == "True"):
        sys.exit(f"{format_name}: {good}, {bad}")
    print(f"{format_name}: {good}, {bad}")


def check_container(folder, environment):
    """SkyDiscover's container has the task folder as /evaluator, and not the package."""
    task = folder / "skydiscover"
    script = (task / "evaluate.sh").read_text().replace("/evaluator", str(task))
    run = subprocess.run(["sh", "-c", script, "sh", task / "initial_program.py"], check=True, env=environment,
                         capture_output=True, text=True, timeout=600)
    told = json.loads(run.stdout)
    if not (told["status"] == "success" and told["combined_score"] > 0 and told["artifacts"]["feedback"]):
        sys.exit(f"skydiscover's container: {run.stdout}")


def check_harbor(park, folder, environment):
    task = folder / "harbor"
    subprocess.run([park, "judge", "export", "--format", "harbor", "--env", "load_balance(jobs=50)", "--out",
                    str(task)], check=True)
    for name in ("instruction.md", "task.toml", "environment/Dockerfile"):
        if not (task / name).stat().st_size:
            sys.exit(f"harbor: {name} is empty")
    app, logs = folder / "app", folder / "logs"
    app.mkdir()
    (app / "program.py").write_text((task / "environment/program.py").read_text())
    script = (task / "tests/test.sh").read_text().replace("/app/", f"{app}/").replace("/logs/", f"{logs}/")
    subprocess.run(["sh", "-c", script], check=True, env=environment)
    if not float((logs / "verifier/reward.txt").read_text()) > 0:
        sys.exit("harbor: no reward")
    print("harbor:", (logs / "verifier/reward.txt").read_text().strip())


def main():
    park = sys.argv[1]
    environment = {**os.environ, "PATH": f"{pathlib.Path(park).parent}:{os.environ['PATH']}"}
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        python = folder / "venv/bin/python"
        subprocess.run([sys.executable, "-m", "venv", str(folder / "venv")], check=True)
        for words in (PACKAGES, ["--no-deps", *ALONE]):
            if subprocess.run([python, "-m", "pip", "install", "-q", *words], check=False).returncode != 0:
                sys.exit(77)
        for format_name, (program, first) in FORMATS.items():
            task = folder / format_name
            subprocess.run([park, "judge", "export", "--format", format_name, "--env", "load_balance(jobs=50)",
                            "--out", str(task)], check=True)
            (task / "raises.py").write_text(RAISES)
            run = subprocess.run([python, "-c", program, first, "raises.py"], cwd=task, env=environment, check=False,
                                 capture_output=True, text=True, timeout=600)
            if run.returncode != 0:
                sys.exit(f"{format_name}: {run.stderr[-3000:]}")
            check(format_name, run.stdout.splitlines())
        check_container(folder, environment)
        check_harbor(park, folder, environment)


if __name__ == "__main__":
    main()
