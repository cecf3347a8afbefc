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
    group: str = ""  # places of one group, with as many episodes each, also have a table of their mean


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


def play(place, texts, runs):
    """The metrics of every episode by policy."""
    played = measure_learning.park("run", place.env, "--policy", ",".join([*texts, *runs]), "--episodes",
                                   str(place.episodes))["results"]
    return {one["policy"]: one["per_episode"] for one in played}


def table(title, of, place, texts, runs, label):
    """A row for each heuristic, the best first, and one for all seeds."""
    first = place.metrics[0]
    order = sorted(texts, key=lambda text: statistics.fmean(of[text][first]), reverse=not place.lower)
    rows = [[text, *(cell([of[text][metric]]) for metric in place.metrics)] for text in order]
    rows.append([label, *(cell([of[run][metric] for run in runs]) for metric in place.metrics)])
    return {"title": title, "columns": ["policy", *place.metrics], "rows": rows}


def mean_over(played):
    """The mean over places of the k-th episode, by policy and metric."""
    return {policy: {metric: [statistics.fmean(values) for values in zip(*(of[policy][metric] for of in played))]
                     for metric in played[0][policy]} for policy in played[0]}


def tables_of(places, texts, runs, label):
    """A table for each place, after those of groups."""
    played = {place: play(place, texts, runs) for place in places}
    groups = {place.group: [one for one in places if one.group == place.group] for place in places if place.group}
    together = [table(f"{name}: the mean of all {len(inside)}", mean_over([played[one] for one in inside]), inside[0],
                      texts, runs, label) for name, inside in groups.items()]
    return together + [table(f"{place.title}: `{place.env}`, {place.episodes} episodes", played[place], place, texts,
                             runs, label) for place in places]


def measure(file, title, command, training, places, heuristics, bounds, tune_episodes, page):
    """Plays every place and writes the tables."""
    runs = measure_learning.whole([training])[training]
    label = f"{training.name}, all {len(runs)} seeds"
    texts = list(dict.fromkeys([*heuristics, *tuned(training.env, heuristics, tune_episodes), *bounds]))
    tables = tables_of(places, texts, runs, label)
    notes = [f"`{shown(training.command(1))}`, and likewise the other seeds",
             f"heuristics as they are, and tuned on {tune_episodes} training episodes of `{training.env}`",
             "held-out episodes, the same for all; intervals are of 95 %, Student's t over episodes, and over seeds "
             "where there are several"]
    figures.write(figures.ROOT / file, title, command, [], notes,
                  [*tables, measure_learning.cost({training: runs})],
                  curves={"columns": measure_learning.CURVE, "runs": measure_learning.curves({training: runs})},
                  page=page)
