"""What is left to gain on an environment: its best rule beside a bound. Tables of experiments/NAME/measure_headroom.py."""

import argparse
import statistics

from park_runs import figures, park

NOTE = "headroom: (best rule - bound) / bound"


def start(description):
    """Begins a script that has no options but --help."""
    argparse.ArgumentParser(description=description, formatter_class=argparse.RawDescriptionHelpFormatter).parse_args()


def play(env, policies, episodes, seed=1):
    """Figures of each episode by policy and metric, of the same episodes."""
    played = park("run", env, "--policy", ",".join(policies), "--episodes", episodes, "--seed", seed)
    return {one["policy"]: one["per_episode"] for one in played["results"]}


def means(played, metric):
    """The mean of a metric by policy."""
    return {policy: statistics.fmean(of[metric]) for policy, of in played.items()}


def cell(best, bound):
    """The headroom of the best rule, as tables show it."""
    return f"{100 * (best - bound) / bound:.1f} %"


def write(name, title, notes, tables):
    """Writes results/headroom_NAME.json of the environment NAME."""
    figures.write(figures.ROOT / f"results/headroom_{name}.json", title, figures.command(), [], [NOTE, *notes], tables,
                  page=name)
