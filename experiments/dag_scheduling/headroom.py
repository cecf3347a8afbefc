#!/usr/bin/env python3
"""What is left to gain in a setting: the best tuned heuristic, a learned policy, and look-ahead on both, with
drawn futures (honest) and with the true one (clairvoyant, a bound).

    experiments/dag_scheduling/headroom.py play --out build/headroom
    experiments/dag_scheduling/headroom.py table --out build/headroom
    experiments/dag_scheduling/headroom.py times --out build/headroom

`play` writes a suite for each setting and plays it with `park bench`, which keeps finished blocks of 8 episodes:
after an interruption the same call continues and ends with the same bytes. --setting, --episodes and --workers
narrow it. `table` prints a table of what lies there, in Markdown. `times` measures how long one decision takes,
the 50th and the 99th percentile with 20, 200 and 2000 jobs, in batches of 1 and 64 questions, on one thread. It
writes results/dag_scheduling_decisions.json.

Needs build/release with the target benchmarks, and build/decima.park:
    park data workload import decima DECIMA-TPCH --out build/decima.park
"""

import argparse
import csv
import json
import subprocess
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
from park_runs import PARK, figures, park  # noqa: E402

ROOT = figures.ROOT
WORKLOAD = "build/decima.park"
BATCH, STREAM = "dag_scheduling-batch-decima", "dag_scheduling-poisson-decima"
HEURISTICS = ("srpt_capped", "weighted_fair")
TRIES = 400  # assignments of fields that tuning plays


class Setting:
    """Fields beyond those of every cluster here, the learned policy, episodes, and seconds of a roll-out."""

    def __init__(self, fields, learned, episodes, horizon_s=None, every=1):
        self.fields, self.learned, self.episodes = fields, learned, episodes
        self.horizon_s, self.every = horizon_s, every

    @property
    def config(self):
        """The members of a suite's environment."""
        return {"executors": 50, "moving_delay_s": 2, "warmup_delay_s": 1, "workload": WORKLOAD, **self.fields}

    @property
    def env(self):
        """The text of the environment."""
        return "dag_scheduling(" + ",".join(f"{name}={value}" for name, value in self.config.items()) + ")"

    def ahead(self, base, clairvoyant):
        """The text of look-ahead on a policy."""
        fields = f"base={base},candidates=16,every={self.every}"
        if self.horizon_s:
            fields += f",horizon_s={self.horizon_s}"
        return f"lookahead({fields},{'clairvoyant=true' if clairvoyant else 'futures=32'})"


def stream(interval_s):
    """A stream of 1000 jobs."""
    return Setting({"jobs": 1000, "arrival": "poisson", "interval_s": interval_s}, STREAM, 20, 500, 4)


SETTINGS = {"b20": Setting({"jobs": 20}, BATCH, 100), "100-jobs": Setting({"jobs": 100}, BATCH, 100, 1000, 4),
            "20-s": stream(20), "25-s": stream(25), "45-s": stream(45)}


def tuned(setting, folder):
    """The heuristics as tuning leaves them on training inputs of the setting; kept in the folder."""
    file = folder / "tuned.json"
    if not file.exists():
        best = []
        for name in HEURISTICS:
            best.append(park("tune", setting.env, "--policy", name, "--episodes", "16", "--budget-evals",
                             str(TRIES))["best"])
        file.write_text(json.dumps(best) + "\n", encoding="utf-8")
    return json.loads(file.read_text(encoding="utf-8"))


def play(name, out, episodes, workers):
    """Plays a setting; a call after an interruption continues."""
    setting, folder = SETTINGS[name], out / name
    folder.mkdir(parents=True, exist_ok=True)
    heuristics = tuned(setting, folder)
    policies = [setting.learned]
    for base in (heuristics[0], setting.learned):
        policies += [setting.ahead(base, clairvoyant) for clairvoyant in (False, True)]
    suite = {"schema": "park.suite", "version": 1, "name": f"headroom-{name}", "summary": "what is left to gain",
             "seed": 1, "environments": [{
                 "env": "dag_scheduling", "version": 1, "config": setting.config,
                 "episodes": episodes or setting.episodes, "metrics": ["avg_jct_s"],
                 "baselines": ["random", "fair", *heuristics], "policies": policies}]}
    file = folder / "suite.json"
    file.write_text(json.dumps(suite, indent=2) + "\n", encoding="utf-8")
    subprocess.run([PARK, "bench", str(file), "--out", str(folder / "results"), "--workers", str(workers)], cwd=ROOT,
                   check=True)


def table(out):
    """Prints the ratios of what was played to the best heuristic, on the same episodes."""
    print("| setting | policy | episodes | avg_jct_s | of the best heuristic |")
    print("| --- | --- | --- | --- | --- |")
    for name in SETTINGS:
        file = out / name / "results" / "results.csv"
        if not file.exists():
            continue
        values = {}
        with file.open(encoding="utf-8", newline="") as lines:
            for row in csv.DictReader(lines):
                if row["metric"] == "avg_jct_s":
                    values.setdefault(row["policy"], {})[row["episode"]] = float(row["value"])
        print_setting(name, values)


def print_setting(name, values):
    """The rows of one setting."""
    means = {policy: sum(of.values()) / len(of) for policy, of in values.items()}
    best = min((p for p in means if p.split("(")[0] in (*HEURISTICS, "fair")), key=means.get)
    for policy, mean in means.items():
        print(f"| {name} | `{policy}` | {len(values[policy])} | {mean:.2f} | {mean / means[best]:.4f} |")


def times(out):
    """Times of decisions, kept by cell, and their table."""
    file = out / "times.json"
    kept = json.loads(file.read_text(encoding="utf-8")) if file.exists() else {}
    out.mkdir(parents=True, exist_ok=True)
    for jobs in (20, 200, 2000):
        for batch in (1, 64):
            for policy in ("srpt_capped(c=10,s=0.75)", BATCH):
                key = f"{jobs} {batch} {policy}"
                if key not in kept:
                    kept[key] = measured(jobs, batch, policy)
                    file.write_text(json.dumps(kept, indent=1) + "\n", encoding="utf-8")
    rows = []
    for key, (p50, p99) in kept.items():
        jobs, batch, policy = key.split(" ", 2)
        rows.append([jobs, batch, policy, f"{p50:.1f}", f"{p99:.1f}"])
        print(*rows[-1], flush=True)
    figures.write(ROOT / "results/dag_scheduling_decisions.json", "Time of one decision", figures.command(), [],
                  ["batches of Decima's profiles, 50 executors, one thread; 200 calls, the first 20 before them not counted",
                   "published for Decima: below 15 ms on average (Mao et al., SIGCOMM 2019)"],
                  [{"title": "", "columns": ["jobs", "questions in a call", "policy", "p50 (us per decision)",
                                             "p99 (us per decision)"], "rows": rows}], page="dag_scheduling")


def measured(jobs, batch, policy):
    """Percentiles over calls with so many jobs present, in microseconds per question."""
    env = Setting({"jobs": jobs}, None, 0).env
    program = ROOT / "build/release/bin/decision_times"
    text = subprocess.run([program, env, policy, str(batch), "200"], cwd=ROOT, check=True, stdout=subprocess.PIPE,
                          text=True).stdout
    percentiles = json.loads(text)
    return percentiles["p50_us"], percentiles["p99_us"]


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("what", choices=("play", "table", "times"))
    parser.add_argument("--out", type=Path, required=True, help="folder of what was played")
    parser.add_argument("--setting", choices=SETTINGS, help="this one alone")
    parser.add_argument("--episodes", type=int, help="fewer than the published ones")
    parser.add_argument("--workers", type=int, default=1)
    arguments = parser.parse_args()
    out = arguments.out.resolve()
    if arguments.what == "table":
        table(out)
    elif arguments.what == "times":
        times(out)
    else:
        for name in [arguments.setting] if arguments.setting else SETTINGS:
            play(name, out, arguments.episodes, arguments.workers)
    return 0


if __name__ == "__main__":
    sys.exit(main())
