#!/usr/bin/env python3
"""Attacks a policy by users who misreport, and what is trained against that.

    measure_attacks.py batch            writes results/attacks_batch.json
    measure_attacks.py batch --train    trains the runs against misreports first, where they are not trained

What an attack printed is kept in build/attacks and is not measured again; remove it to begin anew.
"""

import argparse
import json
import statistics
import subprocess
import sys
from pathlib import Path

sys.path[:0] = [str(Path(__file__).resolve().parents[1] / "learning")]
import measure_learning as learning  # noqa: E402
import settings as learning_settings  # noqa: E402
from intervals import mean_and_half, mean_ratio, ratio_interval  # noqa: E402

figures = learning.figures
FOLDER = figures.ROOT / "build/attacks"


def attacked(name, words):
    """What an attack prints."""
    kept = FOLDER / f"{name}.json"
    if not kept.exists():
        FOLDER.mkdir(parents=True, exist_ok=True)
        kept.write_text(json.dumps(learning.park(*words)), encoding="utf-8")
        print(kept.name, flush=True)
    return json.loads(kept.read_text(encoding="utf-8"))


def percent(figure):
    """A share with its interval; nothing where there is none."""
    if figure["mean"] is None:
        return "-"
    return f"{100 * figure['mean']:.1f} [{100 * figure['low']:.1f}, {100 * figure['high']:.1f}]"


def ratio(figure):
    return f"{figure['mean']:.3f} [{figure['low']:.3f}, {figure['high']:.3f}]"


def attack_row(policy, one):
    """A row: a policy under an attack, and the null beside it."""
    victim, null = one["victim"], one["null"]
    return [policy, one["mode"], str(one["targets"]), percent(victim["success"]), percent(victim["gain"]),
            ratio(victim["ratio"]), percent(victim["harm"]), ratio(null["ratio"])]


ATTACK_COLUMNS = ["policy", "misreport", "targets", "success %", "gain of successes %", "ratio of completion times",
                  "harm to others %", "ratio of the null"]


def attack_rows(name, setting):
    """The policy in every mode; the policies beside it once."""
    rows = []
    for mode in setting.modes:
        more = [] if mode == setting.modes[0] else ["--beside", "none"]
        one = attacked(f"{name}-{mode}", setting.command(setting.policy, mode, *more))
        rows.append(attack_row(setting.policy, one))
        rows += [attack_row(other["policy"], other) for other in one["beside"]]
    return rows


def over_seeds(values):
    """Their mean with Student's interval over seeds."""
    mean, half = mean_and_half(values)
    return f"{mean:.3f} [{mean - half:.3f}, {mean + half:.3f}]"


def hardened_table(name, setting, title, training):
    """Every seed of a training against misreports: clean episodes, and the first mode of attack."""
    runs = learning.whole([training])[training]
    played = learning.park("run", setting.env, "--policy", ",".join([setting.policy, *runs]),
                           "--episodes", str(setting.test_episodes))["results"]
    metric = next(iter(played[0]["metrics"]))
    clean = [one["per_episode"][metric] for one in played]
    mode = setting.modes[0]
    before = attacked(f"{name}-{mode}", setting.command(setting.policy, mode))["victim"]["ratio"]
    rows, after = [], []
    for run, values in zip(runs, clean[1:], strict=True):
        one = attacked(f"{name}-{mode}-{Path(run).name}", setting.command(run, mode, "--beside", "none"))
        after.append(one["victim"]["ratio"]["mean"])
        low, high = ratio_interval([values], [clean[0]])
        rows.append([run, f"{statistics.fmean(values):.4g}",
                     f"{mean_ratio([values], [clean[0]]):.4f} [{low:.4f}, {high:.4f}]",
                     *attack_row("", one)[3:7]])
    low, high = ratio_interval(clean[1:], [clean[0]])
    reduction = [(1 - one) / (1 - before["mean"]) for one in after]
    rows.insert(0, [f"all {len(runs)} seeds", learning.figure(clean[1:]),
                    f"{mean_ratio(clean[1:], [clean[0]]):.4f} [{low:.4f}, {high:.4f}]", "", "", over_seeds(after), ""])
    rows.insert(0, [setting.policy, f"{statistics.fmean(clean[0]):.4g}", "1", "", "", ratio(before), ""])
    columns = ["policy", f"clean {metric}", "to the attacked policy", *ATTACK_COLUMNS[3:7]]
    said = (f"{title}: `{learning_settings.shown(training.command('SEED'))}`; of the reduction of the attacked "
            f"policy's ratio below 1, {over_seeds(reduction)} is left over the seeds of the training, the attacked "
            "policy's own reduction taken as known")
    return {"title": title, "columns": columns, "rows": rows}, said


def measure(name, experiment):
    """Writes the tables of a setting."""
    setting = experiment.setting
    tables = [{"title": "", "columns": ATTACK_COLUMNS, "rows": attack_rows(name, setting)}]
    shown = learning_settings.shown(setting.command(setting.policy, "MODE"))
    notes = [f"attacks: `{shown}`; intervals are of 95 %, Wilson's for success, Student's over targets else",
             *setting.notes]
    for title, training in setting.hardened:
        table, said = hardened_table(name, setting, title, training)
        tables.append(table)
        notes.append(said)
    figures.write(figures.ROOT / f"results/attacks_{name}.json", setting.title,
                  f"experiments/attacks/measure_attacks.py {name}", [], notes, tables, page=experiment.environment)


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    experiments = learning_settings.experiments("attacks")
    parser.add_argument("setting", choices=experiments)
    parser.add_argument("--train", action="store_true", help="train what is not trained")
    arguments = parser.parse_args()
    experiment = experiments[arguments.setting]
    if not learning.is_ready(experiment):
        return 0
    try:
        for _, training in experiment.setting.hardened if arguments.train else ():
            for seed in range(1, training.seeds + 1):
                learning.train(training, seed)
        measure(arguments.setting, experiment)
    except subprocess.CalledProcessError as error:
        raise SystemExit(error.stderr) from error
    return 0


if __name__ == "__main__":
    sys.exit(main())
