"""Cells of tables that take hours: what park prints for each is kept in one file, so that an interrupted table goes
on where it was and ends with the same rows. Trainings go on by `park train --resume`."""

import json
import statistics
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT / "experiments/learning"), str(ROOT / "experiments")]

from intervals import mean_ratio, ratio_interval  # noqa: E402
from park_runs import PARK, digest, files_of_policy, park  # noqa: E402

TRIES = 400  # assignments of fields that tuning plays
# Caps from 0.5 on and exponents to both sides, so that the optimum of every setting is inside the grid.
TUNED = ("srpt_capped", "weighted_fair")
GRID = ("c=0.5|1|1.5|2|3|4|6|8|10|12|15|18|22|27|33|40|50|70|100|140|200", "s=0|0.25|0.5|0.75|0.9|1|1.25|1.5")


class Cells:
    """Values by key, in a file that is written after each new one."""

    def __init__(self, file):
        self.file = file
        file.parent.mkdir(parents=True, exist_ok=True)
        self.values = json.loads(file.read_text(encoding="utf-8")) if file.exists() else {}

    def get(self, key, make):
        """The value of a key; `make` is called where there is none."""
        if key not in self.values:
            self.values[key] = make()
            text = json.dumps(self.values, indent=1, sort_keys=True) + "\n"
            rest = self.file.with_suffix(".part")
            rest.write_text(text, encoding="utf-8")
            rest.replace(self.file)
        return self.values[key]

    def tuned(self, env, names=TUNED, episodes=16):
        """Heuristics with the fields that are best on training inputs of the environment."""
        def tune(name):
            grid = [word for line in GRID for word in ("--grid", line)] if name == "srpt_capped" else []
            return park("tune", env, "--policy", name, "--episodes", str(episodes), "--budget-evals", str(TRIES),
                        *grid)["best"]

        return [self.get(f"tuned {name} {env}", lambda name=name: tune(name)) for name in names]

    def teacher(self, env, names=TUNED, more=(), episodes=16):
        """Of the tuned heuristics and `more` the policy that is best on the training inputs of the tuning, by the first
        metric."""
        def choose():
            texts = [*self.tuned(env, names, episodes), *more]
            found = park("run", env, "--policy", ",".join(texts), "--episodes", str(episodes), "--phase", "train")
            means = [next(iter(one["metrics"].values()))["mean"] for one in found["results"]]
            return texts[means.index(min(means))]

        return self.get(f"teacher of {', '.join((*names, *more))} {env}", choose)

    def played(self, env, policy, episodes):
        """The figures of each episode by metric, on held-out inputs; those that are undefined are null."""
        policy = str(policy)
        def play():
            found = park("run", env, "--policy", policy, "--episodes", str(episodes))["results"][0]
            return found["per_episode"]

        return self.get(f"played {weights_named(policy)} {episodes} {env}", play)

    def figures(self, env, policies, episodes, metric="avg_jct_s"):
        """The figures of one metric as lists [policies][episodes]."""
        return [self.played(env, policy, episodes)[metric] for policy in policies]

    def best_heuristic(self, env, episodes, metric="avg_jct_s", names=TUNED, more=("fair",)):
        """The best of the tuned heuristics and some more on the episodes, with its figures [1][episodes]."""
        texts = [*self.tuned(env, names), *more]
        figures = {text: self.figures(env, [text], episodes, metric) for text in texts}
        best = min(texts, key=lambda text: statistics.fmean(figures[text][0]))
        return best, figures[best]


def ratio_text(some, others):
    """"0.953 [0.950, 0.957]": a ratio of means with its 95 % interval over seeds and episodes. Where one is 0, as the
    share of late jobs may be, both means: "0 : 0.01"."""
    means = [statistics.fmean(map(statistics.fmean, figures)) for figures in (some, others)]
    if min(means) <= 0:
        return f"{means[0]:.3g} : {means[1]:.3g}"
    if len(some[0]) < 2:
        return f"{mean_ratio(some, others):.3f}"
    low, high = ratio_interval(some, others)
    return f"{mean_ratio(some, others):.3f} [{low:.3f}, {high:.3f}]"


def weights_named(policy):
    """The text of a policy, and where it names files the digest of those: a run that was trained anew is another
    policy."""
    files = files_of_policy(policy)
    return f"{policy} {digest(files)}" if files else policy


def made(file, words):
    """A file that a command of park makes. Where it is there, it has to be what the command makes."""
    (ROOT / file).parent.mkdir(parents=True, exist_ok=True)
    new = ROOT / f"{file}.new"
    subprocess.run([PARK, *words, "--out", new, "--overwrite"], cwd=ROOT, check=True, stdout=subprocess.DEVNULL)
    if not (ROOT / file).exists():
        new.rename(ROOT / file)
    elif new.read_bytes() != (ROOT / file).read_bytes():
        raise SystemExit(f"{file} is of another command; remove it, and what was trained and played with it")
    else:
        new.unlink()
    return file


def print_table(columns, rows):
    """In Markdown."""
    print("| " + " | ".join(columns) + " |")
    print("|" + " --- |" * len(columns))
    for row in rows:
        print("| " + " | ".join(str(cell) for cell in row) + " |")
