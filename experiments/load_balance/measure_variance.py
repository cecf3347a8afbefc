#!/usr/bin/env python3
"""Measures how much estimates of the policy gradient vary under each baseline.

    experiments/load_balance/measure_variance.py             writes results/gradient_variance.json
    experiments/load_balance/measure_variance.py --seeds 1   fewer seeds, for a look

Builds nothing: needs the target benchmarks of build/release.
"""

import argparse
import json
import math
import random
import statistics
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "scripts"))
import figures  # noqa: E402

PROGRAM = "build/release/bin/gradient_variance"
# The first is the one that the others are compared with.
BASELINES = ("value(epochs=4)", "none", "sequence_mean", "multi_value(functions=8,epochs=4)", "meta")


@dataclass(frozen=True)
class Case:
    """A policy on an environment."""
    title: str
    env: str
    train: int
    warm_up: int
    estimates: int

    def command(self, seed):
        """What measures it."""
        return [PROGRAM, "--env", self.env, "--train", str(self.train), "--warm-up",
                str(self.warm_up), "--estimates", str(self.estimates), "--seed", str(seed),
                "--baseline", *BASELINES]


TWO_SERVERS = "load_balance(servers=2,rates=[3,3],jobs=60)"
CASES = (
    Case("two servers, random weights", TWO_SERVERS, 0, 150, 200),
    Case("two servers, after 100 iterations", TWO_SERVERS, 100, 150, 200),
    Case("ten servers, after 100 iterations", "load_balance", 100, 100, 60),
)


def measure(case, seed):
    """Squared distances of the estimates from their mean, of every baseline."""
    done = subprocess.run(case.command(seed), cwd=figures.ROOT, check=True, capture_output=True,
                          text=True)
    return json.loads(done.stdout)["squares"]


def times_lower(seeds, baseline):
    """Variance under the first baseline over that under another one, mean over seeds (geometric)."""
    return math.exp(statistics.fmean(
        math.log(sum(of[BASELINES[0]]) / sum(of[baseline])) for of in seeds))


def interval(seeds, baseline, draws=1000):
    """95 %, drawing seeds and estimates again (paired)."""
    draw = random.Random(1)
    found = []
    for _ in range(draws):
        again = []
        for of in draw.choices(seeds, k=len(seeds)):
            some = draw.choices(range(len(of[baseline])), k=len(of[baseline]))
            again.append({b: [of[b][i] for i in some] for b in (BASELINES[0], baseline)})
        found.append(times_lower(again, baseline))
    found.sort()
    return found[math.floor(0.025 * draws)], found[math.ceil(0.975 * draws) - 1]


def rows(case, seeds):
    """A row for each baseline."""
    for baseline in BASELINES:
        low, high = interval(seeds, baseline)
        yield [case.title, baseline, f"{times_lower(seeds, baseline):.2f}",
               f"[{low:.2f}, {high:.2f}]"]


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seeds", type=int, default=5)
    arguments = parser.parse_args()
    table = {"title": "", "rows": [], "columns": [
        "policy", "baseline", f"variance under {BASELINES[0]} over this", "95 % interval"]}
    for case in CASES:
        print(case.title, flush=True)
        seeds = [measure(case, seed) for seed in range(1, arguments.seeds + 1)]
        table["rows"] += rows(case, seeds)
    notes = ["Trace of the covariance of estimates of the gradient from 4 sequences with 4 rollouts "
             "each; all baselines see the same rollouts of the same policy, and the policy stays as "
             "it is while they learn.",
             f"Mean (geometric) and interval over {arguments.seeds} seeds of weights and rollouts, and "
             "over estimates. The ICLR 2019 paper reports 50 on its two servers."]
    notes += [f"{case.title}: `{' '.join(f'{w!r}' if '(' in w else w for w in case.command(1))}`"
              for case in CASES]
    figures.write(figures.ROOT / "results/gradient_variance.json",
                  "Variance of the policy gradient under each baseline",
                  figures.command(), [], notes, [table],
                  page=Path(__file__).resolve().parent.name)


if __name__ == "__main__":
    main()
