#!/usr/bin/env python3
"""Tunes the heuristics of the bundled suites with `park tune` and writes the suites.

    scripts/tune_suites.py             tunes in all suites of park/envs and writes what it finds
    scripts/tune_suites.py FILE...     the same in these files
    scripts/tune_suites.py --only NAME FILE...   only this policy; the others keep their fields
    scripts/tune_suites.py --check     tunes again on other training inputs and writes no suite; fails
                                       where held-out inputs show better fields than a suite has;
                                       --out FILE keeps its comparisons, and goes on where it stopped

Each baseline that has fields to tune is tuned on the training inputs of its environment, with the fields
of `tuning.training` in place of the environment's own. Its tuned text replaces the one before, or follows
the text without fields, which a suite may keep beside it. docs/benchmarks.md tells the form of a suite.
"""

import argparse
import concurrent.futures
import functools
import json
import math
import os
import shlex
import statistics
import subprocess
import sys
import threading
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
WIDTH = 100  # of a line of a suite's file
EPISODES, SEED, BUDGET = 100, 1, 5000  # of a suite's tuning, where it does not tell other episodes
AGAIN_EPISODES, AGAIN_SEED, AGAIN_BUDGET = 16, 2, 120  # of the check's
HELD_OUT_EPISODES, HELD_OUT_SEED = 200, 3  # of the check's comparison
COVER = 0.95


def suites():
    """The files of all suites that come with park."""
    folder = ROOT / "park/envs"
    return sorted(folder.glob("*/*suite.json"))


def read(files):
    """The contents of suites by file."""
    return {path: json.loads(path.read_text(encoding="utf-8")) for path in files}


def environments(contents):
    """Those of all these suites."""
    return [env for content in contents.values() for env in content["environments"]]


def env_text(env, other=None):
    """The text of an environment, with some fields that are otherwise."""
    def value_text(value):
        if isinstance(value, bool):
            return "true" if value else "false"
        return '""' if value == "" else str(value)

    fields = {**env["config"], **(other or {})}
    return f"{env['env']}({','.join(f'{key}={value_text(value)}' for key, value in fields.items())})"


def name_of(policy):
    """The name of a policy in its text."""
    return policy.split("(")[0]


def written(value, indent=0, before=0):
    """A JSON value as suites are written: lists of values in one line where they fit. `before`: columns of
    what stands in front of it and behind."""
    if isinstance(value, dict) and value:
        lines = []
        for key, member in value.items():
            front = f"{json.dumps(key)}: "
            lines.append(" " * (indent + 2) + front + written(member, indent + 2, indent + 3 + len(front)))
        return "{\n" + ",\n".join(lines) + "\n" + " " * indent + "}"
    line = json.dumps(value, ensure_ascii=False)
    if not isinstance(value, list) or not value:
        return line
    if not isinstance(value[0], dict) and before + len(line) <= WIDTH:
        return line
    lines = [" " * (indent + 2) + written(member, indent + 2, indent + 3) for member in value]
    return "[\n" + ",\n".join(lines) + "\n" + " " * indent + "]"


class Park:
    """The command, with what it was asked before."""

    def __init__(self, program):
        self.program = program

    @functools.cache
    def ask(self, *words):
        """What a command prints as JSON."""
        done = subprocess.run([self.program, *words, "--json", "--quiet"], check=False, capture_output=True,
                              text=True, cwd=ROOT)
        if done.returncode != 0:
            sys.exit(f"park {shlex.join(words)}: exit code {done.returncode}\n{done.stderr}")
        return json.loads(done.stdout)

    def tunable(self, env):
        """The names of the policies of an environment that have fields to tune."""
        about = self.ask("describe", env)["policy_info"]
        return {name for name, policy in about.items() if any(field["tune"] for field in policy["config"])}

    def tuned(self, env, policy, episodes, seed, budget):
        """What `park tune` finds, with the command that finds it again."""
        words = ("--policy", policy, "--episodes", str(episodes), "--seed", str(seed), "--budget-evals",
                 str(budget))
        best = self.ask("tune", env, *words)
        return {**best, "command": shlex.join(("park", "tune", best["env"], *words))}


def replaced(policies, name, before, after):
    """A list of policies with a tuned text in place of the one before, or behind the plain name."""
    some = list(policies)
    if after in some:
        return [policy for policy in some if policy in (after, name) or policy != before]
    if before in some and before != name:
        some[some.index(before)] = after
    elif name in some:
        some.insert(some.index(name) + 1, after)
    return some


def write_tuned(park, env, arguments):
    """Tunes the baselines of an environment of a suite and writes them into it."""
    tuning = env.get("tuning", {})
    told = {name_of(one["policy"]): one for one in tuning.get("tuned", [])}
    text = env_text(env, tuning.get("training"))
    tunable = park.tunable(text)
    found = []
    for name in dict.fromkeys(name_of(policy) for policy in env["baselines"]):
        if name not in tunable:
            continue
        if arguments.only not in (None, name):
            found += [told[name]] if name in told else []
            continue
        before = told.get(name, {"policy": None, "episodes": EPISODES})
        best = park.tuned(text, name, arguments.episodes or before["episodes"], arguments.seed,
                          arguments.budget_evals)
        border = f"; at the border of its grid: {', '.join(best['border'])}" if best["border"] else ""
        print(f"{best['env']}: {best['best']}, {best['tries']} tries ({best['strategy']}){border}", flush=True)
        found.append({"policy": best["best"], "command": best["command"], "episodes": best["episodes"],
                      "tries": best["tries"]})
        env["baselines"] = replaced(env["baselines"], name, before["policy"], best["best"])
        if before["policy"] in env.get("timeline", []):
            env["timeline"] = replaced(env["timeline"], name, before["policy"], best["best"])
    if found:
        env["tuning"] = {**tuning, "tuned": found}


def mean_interval(values, cover=COVER):
    """Mean and interval from Student's t, whose quantile is expanded about the normal one."""
    normal = statistics.NormalDist().inv_cdf((1 + cover) / 2)
    quantile = normal + (normal ** 3 + normal) / (4 * (len(values) - 1))
    mean = statistics.fmean(values)
    half = quantile * statistics.stdev(values) / math.sqrt(len(values))
    return mean, mean - half, mean + half


def gain(park, env, old, new, episodes, metric, cover=COVER):
    """By how much a policy is better than another one on held-out inputs: mean and interval, paired."""
    played = park.ask("run", env, "--policy", f"{old},{new}", "--episodes", str(episodes), "--seed",
                      str(HELD_OUT_SEED))["results"]
    sign = 1 if metric["better"] == "higher" else -1
    columns = [one["per_episode"][metric["name"]] for one in played]
    return mean_interval([sign * (b - a) for a, b in zip(*columns, strict=True)], cover)


def compare(park, env, one, arguments, cover):
    """Tunes a tuned baseline of an environment again and compares what is found with it."""
    tuning = env.get("tuning", {})
    best = park.tuned(env_text(env, tuning.get("training")), name_of(one["policy"]), arguments.episodes,
                      arguments.seed, arguments.budget_evals)
    row = {"env": best["env"], "policy": one["policy"], "found": best["best"], "beaten": False}
    if best["best"] == one["policy"]:
        return row
    mean, low, high = gain(park, env_text(env, tuning.get("validation")), one["policy"], best["best"],
                           arguments.held_out, best["metric"], cover)
    return {**row, "beaten": low > 0, "better_by": mean, "low": low, "high": high,
            "metric": best["metric"]["name"], "unit": best["metric"]["unit"]}


def told(row):
    """A comparison as a line."""
    if row["found"] == row["policy"]:
        return f"{row['env']}: {row['policy']} was found again"
    return (f"{row['env']}: {row['policy']}, found now {row['found']}, better by {row['better_by']:.4g} "
            f"[{row['low']:.4g}, {row['high']:.4g}] {row['unit']} {row['metric']}")


class Kept:
    """The comparisons that a check has made: lines of JSON in a file, where one is named."""

    def __init__(self, path, settings):
        self.path, self.settings, self.rows, self.lock = path, settings, {}, threading.Lock()
        for line in path.read_text(encoding="utf-8").splitlines() if path and path.exists() else []:
            row = json.loads(line)
            if row["settings"] == settings:
                self.rows[row["key"]] = row

    def row(self, key, make):
        """The comparison of this key, made where it is not kept."""
        if key not in self.rows:
            row = {"key": key, "settings": self.settings, **make()}
            with self.lock:
                self.rows[key] = row
                print(told(row), flush=True)
                if self.path:
                    with self.path.open("a", encoding="utf-8") as file:
                        file.write(json.dumps(row) + "\n")
        return self.rows[key]


def check_tuned(park, envs, arguments, cover=COVER):
    """Tunes the tuned baselines of environments again, several at a time; returns the comparisons."""
    settings = [arguments.episodes, arguments.seed, arguments.budget_evals, arguments.held_out, cover]
    kept = Kept(arguments.out, settings)
    pairs = [(env, one) for env in envs for one in env.get("tuning", {}).get("tuned", [])
             if arguments.only in (None, name_of(one["policy"]))]

    def row(pair):
        env, one = pair
        tuning = env["tuning"]
        key = " ".join([env_text(env, tuning.get("training")), env_text(env, tuning.get("validation")), one["policy"]])
        return kept.row(key, lambda: compare(park, env, one, arguments, cover))

    with concurrent.futures.ThreadPoolExecutor(arguments.jobs) as pool:
        return list(pool.map(row, pairs))


def parsed():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("files", nargs="*", type=Path, help="suites; without one all that come with park")
    parser.add_argument("--check", action="store_true", help="write nothing; fail where a suite is beaten")
    parser.add_argument("--only", metavar="NAME", help="only the policy of this name")
    parser.add_argument("--park", default=str(ROOT / "build/release/bin/park"), help="the program")
    parser.add_argument("--episodes", type=int, help="training episodes of each try; as a suite tells")
    parser.add_argument("--seed", type=int, help="of the training inputs")
    parser.add_argument("--budget-evals", type=int, help="tries at most")
    parser.add_argument("--held-out", type=int, default=HELD_OUT_EPISODES,
                        help="--check: held-out episodes of a comparison")
    parser.add_argument("--jobs", type=int, default=os.cpu_count(), help="--check: comparisons at a time")
    parser.add_argument("--out", type=Path, help="--check: file of the comparisons")
    arguments = parser.parse_args()
    usual = (AGAIN_EPISODES, AGAIN_SEED, AGAIN_BUDGET) if arguments.check else (None, SEED, BUDGET)
    for option, value in zip(("episodes", "seed", "budget_evals"), usual, strict=True):
        if getattr(arguments, option) is None:
            setattr(arguments, option, value)
    return arguments


def main():
    arguments = parsed()
    park = Park(arguments.park)
    contents = read(arguments.files or suites())
    if not arguments.check:
        for path, content in contents.items():
            for env in content["environments"]:
                write_tuned(park, env, arguments)
            path.write_text(written(content) + "\n", encoding="utf-8")
        return 0
    # All comparisons together shall find a better one by chance in one of twenty checks (Bonferroni).
    cover = 1 - (1 - COVER) / sum(len(env.get("tuning", {}).get("tuned", [])) for env in environments(read(suites())))
    rows = check_tuned(park, environments(contents), arguments, cover)
    beaten = [f"{row['env']}: {row['policy']} is beaten by {row['found']}" for row in rows if row["beaten"]]
    if beaten:
        sys.exit("\n".join(["better fields were found:", *beaten]))
    return 0


if __name__ == "__main__":
    sys.exit(main())
