#!/usr/bin/env python3
"""Records what rliable says about fixed scores, as test data: tests/data/suite/rliable.json.

    python3 -m venv build/rliable && build/rliable/bin/pip install --no-deps rliable==1.2.0
    build/rliable/bin/pip install numpy scipy 'arch<8' 'pandas<3' absl-py
    build/rliable/bin/python scripts/record_rliable.py

rliable (Agarwal et al., 2021) is archived; its figures are the norm for what `park bench` computes.
"""

import argparse
import json
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
OUT = ROOT / "tests/data/suite/rliable.json"
REPLICATES = 50_000
LIMITS = [-0.5, 0.0, 0.25, 0.5, 0.75, 1.0, 1.25, 1.5]


def scores(numpy):
    """Runs x tasks of two policies: skewed, with outliers and with equal values."""
    draw = numpy.random.RandomState(7)
    a = numpy.round(draw.gamma(2.0, 0.45, size=(25, 3)) * [1.0, 0.8, 1.3], 3)
    b = numpy.round(draw.normal(0.7, 0.3, size=(25, 3)), 2)
    a[3, 1] = 6.5
    a[:5, 2] = b[:5, 2]
    return {"a": a, "b": b}


def interval(bounds, i):
    return [float(bounds[0][i]), float(bounds[1][i])]


def main():
    argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter).parse_args()
    import numpy
    from rliable import library, metrics
    numpy.random.seed(1)
    names = ["mean", "median", "iqm", "optimality_gap"]
    functions = [metrics.aggregate_mean, metrics.aggregate_median, metrics.aggregate_iqm,
                 metrics.aggregate_optimality_gap]
    both = scores(numpy)
    points, bounds = library.get_interval_estimates(
        both, lambda x: numpy.array([f(x) for f in functions]), reps=REPLICATES)
    better, better_bounds = library.get_interval_estimates(
        {"a,b": (both["a"], both["b"])}, metrics.probability_of_improvement, reps=REPLICATES)
    profiles, profile_bounds = library.create_performance_profile(
        both, numpy.array(LIMITS), reps=REPLICATES // 10)
    content = {
        "made_by": "scripts/record_rliable.py, rliable 1.2.0", "replicates": REPLICATES,
        "limits": LIMITS,
        "improvement": {"value": float(better["a,b"]), "interval": interval(better_bounds["a,b"], 0)},
        "policies": {
            policy: {
                "scores_by_task": both[policy].T.tolist(),
                "aggregates": {name: {"value": float(points[policy][i]),
                                      "interval": interval(bounds[policy], i)}
                               for i, name in enumerate(names)},
                "profile": {"value": profiles[policy].tolist(),
                            "low": profile_bounds[policy][0].tolist(),
                            "high": profile_bounds[policy][1].tolist()},
            } for policy in both},
    }
    OUT.parent.mkdir(parents=True, exist_ok=True)
    OUT.write_text(json.dumps(content, indent=1) + "\n", encoding="utf-8")
    print(f"{OUT.relative_to(ROOT)}: rliable's figures of {len(both)} policies")
    return 0


if __name__ == "__main__":
    sys.exit(main())
