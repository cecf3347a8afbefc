#!/usr/bin/env python3
"""Trains for a moment, reads the curves with the real TensorBoard and the weights with the library
safetensors.

    other_readers_test.py PARK_BINARY
"""

import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path

SKIPPED = 77
ENVIRONMENT = Path(__file__).resolve().parents[3] / "build" / "python"


def readers():
    """TensorBoard's reader of event files and the one of safetensors, or None."""
    sys.path += [str(path) for path in ENVIRONMENT.glob("lib/python3*/site-packages")]
    os.environ["TF_CPP_MIN_LOG_LEVEL"] = "3"
    try:
        from safetensors import numpy
        from tensorboard.backend.event_processing import event_accumulator
    except ImportError as error:
        print(f"skipped: {error}; scripts/python_packages.sh installs it")
        return None
    return event_accumulator.EventAccumulator, numpy.load_file


def train(park, folder, *more):
    """Runs park train on a small cluster."""
    subprocess.run(
        [park, "train", "dag_scheduling(executors=4,jobs=2)", "--out", folder, "--quiet",
         "--algo", "reinforce(sequences=2,rollouts=2)", "--validation-episodes", "3", *more],
        check=True, stdout=subprocess.DEVNULL)


def check_curves(run, accumulator):
    """The curves have the numbers of metrics.jsonl."""
    curves = accumulator(str(run / "tensorboard"))
    curves.Reload()
    lines = [json.loads(line) for line in (run / "metrics.jsonl").open()]
    iterations = [line for line in lines if line["type"] == "iteration"]
    assert len(iterations) == 6
    for tag in ("mean_reward", "entropy", "gradient_norm"):
        read = curves.Scalars(f"train/{tag}")
        assert [e.step for e in read] == [line["iteration"] + 1 for line in iterations], (tag, read)
        for event, line in zip(read, iterations):
            assert abs(event.value - line[tag]) <= 1e-6 * abs(line[tag]), (tag, event, line)
    validations = [line for line in lines if line["type"] == "validation"]
    read = curves.Scalars("validation/avg_jct_s")
    assert [e.step for e in read] == [line["iteration"] for line in validations], read
    return len(curves.Tags()["scalars"])


def check_weights(run, load_file):
    """Another library reads the weights; their numbers are as many as the manifest says."""
    manifest = json.loads((run / "best" / "manifest.json").read_text())
    arrays = load_file(run / "best" / "policy.safetensors")
    assert sum(a.size for a in arrays.values()) == manifest["parameters"], arrays.keys()
    assert all(a.dtype == "float32" and abs(a).max() < 100 for a in arrays.values())
    assert load_file(run / "latest" / "training.safetensors")["optimiser.steps"].dtype == "int64"
    return len(arrays)


def main():
    found = readers()
    if found is None:
        return SKIPPED
    accumulator, load_file = found
    with tempfile.TemporaryDirectory() as scratch:
        run = Path(scratch) / "run"
        train(sys.argv[1], run, "--iterations", "4", "--validate-every", "50%")
        train(sys.argv[1], run, "--iterations", "6", "--resume")
        curves = check_curves(run, accumulator)
        arrays = check_weights(run, load_file)
    print(f"TensorBoard reads {curves} curves, safetensors {arrays} arrays")
    return 0


if __name__ == "__main__":
    sys.exit(main())
