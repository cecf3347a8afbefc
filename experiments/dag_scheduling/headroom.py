#!/usr/bin/env python3
"""What is left to gain in a setting: the best tuned heuristic, a learned policy, and look-ahead on both, with
drawn futures (honest) and with the true one (clairvoyant, a bound).

    experiments/dag_scheduling/headroom.py play --setting B20
    experiments/dag_scheduling/headroom.py table
    experiments/dag_scheduling/headroom.py times

`play` plays a setting, or all of them. `table` also prints what was played and writes
results/dag_scheduling_headroom.json. Four episodes of a policy are kept at a time: after an interruption the same
call continues and ends with the same ratios. Two settings may be played side by side. `times` measures how long one
decision takes, the 50th and the 99th percentile with 20, 200 and 2000 jobs, in batches of 1 and 64 questions, on one
thread. It writes results/dag_scheduling_decisions.json.

Needs build/release with the target benchmarks, and build/decima.park:
    park data workload import decima DECIMA-TPCH --out build/decima.park
"""

import argparse
import itertools
import json
import resource
import statistics
import subprocess
import sys
from functools import partial
from pathlib import Path
from typing import NamedTuple

sys.path.insert(0, str(Path(__file__).resolve().parent))

from cells import ROOT, Cells, park, print_table, ratio_text, weights_named  # noqa: E402
from depth import BATCH, STREAM, batch, stream, table  # noqa: E402
from park_runs import figures  # noqa: E402

PART = 4  # episodes that are kept at a time, each part with a seed of its own


class Setting(NamedTuple):
    """Where it plays, the learned policy, fields of look-ahead, episodes, and what honest look-ahead on the learned
    policy should reach of it."""

    env: str
    learned: str
    fields: str
    futures: int
    episodes: int
    target: str = ""


STREAM_FIELDS = "candidates=8,horizon_s=300"
SETTINGS = {
    "B20": Setting(batch(50, 20), BATCH, "candidates=16,every=2", 16, 16, "0.995"),
    "100 jobs": Setting(batch(50, 100), BATCH, "candidates=8,every=8,horizon_s=500", 8, 4),
    "20 s": Setting(stream(50, 150, 20), STREAM, f"{STREAM_FIELDS},every=4", 8, 8, "0.985"),
    "25 s": Setting(stream(50, 150, 25), STREAM, f"{STREAM_FIELDS},every=8", 8, 4),
    "45 s": Setting(stream(50, 150, 45), STREAM, f"{STREAM_FIELDS},every=8", 8, 4),
}


class Played(NamedTuple):
    """Figures of each episode, and what playing them cost."""

    avg_jct_s: list
    cpu_s: float
    decisions: int


def played(cells, setting, policy):
    """A policy on the episodes of a setting."""
    def play(seed):
        before = resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime
        found = park("run", setting.env, "--policy", policy, "--episodes", PART, "--seed", seed)["results"][0]
        return {"avg_jct_s": found["per_episode"]["avg_jct_s"], "decisions": found["decisions"],
                "cpu_s": resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime - before}

    parts = []
    for seed in range(1, setting.episodes // PART + 1):
        parts.append(cells.get(f"{weights_named(policy)} seed {seed} {setting.env}", partial(play, seed)))
    return Played([value for part in parts for value in part["avg_jct_s"]],
                  sum(part["cpu_s"] for part in parts), sum(part["decisions"] for part in parts))


def rows_of(name, setting):
    """Plays what lacks: the rows of a setting."""
    cells = Cells(ROOT / f"build/headroom/{name.replace(' ', '-')}.json")
    heuristics = {text: played(cells, setting, text) for text in (*cells.tuned(setting.env), "fair")}
    best = min(heuristics, key=lambda text: statistics.fmean(heuristics[text].avg_jct_s))
    best_played = heuristics[best]

    def row(policy, one, of_base="", cost="", target=""):
        return [name, f"`{policy}`", f"{statistics.fmean(one.avg_jct_s):.2f}",
                ratio_text([one.avg_jct_s], [best_played.avg_jct_s]), of_base, cost, target]

    rows = [row(best, best_played)]
    for base in (best, setting.learned):
        base_played = played(cells, setting, base)
        if base != best:
            rows.append(row(base, base_played))
        for kind in (f"futures={setting.futures}", "clairvoyant=true"):
            policy = f"lookahead(base={base},{setting.fields},{kind})"
            one = played(cells, setting, policy)
            honest_learned = base == setting.learned and kind != "clairvoyant=true"
            rows.append(row(policy, one, ratio_text([one.avg_jct_s], [base_played.avg_jct_s]),
                            f"{1000 * (one.cpu_s - base_played.cpu_s) / one.decisions:.3g}",
                            setting.target if honest_learned else ""))
    return rows


def write_table():
    """Prints and writes what was played, in all settings."""
    columns = ["setting", "policy", "avg_jct_s", "of the best heuristic", "of its base",
               "looking ahead, CPU ms per decision", "target, of its base"]
    rows = [row for name, setting in SETTINGS.items() for row in rows_of(name, setting)]
    print_table(columns, rows)
    episodes = ", ".join(f"{setting.episodes} in {name}" for name, setting in SETTINGS.items())
    figures.write(ROOT / "results/dag_scheduling_headroom.json", "What is left to gain", figures.command(), [],
                  [f"the same held-out episodes for all, {episodes}; streams have 150 jobs. Heuristics are tuned on 16 "
                   "training episodes of the setting; intervals are of 95 %, paired, Student's t over episodes",
                   "a clairvoyant look-ahead knows the future that comes: it is a bound and no rival",
                   "what is in sight is what honest look-ahead on the learned policy has; both take one step and go on "
                   "with their base, so that more steps may have more"],
                  [table("", columns, rows)], page="dag_scheduling")


def times():
    """Times of decisions, kept by cell, and their table."""
    cells, rows = Cells(ROOT / "build/headroom/times.json"), []
    for jobs, questions, policy in itertools.product((20, 200, 2000), (1, 64), ("srpt_capped(c=10,s=0.75)", BATCH)):
        p50, p99 = cells.get(f"{jobs} {questions} {policy}", partial(measured, jobs, questions, policy))
        rows.append([jobs, questions, policy, f"{p50:.1f}", f"{p99:.1f}"])
        print(*rows[-1], flush=True)
    figures.write(ROOT / "results/dag_scheduling_decisions.json", "Time of one decision", figures.command(), [],
                  ["batches of Decima's profiles, 50 executors, one thread; 200 calls, the first 20 before them not counted",
                   "published for Decima: below 15 ms on average (Mao et al., SIGCOMM 2019)"],
                  [table("", ["jobs", "questions in a call", "policy", "p50 (us per decision)",
                              "p99 (us per decision)"], rows)], page="dag_scheduling")


def measured(jobs, questions, policy):
    """Percentiles over calls with so many jobs present, in microseconds per question."""
    program = ROOT / "build/release/bin/decision_times"
    text = subprocess.run([program, batch(50, jobs), policy, str(questions), "200"], cwd=ROOT, check=True,
                          stdout=subprocess.PIPE, text=True).stdout
    percentiles = json.loads(text)
    return percentiles["p50_us"], percentiles["p99_us"]


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("what", choices=("play", "table", "times"))
    parser.add_argument("--setting", choices=SETTINGS, help="plays this one alone")
    arguments = parser.parse_args()
    if arguments.what == "times":
        times()
    elif arguments.what == "table":
        write_table()
    else:
        for name in [arguments.setting] if arguments.setting else SETTINGS:
            rows_of(name, SETTINGS[name])
    return 0


if __name__ == "__main__":
    sys.exit(main())
