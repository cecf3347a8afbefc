#!/usr/bin/env python3
"""Measures how long batches of four models take on an accelerator, as a table that dl_inference plays.

    experiments/dl_inference/measure_accelerator.py --out data/latencies/NAME.csv

Needs PyTorch, and a device that it names `cuda`; --device cpu measures a processor instead. The models have random
weights of a fixed seed: a convolutional network of ResNet-50's shape for pictures of 224 x 224, an encoder of BERT-base's
shape for 128 tokens, an LSTM of two layers with 1024 units for 64 steps, and a perceptron of four layers with 4096 units.
They compute in half precision on an accelerator. A latency is the median over repeats, in random order after a
warm-up, of the time from inputs in the host's memory to results there. Where a larger batch measured faster than a
smaller one, both have the larger time: a server may always fill up a batch.
"""

import argparse
import json
import random
import statistics
import sys
import time
from pathlib import Path

BATCHES = (1, 2, 3, 4, 6, 8, 12, 16, 24, 32, 48, 64)
WARM_UP, REPEATS = 20, 60


def libraries():
    """PyTorch and the models that are made with it; the help text needs neither."""
    try:
        import accelerator_models  # noqa: PLC0415
        import torch  # noqa: PLC0415
    except ImportError as error:
        sys.exit(f"error: {error.name} is missing; pip install torch")
    return torch, accelerator_models.MODELS


def seconds(model, inputs, device):
    """From inputs in the host's memory to results there."""
    begin = time.perf_counter()
    model(inputs.to(device, non_blocking=True)).cpu()
    return time.perf_counter() - begin


def measured(torch, make, device):
    """By batch: all times of a model [REPEATS]."""
    torch.manual_seed(1)
    model, shape = make()
    kind = torch.half if device == "cuda" else torch.float
    model = model.eval().to(device, kind)
    inputs = {b: torch.randn(b, *shape).to(kind) for b in BATCHES}
    if device == "cuda":
        inputs = {b: x.pin_memory() for b, x in inputs.items()}
    times = {b: [] for b in BATCHES}
    with torch.inference_mode():
        for b in BATCHES:
            for _ in range(WARM_UP):
                seconds(model, inputs[b], device)
        order = [b for b in BATCHES for _ in range(REPEATS)]
        random.Random(1).shuffle(order)
        for b in order:
            times[b].append(seconds(model, inputs[b], device))
    return times


def fit(medians):
    """a and b of a + b k by least squares of relative errors, and the worst relative error."""
    w = [1 / m**2 for m in medians.values()]
    k, m = list(medians), list(medians.values())
    s, sk, skk = sum(w), sum(a * b for a, b in zip(w, k)), sum(a * b * b for a, b in zip(w, k))
    sm, skm = sum(a * b for a, b in zip(w, m)), sum(a * b * c for a, b, c in zip(w, k, m))
    slope = (s * skm - sk * sm) / (s * skk - sk * sk)
    start = (sm - slope * sk) / s
    return start, slope, max(abs(start + slope * b - v) / v for b, v in medians.items())


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--out", required=True, type=Path, help="the table, CSV")
    parser.add_argument("--device", choices=("cuda", "cpu"), default="cuda")
    arguments = parser.parse_args()
    torch, models = libraries()
    if arguments.device == "cuda" and not torch.cuda.is_available():
        sys.exit("error: --device: PyTorch finds no cuda here; --device cpu measures the processor")
    torch.set_num_threads(1)
    lines, report = ["app,batch,latency_s"], {}
    for name, make in models.items():
        times = measured(torch, make, arguments.device)
        medians = {b: statistics.median(t) for b, t in times.items()}
        a, b, worst = fit(medians)
        tails = {k: statistics.quantiles(t, n=10)[-1] for k, t in times.items()}
        report[name] = {"medians_s": medians, "p90_s": tails, "fit_s": [a, b], "worst_relative_error": worst}
        print(f"{name}: {1e3 * a:.3g} + {1e3 * b:.3g} k ms, worst relative error {worst:.0%}; "
              f"largest p90 / median {max(tails[k] / medians[k] for k in BATCHES):.2f}")
        highest = 0
        for k in BATCHES:
            highest = max(highest, medians[k])
            lines.append(f"{name},{k},{highest:.6g}")
    arguments.out.parent.mkdir(parents=True, exist_ok=True)
    arguments.out.write_text("\n".join(lines) + "\n", encoding="utf-8")
    device = torch.cuda.get_device_name() if arguments.device == "cuda" else "cpu"
    print(json.dumps({"device": device, "torch": torch.__version__, "models": report}))


if __name__ == "__main__":
    main()
