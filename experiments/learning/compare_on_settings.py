"""Trained policies beside tuned heuristics on several settings of one environment, as tables.

Experiments of environments whose score is a logarithm use it: figures are means with intervals over seeds and
episodes, and not ratios of means.
"""

import statistics
from dataclasses import dataclass

import figures
import measure_learning
from intervals import mean_and_half
from settings import shown


@dataclass(frozen=True)
class Place:
    """Where policies are compared, and by which metrics; the first one orders the rows."""
    title: str
    env: str
    episodes: int
    metrics: tuple
    lower: bool = False  # of the first metric is better


def mean_interval(values):
    """Mean and half of the 95 % interval of figures [seeds][episodes]: by seeds where there are several."""
    means = [statistics.fmean(one) for one in values]
    return mean_and_half(means if len(means) > 1 else values[0])


def cell(values):
    """Mean and interval, as a table shows them."""
    return figures.plus_minus(*mean_interval(values))


def tuned(env, policies, episodes):
    """The heuristics with the fields that are best on training inputs of that environment."""
    return [measure_learning.park("tune", env, "--policy", policy, "--episodes", str(episodes))["best"]
            for policy in policies]


def table(place, texts, runs, label):
    """The table of a place: a row for each heuristic, and one for all seeds."""
    played = measure_learning.park("run", place.env, "--policy", ",".join([*texts, *runs]), "--episodes",
                                   str(place.episodes))["results"]
    of = {one["policy"]: one["per_episode"] for one in played}
    first = place.metrics[0]
    order = sorted(texts, key=lambda text: statistics.fmean(of[text][first]), reverse=not place.lower)
    rows = [[text, *(cell([of[text][metric]]) for metric in place.metrics)] for text in order]
    rows.append([label, *(cell([of[run][metric] for run in runs]) for metric in place.metrics)])
    return {"title": f"{place.title}: `{place.env}`, {place.episodes} episodes", "columns":
            ["policy", *place.metrics], "rows": rows}


def measure(file, title, command, training, places, heuristics, bounds, tune_episodes, page):
    """Plays every place and writes the tables."""
    runs = measure_learning.whole([training])[training]
    label = f"{training.name}, all {len(runs)} seeds"
    texts = list(dict.fromkeys([*heuristics, *tuned(training.env, heuristics, tune_episodes), *bounds]))
    tables = [table(place, texts, runs, label) for place in places]
    notes = [f"`{shown(training.command(1))}`, and likewise the other seeds",
             f"heuristics as they are, and tuned on {tune_episodes} training episodes of `{training.env}`",
             "held-out episodes, the same for all; intervals are of 95 %, Student's t over episodes, and over seeds "
             "where there are several"]
    figures.write(figures.ROOT / file, title, command, [], notes,
                  [*tables, measure_learning.cost({training: runs})],
                  curves={"columns": measure_learning.CURVE, "runs": measure_learning.curves({training: runs})},
                  page=page)
