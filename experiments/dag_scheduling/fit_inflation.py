#!/usr/bin/env python3
"""Fit how task durations grow with the number of executors that a job holds.

    experiments/dag_scheduling/fit_inflation.py DIR        DIR holds Decima's TPC-H profiles (2g/ ... 100g/)

Prints the coefficients of park::envs::Inflation::fitted() and how well they fit. Per wave, the mean
duration d of stage s at n executors is modelled as

    d(s, n) = D(s) * g(n),    g(n) = 1 + slope * (n - 1)^power

with one free factor D(s) per stage. Levels are 5 to 100 executors; the waves are those after the
usual cleaning (a first-wave sample that is also a fresh one is taken away). The squared errors of a
stage are divided by its mean duration: then it is the total of the durations over all stages that
is fitted at each level, and stages with long tasks weigh as much as their tasks do.

Needs numpy (python3-numpy of Debian).
"""

import argparse
from collections import Counter
from pathlib import Path

import numpy

SIZES = ("2g", "5g", "10g", "20g", "50g", "80g", "100g")
LEVELS = (5, 10, 20, 40, 50, 60, 80, 100)
WAVES = ("fresh", "first", "rest")


def without(samples, others):
    """samples minus others, as multisets."""
    left, kept = Counter(others), []
    for sample in samples:
        if left[sample] > 0:
            left[sample] -= 1
        else:
            kept.append(sample)
    return kept


def mean_durations(folder):
    """Per wave an array [stages, levels] of mean durations in ms; NaN where nothing was measured."""
    rows = {wave: [] for wave in WAVES}
    for size in SIZES:
        for query in range(1, 23):
            path = folder / size / f"task_duration_{query}.npy"
            for stage in numpy.load(path, allow_pickle=True).item().values():
                samples = {
                    "fresh": stage["fresh_durations"],
                    "rest": stage["rest_wave"],
                    "first": {
                        level: without(stage["first_wave"][level], stage["fresh_durations"][level])
                        for level in stage["first_wave"]
                    },
                }
                for wave in WAVES:
                    of_level = [samples[wave].get(level) for level in LEVELS]
                    row = [numpy.mean(one) if one else numpy.nan for one in of_level]
                    if sum(value == value for value in row) >= 2:
                        rows[wave].append(row)
    return {wave: numpy.array(rows[wave]) for wave in WAVES}


def growth(slope, power):
    return 1 + slope * (numpy.array(LEVELS) - 1.0) ** power


def predict(durations, slope, power):
    """The modelled durations, with the best D(s) of every stage."""
    present = ~numpy.isnan(durations)
    shape = numpy.where(present, growth(slope, power), 0)
    known = numpy.where(present, durations, 0)
    factor = (shape * known).sum(axis=1) / (shape * shape).sum(axis=1)
    return numpy.where(present, factor[:, None] * shape, numpy.nan)


def loss(durations, slope, power):
    weight = 1 / numpy.nanmean(durations, axis=1)
    errors = durations - predict(durations, slope, power)
    return float((weight * numpy.nansum(errors * errors, axis=1)).sum())


def minimize(function, low, high, steps=60):
    """Golden-section search."""
    ratio = (5**0.5 - 1) / 2
    a, b = high - ratio * (high - low), low + ratio * (high - low)
    at_a, at_b = function(a), function(b)
    for _ in range(steps):
        if at_a < at_b:
            high, b, at_b = b, a, at_a
            a = high - ratio * (high - low)
            at_a = function(a)
        else:
            low, a, at_a = a, b, at_b
            b = low + ratio * (high - low)
            at_b = function(b)
    return (low + high) / 2


def fit(durations):
    def best_slope(power):
        # ln(slope): the loss is flat over orders of magnitude at the wrong power.
        return float(numpy.exp(minimize(lambda s: loss(durations, numpy.exp(s), power), -16, 0)))

    power = minimize(lambda p: loss(durations, best_slope(p), p), 0.2, 3.0)
    return best_slope(power), power


def report(wave, durations, slope, power):
    predicted = predict(durations, slope, power)
    relative = numpy.abs(predicted - durations) / durations
    flat = predict(durations, 0.0, 1.0)
    explained = 1 - loss(durations, slope, power) / loss(durations, 0.0, 1.0)
    print(f"{wave}: slope {slope:.5f} power {power:.4f} ({len(durations)} stages)")
    print("  executors        ", "  ".join(f"{level:6d}" for level in LEVELS))
    print("  g                ", "  ".join(f"{value:6.3f}" for value in growth(slope, power)))
    for name, values in (("modelled/measured", predicted), ("without growth   ", flat)):
        ratio = numpy.nansum(values, axis=0) / numpy.nansum(durations, axis=0)
        print(f"  {name}", "  ".join(f"{value:6.3f}" for value in ratio))
    print(
        f"  error of a stage's mean at one level: median {numpy.nanmedian(relative):.1%},"
        f" weighted by duration {numpy.nansum(relative * durations) / numpy.nansum(durations):.1%}"
        f" (without growth {numpy.nansum(numpy.abs(flat - durations)) / numpy.nansum(durations):.1%});"
        f" {explained:.0%} of the squared error without growth is gone"
    )


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("folder", type=Path)
    for wave, durations in mean_durations(parser.parse_args().folder).items():
        report(wave, durations, *fit(durations))


if __name__ == "__main__":
    main()
