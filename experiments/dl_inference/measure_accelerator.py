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

import torch
from torch import nn

BATCHES = (1, 2, 3, 4, 6, 8, 12, 16, 24, 32, 48, 64)
WARM_UP, REPEATS = 20, 60


class Bottleneck(nn.Module):
    """A block of ResNet-50 (He et al., CVPR 2016, table 1)."""

    def __init__(self, inputs, width, stride):
        super().__init__()
        self.path = nn.Sequential(
            nn.Conv2d(inputs, width, 1, bias=False), nn.BatchNorm2d(width), nn.ReLU(),
            nn.Conv2d(width, width, 3, stride, 1, bias=False), nn.BatchNorm2d(width), nn.ReLU(),
            nn.Conv2d(width, 4 * width, 1, bias=False), nn.BatchNorm2d(4 * width))
        same = stride == 1 and inputs == 4 * width
        self.shortcut = nn.Identity() if same else nn.Conv2d(inputs, 4 * width, 1, stride, bias=False)

    def forward(self, x):
        return torch.relu(self.path(x) + self.shortcut(x))


def cnn():
    """[B, 3, 224, 224] to [B, 1000]."""
    layers, inputs = [nn.Conv2d(3, 64, 7, 2, 3, bias=False), nn.BatchNorm2d(64), nn.ReLU(), nn.MaxPool2d(3, 2, 1)], 64
    for width, blocks, stride in ((64, 3, 1), (128, 4, 2), (256, 6, 2), (512, 3, 2)):
        for block in range(blocks):
            layers.append(Bottleneck(inputs, width, stride if block == 0 else 1))
            inputs = 4 * width
    return nn.Sequential(*layers, nn.AdaptiveAvgPool2d(1), nn.Flatten(), nn.Linear(inputs, 1000)), (3, 224, 224)


def transformer():
    """[B, 128, 768] to [B, 128, 768]."""
    layer = nn.TransformerEncoderLayer(768, 12, 3072, activation="gelu", batch_first=True, norm_first=True)
    return nn.TransformerEncoder(layer, 12, enable_nested_tensor=False), (128, 768)


class Lstm(nn.Module):
    """[B, 64, 256] to [B, 1000]."""

    def __init__(self):
        super().__init__()
        self.layers, self.last = nn.LSTM(256, 1024, 2, batch_first=True), nn.Linear(1024, 1000)

    def forward(self, x):
        return self.last(self.layers(x)[0][:, -1])


def mlp():
    """[B, 1024] to [B, 1000]."""
    widths = (1024, 4096, 4096, 4096)
    hidden = [part for a, b in zip(widths, widths[1:]) for part in (nn.Linear(a, b), nn.ReLU())]
    return nn.Sequential(*hidden, nn.Linear(widths[-1], 1000)), (1024,)


MODELS = {"cnn": cnn, "transformer": transformer, "lstm": lambda: (Lstm(), (64, 256)), "mlp": mlp}


def seconds(model, inputs, device):
    """From inputs in the host's memory to results there."""
    begin = time.perf_counter()
    model(inputs.to(device, non_blocking=True)).cpu()
    return time.perf_counter() - begin


def measured(name, device):
    """By batch: all times of a model [REPEATS]."""
    torch.manual_seed(1)
    model, shape = MODELS[name]()
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
    if arguments.device == "cuda" and not torch.cuda.is_available():
        sys.exit("error: --device: PyTorch finds no cuda here; --device cpu measures the processor")
    torch.set_num_threads(1)
    lines, report = ["app,batch,latency_s"], {}
    for name in MODELS:
        times = measured(name, arguments.device)
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
