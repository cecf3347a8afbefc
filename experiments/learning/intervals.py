"""Intervals of means and of their ratio, each over training seeds and the same episodes.

A figure of seed s in episode e is mean + seed effect + episode effect + rest (crossed random effects;
Searle, Casella, McCulloch, Variance Components, 1992, section 4.3). The ratio of two means is made linear
in its logarithm. Its variance is the sum of three parts: seeds of the one, seeds of the other, and
episodes, which both share. Each part has its own degrees of freedom, S - 1 or E - 1; Student's t gets those
of Satterthwaite (Biometrics Bulletin 2, 1946). With 3 to 5 seeds the bootstrap over seeds covers too
little: it never draws a seed that is not there, and it knows no t.
"""

import functools
import math
import statistics
from collections import namedtuple

Part = namedtuple("Part", "variance freedom")
COVER = 0.95


def mean_ratio(some, others):
    """Mean over lists [seeds][episodes] of figures, over that of others."""
    return statistics.fmean(map(statistics.fmean, some)) / statistics.fmean(
        map(statistics.fmean, others))


def seeds_part(some):
    """Variance of the logarithm of a mean by its seeds; none with a single one, as of a heuristic."""
    means = [statistics.fmean(values) for values in some]
    if len(means) < 2:
        return Part(0.0, 1)
    relative = statistics.variance(means) / statistics.fmean(means) ** 2
    return Part(relative / len(means), len(means) - 1)


def episodes_part(some, others):
    """Variance of the logarithm of a ratio by the episodes, on which both were played."""
    def relative(lists):
        mean = statistics.fmean(map(statistics.fmean, lists))
        return [statistics.fmean(column) / mean for column in zip(*lists)]

    gaps = [a - b for a, b in zip(relative(some), relative(others), strict=True)]
    return Part(statistics.variance(gaps) / len(gaps), len(gaps) - 1)


def ratio_interval(some, others):
    """(low, high): the 95 % interval of mean_ratio of figures [seeds][episodes] above 0."""
    parts = [seeds_part(some), seeds_part(others), episodes_part(some, others)]
    variance = sum(part.variance for part in parts)
    if variance == 0:
        return (mean_ratio(some, others),) * 2
    freedom = variance ** 2 / sum(part.variance ** 2 / part.freedom for part in parts)
    half = student_quantile((1 + COVER) / 2, freedom) * math.sqrt(variance)
    centre = mean_ratio(some, others)
    return centre * math.exp(-half), centre * math.exp(half)


def ratio_cell(some, others, digits):
    """The ratio of means with its interval, as tables have it."""
    if some is others:
        return "1"
    low, high = ratio_interval(some, others)
    return f"{mean_ratio(some, others):.{digits}f} [{low:.{digits}f}, {high:.{digits}f}]"


def mean_and_half(values):
    """The mean of two or more figures, and half of its 95 % interval by Student's t."""
    quantile = student_quantile((1 + COVER) / 2, len(values) - 1)
    return statistics.fmean(values), quantile * statistics.stdev(values) / math.sqrt(len(values))


def student_cdf(t, freedom):
    """P(T <= t) for t >= 0: Simpson's rule over the angle atan(t / sqrt(freedom))."""
    steps, top = 400, math.atan(t / math.sqrt(freedom))
    width = top / steps
    total = sum((1 if i in (0, steps) else 4 if i % 2 else 2) * math.cos(i * width) ** (freedom - 1)
                for i in range(steps + 1)) * width / 3
    log_scale = math.lgamma((freedom + 1) / 2) - math.lgamma(freedom / 2)
    return 0.5 + total * math.exp(log_scale) / math.sqrt(math.pi)


@functools.lru_cache(maxsize=None)
def tabled_quantile(p, freedom):
    """The t >= 0 with student_cdf(t) = p, by bisection."""
    low, high = 0.0, 1e3
    while high - low > 1e-6 * (1 + low):
        middle = (low + high) / 2
        low, high = (middle, high) if student_cdf(middle, freedom) < p else (low, middle)
    return (low + high) / 2


def student_quantile(p, freedom):
    """The same for freedom >= 1, rounded down to a tenth, which widens an interval a little."""
    return tabled_quantile(p, math.floor(10 * max(1.0, freedom)) / 10)
