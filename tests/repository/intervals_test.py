#!/usr/bin/env python3
"""The intervals over training seeds and episodes cover what they say, in a simulation."""

import math
import random
import sys
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "experiments/learning"))
import intervals  # noqa: E402

REPEATS, EPISODES = 1000, 40


def skewed(draw):
    """Mean 0, standard deviation 1, a long tail: an exponential one."""
    return draw.expovariate(1) - 1


def figures(draw, mean, seeds, episodes, seed_sd, noise_sd, effect):
    """[seeds][episodes]; the episodes' effects are given, so that two policies share them."""
    return [[mean * (1 + s + e) * (1 + noise_sd * draw.gauss(0, 1)) for e in episodes]
            for s in (seed_sd * effect(draw) for _ in range(seeds))]


def bootstrap_interval(some, others, draws=200):
    """The method of before: percentiles, drawing seeds and episodes again."""
    draw, found = random.Random(1), []
    for _ in range(draws):
        episodes = draw.choices(range(EPISODES), k=EPISODES)
        found.append(intervals.mean_ratio(
            *([[values[e] for e in episodes] for values in draw.choices(seeds, k=len(seeds))]
              for seeds in (some, others))))
    found.sort()
    return found[math.floor(0.025 * draws)], found[math.ceil(0.975 * draws) - 1]


def coverage(seeds, rival_seeds, seed_sd, effect, interval=intervals.ratio_interval, repeats=REPEATS):
    """The share of intervals that hold the true ratio, 0.9."""
    draw, held = random.Random(7), 0
    for _ in range(repeats):
        episodes = [0.3 * skewed(draw) for _ in range(EPISODES)]
        some = figures(draw, 0.9, seeds, episodes, seed_sd, 0.05, effect)
        others = figures(draw, 1.0, rival_seeds, episodes, seed_sd if rival_seeds > 1 else 0, 0.05,
                         effect)
        low, high = interval(some, others)
        held += low <= 0.9 <= high
    return held / repeats


def normal(draw):
    return draw.gauss(0, 1)


class IntervalsTest(unittest.TestCase):
    def test_students_t(self):
        # Tables of Student's t: 97.5 %.
        for freedom, t in ((1, 12.7062), (2, 4.30265), (4, 2.77645), (9, 2.26216), (99, 1.98422)):
            self.assertAlmostEqual(intervals.student_quantile(0.975, freedom), t, delta=2e-4 * t)

    def test_one_row_each_is_the_paired_t(self):
        some, others = [[1.0, 2.0, 4.0]], [[2.0, 2.0, 2.0]]
        low, high = intervals.ratio_interval(some, others)
        gaps = [a / (7 / 3) - 1 for a in some[0]]
        half = 4.30265 * math.sqrt(sum(g * g for g in gaps) / 2 / 3)
        self.assertAlmostEqual(math.log(high / low), 2 * half, delta=1e-3)

    def test_equal_figures_have_no_width(self):
        self.assertEqual(intervals.ratio_interval([[1.0, 2.0]], [[1.0, 2.0]]), (1, 1))

    def test_they_cover(self):
        for seeds in (3, 5):
            for rivals in (1, seeds):
                for seed_sd in (0.01, 0.05):
                    for effect in (normal, skewed):
                        with self.subTest(seeds=seeds, rivals=rivals, sd=seed_sd,
                                          effect=effect.__name__):
                            covered = coverage(seeds, rivals, seed_sd, effect)
                            print(f"{seeds} seeds, {rivals} of the rival, sd {seed_sd}, "
                                  f"{effect.__name__}: {covered:.3f}")
                            # Three draws of a skewed distribution do not show its tail to any interval.
                            floor = 0.93 if effect is normal else 0.84
                            self.assertGreaterEqual(covered, floor)
                            self.assertLess(covered, 0.995)

    def test_a_bootstrap_over_seeds_does_not(self):
        for seeds in (3, 5):
            with self.subTest(seeds=seeds):
                covered = coverage(seeds, 1, 0.05, normal, bootstrap_interval, repeats=200)
                print(f"{seeds} seeds, bootstrap: {covered:.3f}")
                self.assertLess(covered, 0.9)


if __name__ == "__main__":
    unittest.main()
