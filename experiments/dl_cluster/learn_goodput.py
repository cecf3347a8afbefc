#!/usr/bin/env python3
"""Learns the weights of learned_goodput by evolution, and compares it with the tuned rules.

    python3 -m venv build/venv && build/venv/bin/pip install -r experiments/dl_cluster/requirements.txt
    build/venv/bin/python experiments/dl_cluster/learn_goodput.py 320 --train    all seeds, two at a time
    experiments/dl_cluster/learn_goodput.py 320       tunes, plays, writes results/dl_cluster_goodput-320.json

The search is CMA-ES (Hansen, 2016, arXiv:1604.00772, by its author's package). A generation plays its candidates
on the same training episodes, new ones each time; they are ranked by the mean logarithm of the completion time.
What a search has learned is the mean of its last distribution. It starts from marginal_goodput's usual weights. A
second search has the weights of the tuned rules alone, and the same budget: it says what the others are worth.

A search goes on where it was stopped (Ctrl-C): run the same command again. Builds nothing: needs
build/release/bin/park.
"""

import json
import math
import pickle
import statistics
import sys
import threading
import warnings
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

EXPERIMENTS = Path(__file__).resolve().parents[1]
sys.path[:0] = [str(EXPERIMENTS), str(EXPERIMENTS / "learning"), str(EXPERIMENTS.parent / "scripts")]
import figures  # noqa: E402
import measure_learning  # noqa: E402
from intervals import mean_ratio, ratio_cell  # noqa: E402
from park_runs import park  # noqa: E402

# Where the search starts, how far it looks at first, and what may be.
WEIGHTS = {"remaining": (0.375, 0.3), "curvature": (0, 0.05), "total": (0, 0.3), "left": (0, 0.3), "best": (0, 0.3),
           "age": (0, 0.3), "longer": (0, 0.3), "remaining_crowd": (0, 0.1), "best_crowd": (0, 0.1),
           "stay": (1.1, 0.5), "stay_remaining": (0, 0.3), "stay_best": (0, 0.3), "stay_crowd": (0, 0.3),
           "step_cost": (1, 0.2), "cost": (1, 0.2), "enough": (1, 0.1)}
LIMITS = {"step_cost": (0, 4), "cost": (0, 4), "enough": (0.01, 1)}
OF_RULES = ("remaining", "best", "stay", "step_cost", "cost", "enough")
SEARCHES = {"all weights": tuple(WEIGHTS), "the weights of rules": OF_RULES}
FOLDERS = {"all weights": "all", "the weights of rules": "rules"}

SEEDS, GENERATIONS, POPULATION, EPISODES = 5, 48, 14, 6
SIGMA = 0.4  # of the first distribution, in the steps of WEIGHTS
HELD_OUT, TUNE_EPISODES, TRIES = 100, 16, 120
TUNED = ("marginal_goodput", "hull_greedy", "knee_srsf")
FIXED = ("equal_share", "srsf")
JOBS = ("160", "320")
stopped = threading.Event()


@dataclass(frozen=True)
class Search:
    """A search in a setting with one seed."""
    jobs: str
    title: str
    seed: int

    @property
    def folder(self):
        return figures.ROOT / f"runs/dl_cluster-goodput-{self.jobs}-{FOLDERS[self.title]}-{self.seed}"

    @property
    def weights(self):
        return SEARCHES[self.title]

    def policy(self, point):
        """The text of the policy at a point of the search."""
        fields = []
        for name, at in zip(self.weights, point):
            start, step = WEIGHTS[name]
            low, high = LIMITS.get(name, (-20, 20))
            fields.append(f"{name}={min(max(start + step * at, low), high):.4f}")
        return f"learned_goodput({','.join(fields)})"


def environment(jobs):
    return f"dl_cluster(model=allreduce,jobs={jobs})"


def played(jobs, policies, episodes, *options):
    """Completion times in seconds, [episodes] of each policy."""
    results = park("run", environment(jobs), "--policy", ",".join(policies), "--episodes", str(episodes),
                   *options)["results"]
    return [one["per_episode"]["avg_jct_s"] for one in results]


def losses(search, generation, points):
    """The mean logarithm of the completion time of each point, on the episodes of a generation."""
    times = played(search.jobs, [search.policy(point) for point in points], EPISODES, "--phase", "train", "--seed",
                   str(1000 * search.seed + generation))
    return [statistics.fmean(map(math.log, of)) for of in times]


def begun(search):
    """The search where it stands, and how many generations it has had."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of plots that cannot be drawn
        try:
            import cma  # noqa: PLC0415  (comparing needs no packages)
        except ImportError as error:
            raise SystemExit(f"{error}: pip install -r experiments/dl_cluster/requirements.txt") from error
    if (search.folder / "search.pickle").exists():
        return pickle.loads((search.folder / "search.pickle").read_bytes())
    options = {"popsize": POPULATION, "seed": search.seed, "verbose": -9}
    return cma.CMAEvolutionStrategy([0] * len(search.weights), SIGMA, options), 0


def learn(search):
    """Searches to the end, or until Ctrl-C."""
    evolution, generation = begun(search)
    search.folder.mkdir(parents=True, exist_ok=True)
    while generation < GENERATIONS and not stopped.is_set():
        points = evolution.ask()
        found = losses(search, generation, points)
        evolution.tell(points, found)
        generation += 1
        keep(search, evolution, generation)
        print(f"{search.folder.name}: {generation}/{GENERATIONS} generations, "
              f"{math.exp(statistics.fmean(found)):.0f} s", flush=True)


def keep(search, evolution, generation):
    """Writes where a search stands, whole or not at all."""
    for name, content in (("search.pickle", pickle.dumps((evolution, generation))), (
            "policy.json", json.dumps({"generations": generation, "policy": search.policy(evolution.mean)}).encode())):
        (search.folder / f"{name}.new").write_bytes(content)
        (search.folder / f"{name}.new").replace(search.folder / name)


def train(jobs, arguments):
    """All searches of a setting, side by side."""
    seeds = [int(s) for s in arguments.seeds.split(",") if s] or range(1, SEEDS + 1)
    with ThreadPoolExecutor(arguments.together) as pool:
        running = [pool.submit(learn, Search(jobs, title, seed)) for title in SEARCHES for seed in seeds]
        try:
            for one in running:
                one.result()
        except BaseException:
            stopped.set()
            pool.shutdown(cancel_futures=True)
            raise


def learned(jobs):
    """The policies of all seeds, by search."""
    found = {}
    for title in SEARCHES:
        for seed in range(1, SEEDS + 1):
            search = Search(jobs, title, seed)
            path = search.folder / "policy.json"
            state = json.loads(path.read_text(encoding="utf-8")) if path.exists() else {"generations": 0}
            if state["generations"] < GENERATIONS:
                raise SystemExit(f"{search.folder.name} is not trained to its end; --train does that")
            found.setdefault(title, []).append(state["policy"])
    return found


def tuned(jobs):
    """The rules, with the fields that are best on training inputs."""
    return [park("tune", environment(jobs), "--policy", policy, "--episodes", str(TUNE_EPISODES), "--budget-evals",
                 str(TRIES))["best"] for policy in TUNED]


def comparison(jobs):
    """The tables: rules and all seeds, then single ones with their weights."""
    found, rules = learned(jobs), list(dict.fromkeys([*tuned(jobs), *FIXED]))
    texts = [*rules, *(policy for of in found.values() for policy in of)]
    times = dict(zip(texts, played(jobs, texts, HELD_OUT)))
    rows = {**{rule: [times[rule]] for rule in rules},
            **{f"learned_goodput, {title}, all {len(of)} seeds": [times[p] for p in of] for title, of in found.items()}}
    best = min(rules, key=lambda rule: statistics.fmean(times[rule]))
    against = {text: of for text, of in rows.items() if text == best or text.startswith("learned")}
    order = sorted(rows, key=lambda text: statistics.fmean(map(statistics.fmean, rows[text])))
    columns = ["policy", "mean completion time, s", *(f"to {text}" for text in against)]
    table = {"title": "", "columns": columns, "rows": [
        [text, f"{statistics.fmean(map(statistics.fmean, rows[text])):.0f}",
         *(ratio_cell(rows[text], other, 3) for other in against.values())] for text in order]}
    single = {"title": measure_learning.SINGLE, "folded": True, "columns": [*columns[:2], f"to {best}"], "rows": [
        [policy, f"{statistics.fmean(times[policy]):.0f}", f"{mean_ratio([times[policy]], rows[best]):.3f}"]
        for of in found.values() for policy in of]}
    return [table, single]


def measure(jobs):
    """Writes the figures."""
    search = f"{GENERATIONS} generations of {POPULATION} on {EPISODES} training episodes each"
    figures.write(figures.ROOT / f"results/dl_cluster_goodput-{jobs}.json",
                  f"Learned weights of a rule on 64 GPUs, {jobs} jobs",
                  f"experiments/dl_cluster/learn_goodput.py {jobs}", [], [
                      f"learned by `learn_goodput.py {jobs} --train`: CMA-ES, {search}",
                      f"the weights of rules: {', '.join(OF_RULES)}, the same search",
                      f"{', '.join(TUNED)} are tuned by `park tune` on {TUNE_EPISODES} training episodes, at most "
                      f"{TRIES} tries",
                      f"{HELD_OUT} held-out episodes of `{environment(jobs)}`, the same for all; intervals are of "
                      "95 %, Student's t over seeds and over paired episodes"],
                  comparison(jobs), page="dl_cluster")


def main():
    """Trains or compares."""
    arguments = measure_learning.command_line(__doc__, JOBS)
    if arguments.train:
        train(arguments.setting, arguments)
    else:
        measure(arguments.setting)


if __name__ == "__main__":
    main()
