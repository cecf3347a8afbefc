#!/usr/bin/env python3
"""Trains policies of dl_cluster that see no speeds, by imitation of drf and by rewards, and compares them.

    train_policies.py psworker-12 --train     trains all seeds, two at a time
    train_policies.py psworker-12             tunes, plays, writes results/dl_cluster_psworker-12.json

A training goes on where it was stopped (Ctrl-C): run the same command again. Rules without speeds are tuned
on training inputs, and all are played on the same held-out episodes. Rules that need speeds get the true ones:
they play the same jobs with speeds=oracle. The figure is the mean completion time.

A setting has two trainings, each from random weights: one that only imitates drf, and one by rewards. The
policies at the end of each are compared. DL2's table is reference data; without it its settings are skipped.
Builds nothing: needs build/release/bin/park.
"""

import statistics
import sys
from dataclasses import dataclass, replace
from pathlib import Path

EXPERIMENTS = Path(__file__).resolve().parents[1]
sys.path[:0] = [str(EXPERIMENTS), str(EXPERIMENTS / "learning"), str(EXPERIMENTS.parent / "scripts")]
import figures  # noqa: E402
import measure_learning  # noqa: E402
import reference_data  # noqa: E402
from intervals import mean_ratio, ratio_cell  # noqa: E402
from settings import Training, shown  # noqa: E402

TEACHER = "drf"
# Rules that see no speeds: as they are, with the bundle that the paper's authors did not try, and tuned.
BLIND = ("drf", "drf(servers=3)", "drf(servers=4)", "equal_share", "tetris_bundles", "fcfs",
         "tiresias(workers=4,servers=4)", "tiresias(workers=1,servers=4)")
TUNED = ("drf", "tiresias", "tetris_bundles")
# Rules with the true speeds.
SEEING = ("optimus", "optimus(repaired=true)", "optimus(repaired=true,far=true)", "hull_greedy(alpha=0)",
          "hull_greedy", "hull_greedy(alpha=1)", "right_sized_srtf", "srtf")
NAMED = ("drf", "optimus")
# The reward tells in each slot what its grants are worth. Rewards of later slots are discounted, so that a move is judged
# by what comes of it and not by all moves of an episode. With 12 nodes of DL2's table they count for longer.
ALGORITHM = ("ppo(sequences={sequences},rollouts=1,lambda={weight},discount_rate={discount_rate},epochs=3,minibatch=512,"
             "learning_rate={learning_rate},final_learning_rate=1e-4,entropy=0.003,entropy_until=0.9,slots={sequences},"
             "average={average},largest_divergence=0.06)")
SLOT_S, PER_SLOT, MAX_SLOTS = 1200, 3, 2000  # of model=ps: length, most arrivals; of an episode


@dataclass(frozen=True)
class Setting:
    """A cluster, and the policies that are trained on it."""
    table: str
    nodes: int
    max_epochs: int
    iterations: int
    sequences: int = 3  # episodes of an iteration
    coarse: int = 1  # slots of training are so many times as long, with as many times the arrivals
    discount_rate: float = 0.0012
    weight: float = 1  # lambda: of what follows, per decision
    learning_rate: float = 0.001
    imitations: int = 12
    network: str = "scorer"
    seeds: int = 5
    episodes: int = 50  # of the comparison
    validation_episodes: int = 10
    tune_episodes: int = 20

    def env(self, speeds, reward="jct", coarse=1):
        """The text of the environment with what rows tell of speeds."""
        slots = f"slot_s={SLOT_S * coarse},per_slot={PER_SLOT * coarse}," if coarse > 1 else ""
        return (f"dl_cluster(semantics=compat,speeds={speeds},table={self.table},nodes={self.nodes},"
                f"max_epochs={self.max_epochs},{slots}reward={reward},max_slots={MAX_SLOTS // coarse})")

    def training(self, name, iterations, average=0.9, options=()):
        """One of the trainings."""
        return Training(name, self.env("none", "lost", self.coarse), iterations=iterations, seeds=self.seeds,
                        baseline="value", network=self.network, validate_on=self.env("none", coarse=self.coarse),
                        algorithm=ALGORITHM.format(average=average, **vars(self)),
                        validation_episodes=self.validation_episodes, options=options)


# Jobs of DL2's table take hundreds of slots. Training has slots of 4800 s: all jobs are there for as long, with a quarter
# of the decisions. On 12 nodes more jobs wait than run: two episodes per iteration are too noisy there, imitation needs
# more iterations, and what to grant needs a wider network.
DL2 = Setting("dl2", 48, max_epochs=80000, iterations=120, sequences=2, coarse=4, discount_rate=0.0003, weight=0.97,
              learning_rate=0.002, validation_episodes=4, episodes=20, tune_episodes=4)
SETTINGS = {"psworker-12": Setting("psworker", 12, max_epochs=20000, iterations=150),
            "dl2-48": DL2,
            "dl2-12": replace(DL2, nodes=12, iterations=200, sequences=4, discount_rate=0.0001, imitations=40,
                              network="scorer(hidden1=128,hidden2=64)")}


def trainings_of(name, setting):
    """What is trained, by what the table calls it."""
    imitate = ("--imitate", TEACHER, "--imitate-iterations", str(setting.imitations))
    name = f"dl_cluster-{name}"
    return {"imitation of drf": setting.training(f"{name}-imitation", setting.imitations, average=0, options=imitate),
            "rewards": setting.training(name, setting.iterations)}


def played(env, texts, episodes):
    """Mean completion times in hours, [episodes] of each policy."""
    results = measure_learning.park("run", env, "--policy", ",".join(texts), "--episodes", str(episodes))["results"]
    return {one["policy"]: [value / 3600 for value in one["per_episode"]["avg_jct_s"]] for one in results}


def tuned(setting):
    """Rules without speeds, with the fields that are best on training inputs."""
    return [measure_learning.park("tune", setting.env("none"), "--policy", policy, "--episodes",
                                  str(setting.tune_episodes))["best"] for policy in TUNED]


def comparison(setting, trainings):
    """The table, and the runs."""
    found = measure_learning.whole(list(trainings.values()))
    # The last one of each training: its weights are averaged, and no figure hangs on how often validations looked.
    runs = {title: [f"{run}/latest" for run in found[training]] for title, training in trainings.items()}
    blind = list(dict.fromkeys([*BLIND, *tuned(setting)]))
    without = played(setting.env("none"), [*blind, *(run for of in runs.values() for run in of)], setting.episodes)
    seeing = played(setting.env("oracle"), SEEING, setting.episodes)
    # A list per seed; a rule has one.
    rows = {**{text: ([without[text]], "no") for text in blind},
            **{text: ([seeing[text]], "true ones") for text in SEEING}}
    best = min(blind, key=lambda text: statistics.fmean(without[text]))
    references = {text: rows[text][0] for text in dict.fromkeys([*NAMED, best])}
    order = sorted(rows, key=lambda text: statistics.fmean(rows[text][0][0]))
    rows = {text: rows[text] for text in order}
    for title, of in runs.items():
        rows[f"{title}, all {len(of)} seeds"] = ([without[run] for run in of], "no")
    columns = ["policy", "sees speeds", "mean completion time, h", *(f"to {text}" for text in references)]
    table = {"title": "", "columns": columns, "rows": [
        [text, sees, f"{statistics.fmean(map(statistics.fmean, values)):.4g}",
         *(ratio_cell(values, other, 3) for other in references.values())] for text, (values, sees) in rows.items()]}
    single = {"title": measure_learning.SINGLE, "folded": True, "columns": columns[:1] + columns[2:], "rows": [
        [run, f"{statistics.fmean(without[run]):.4g}",
         *(f"{mean_ratio([without[run]], other):.3f}" for other in references.values())]
        for of in runs.values() for run in of]}
    return [table, single], found


def measure(name, setting, trainings):
    """Writes the figures of a setting."""
    tables, found = comparison(setting, trainings)
    notes = [*(f"{title}: `{shown(training.command(1))}`, and likewise the other seeds"
               for title, training in trainings.items()),
             f"{setting.episodes} held-out episodes of `{setting.env('none')}`, the same for all; rules with true "
             f"speeds play the same jobs in `{setting.env('oracle')}`; intervals are of 95 %, Student's t over seeds "
             "and over paired episodes",
             f"{', '.join(TUNED)} are also tuned on {setting.tune_episodes} training episodes"]
    figures.write(figures.ROOT / f"results/dl_cluster_{name}.json",
                  f"Policies without speeds on {setting.nodes} nodes, table {setting.table}",
                  f"experiments/dl_cluster/train_policies.py {name}", [], notes,
                  [*tables, measure_learning.cost(found)],
                  curves={"columns": measure_learning.CURVE, "runs": measure_learning.curves(found)}, page="dl_cluster")


def main():
    """Trains or compares."""
    arguments = measure_learning.command_line(__doc__, SETTINGS)
    setting = SETTINGS[arguments.setting]
    lacking = reference_data.missing(setting.env("none"))
    if lacking:
        print(f"skipped: there is no {', '.join(lacking)} in {reference_data.root()}")
        return
    trainings = trainings_of(arguments.setting, setting)
    if not arguments.train:
        measure(arguments.setting, setting, trainings)
        return
    for training in trainings.values():
        measure_learning.train_seeds(training, arguments)


if __name__ == "__main__":
    main()
