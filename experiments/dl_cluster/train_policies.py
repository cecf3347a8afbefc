#!/usr/bin/env python3
"""Trains policies of dl_cluster that see no speeds, from a start that imitates drf, and compares them.

    train_policies.py dl2-48 --train     trains all seeds, two at a time
    train_policies.py dl2-48             tunes, plays, writes results/dl_cluster_dl2-48.json

A training goes on where it was stopped (Ctrl-C): run the same command again. Rules without speeds are tuned
on training inputs, checkpoints are chosen on validation inputs, and all are played on the same held-out
episodes. Rules that need speeds get the true ones: they play the same jobs with speeds=oracle. The figure is
the mean completion time. Of each run two policies are compared: that at the end of imitation and the best by
validation. DL2's table is reference data; without it its settings are skipped. Builds nothing: needs
build/release/bin/park.
"""

import statistics
import sys
from dataclasses import dataclass
from pathlib import Path

EXPERIMENTS = Path(__file__).resolve().parents[1]
sys.path[:0] = [str(EXPERIMENTS), str(EXPERIMENTS / "learning"), str(EXPERIMENTS.parent / "scripts")]
import figures  # noqa: E402
import measure_learning  # noqa: E402
import reference_data  # noqa: E402
from intervals import mean_ratio, ratio_interval  # noqa: E402
from settings import Training, shown  # noqa: E402

METRIC = "avg_jct_s"
TEACHER = "drf"
# Rules that see no speeds: as they are, with the bundle that the paper's authors did not try, and tuned.
BLIND = ("drf", "drf(servers=3)", "drf(servers=4)", "equal_share", "tetris_bundles", "fcfs",
         "tiresias(workers=4,servers=4)", "tiresias(workers=1,servers=4)")
TUNED = ("drf", "tiresias", "tetris_bundles")
# Rules with the true speeds.
SEEING = ("optimus", "optimus(repaired=true)", "optimus(repaired=true,far=true)", "hull_greedy(alpha=0)",
          "hull_greedy", "hull_greedy(alpha=1)", "right_sized_srtf", "srtf")
NAMED = ("drf", "optimus")
ALGORITHM = ("ppo(sequences=2,rollouts=4,lambda=1,epochs=1,minibatch=1024,learning_rate=0.0005,"
             "final_learning_rate=5e-5,entropy=0.01,entropy_until=0.9,slots=8,average=0.9)")
# DL2's job-aware exploration: a job that lacks one kind of task, or has ten times as many of the other.
POOR_STATES = """park-tree 1
env dl_cluster layout {layout}
head move
  rule "servers for workers": move.kind = 2 and job.workers - 10 * job.servers > 0
  rule "workers for servers": move.kind = 1 and job.servers - 10 * job.workers > 0
  level moves: 1
"""


@dataclass(frozen=True)
class Setting:
    """A cluster, and the policy that is trained on it."""
    table: str
    nodes: int
    imitations: int = 20
    iterations: int = 300
    seeds: int = 3
    episodes: int = 50  # of the comparison
    tune_episodes: int = 20

    def env(self, speeds):
        """The text of the environment with what rows tell of speeds."""
        return (f"dl_cluster(semantics=compat,speeds={speeds},table={self.table},nodes={self.nodes},"
                "reward=jct,max_slots=2000)")


SETTINGS = {f"{table}-{nodes}": Setting(table, nodes) for table in ("dl2", "psworker") for nodes in (48, 24, 12)}


def poor_states(setting):
    """The file of exploration for the layout of the environment."""
    layout = measure_learning.park("describe", setting.env("none"))["layout_hash"]
    path = figures.ROOT / "runs" / f"dl_cluster-poor-{layout}.tree"
    path.parent.mkdir(exist_ok=True)
    text = POOR_STATES.format(layout=layout)
    if not path.exists() or path.read_text(encoding="utf-8") != text:
        path.write_text(text, encoding="utf-8")
    return str(path.relative_to(figures.ROOT))


def training_of(name, setting):
    """What is trained. Every policy at a multiple of the iterations of imitation is kept: the first of them is
    the policy at their end."""
    options = ("--imitate", TEACHER, "--imitate-iterations", str(setting.imitations), "--replay", "0.1",
               "--explore", poor_states(setting))
    return Training(f"dl_cluster-{name}", setting.env("none"), iterations=setting.iterations, seeds=setting.seeds,
                    algorithm=ALGORITHM, network="scorer", keep_every=setting.imitations, validation_episodes=20,
                    options=options)


def played(env, texts, episodes):
    """Completion times in hours, [episodes] of each policy."""
    results = measure_learning.park("run", env, "--policy", ",".join(texts), "--episodes", str(episodes))["results"]
    return {one["policy"]: [value / 3600 for value in one["per_episode"][METRIC]] for one in results}


def tuned(setting):
    """Rules without speeds, with the fields that are best on training inputs."""
    return [measure_learning.park("tune", setting.env("none"), "--policy", policy, "--episodes",
                                  str(setting.tune_episodes))["best"] for policy in TUNED]


def cell(some, others):
    """The ratio of means with its interval."""
    if some is others:
        return "1"
    low, high = ratio_interval(some, others)
    return f"{mean_ratio(some, others):.3f} [{low:.3f}, {high:.3f}]"


def comparison(setting, training):
    """The table, and the runs."""
    runs = measure_learning.whole([training])[training]
    ends = [f"{run}/checkpoints/{setting.imitations:06d}" for run in runs]
    blind = list(dict.fromkeys([*BLIND, *tuned(setting)]))
    without = played(setting.env("none"), [*blind, *ends, *runs], setting.episodes)
    seeing = played(setting.env("oracle"), SEEING, setting.episodes)
    # A list per seed; a rule has one.
    rows = {**{text: ([without[text]], "no") for text in blind},
            **{text: ([seeing[text]], "true ones") for text in SEEING}}
    best = min(blind, key=lambda text: statistics.fmean(without[text]))
    references = {text: rows[text][0] for text in dict.fromkeys([*NAMED, best])}
    order = sorted(rows, key=lambda text: statistics.fmean(rows[text][0][0]))
    rows = {text: rows[text] for text in order}
    rows[f"after imitation, all {len(runs)} seeds"] = ([without[run] for run in ends], "no")
    rows[f"trained, all {len(runs)} seeds"] = ([without[run] for run in runs], "no")
    columns = ["policy", "sees speeds", "mean completion time, h", *(f"to {text}" for text in references)]
    table = {"title": "", "columns": columns, "rows": [
        [text, sees, f"{statistics.fmean(map(statistics.fmean, values)):.4g}",
         *(cell(values, other) for other in references.values())] for text, (values, sees) in rows.items()]}
    single = {"title": measure_learning.SINGLE, "folded": True, "columns": columns[:1] + columns[2:], "rows": [
        [run, f"{statistics.fmean(without[run]):.4g}",
         *(f"{mean_ratio([without[run]], other):.3f}" for other in references.values())] for run in [*ends, *runs]]}
    return [table, single], runs


def measure(name, setting, training):
    """Writes the figures of a setting."""
    tables, runs = comparison(setting, training)
    found = {training: runs}
    notes = [f"`{shown(training.command(1))}`, and likewise the other seeds",
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
    training = training_of(arguments.setting, setting)
    if not arguments.train:
        measure(arguments.setting, setting, training)
        return
    measure_learning.train_seeds(training, arguments)


if __name__ == "__main__":
    main()
