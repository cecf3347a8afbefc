#!/usr/bin/env python3
"""How far learned policies of dag_scheduling reach: other settings, unseen queries, classes of executors, objectives,
and graph networks. One command trains for a table, or prints it and writes results/dag_scheduling_NAME.json:

    experiments/dag_scheduling/depth.py any --train        one policy for eight settings, trained on a mixture
    experiments/dag_scheduling/depth.py any                its table
    experiments/dag_scheduling/depth.py unseen             15 of 22 queries train, 7 test; three splits
    experiments/dag_scheduling/depth.py across             trained on x tested on, loads, and a stretch above capacity
    experiments/dag_scheduling/depth.py rates              other rates of arrivals, and the hint of the rate
    experiments/dag_scheduling/depth.py graph              why hand-made features win over the graph network
    experiments/dag_scheduling/depth.py graph-decisions    the same at equal decisions
    experiments/dag_scheduling/depth.py graph-long         the graph network that imitates first, at length
    experiments/dag_scheduling/depth.py imitation          what networks learn from 200 000 decisions
    experiments/dag_scheduling/depth.py onward             trained policies go on, by rewards and by look-ahead
    experiments/dag_scheduling/depth.py classes            four classes of executors
    experiments/dag_scheduling/depth.py objectives-batch   objective x metric in B20
    experiments/dag_scheduling/depth.py objectives-stream  the same on a stream
    experiments/dag_scheduling/depth.py groups             what groups of hand-made features are worth
    experiments/dag_scheduling/depth.py optimum            how far all are from the optimum of small cases

Each takes --train, which trains all seeds, or goes on with them. --seeds and --budget change it. What was played is
kept in build/depth: a call after an interruption goes on and ends with the same rows.

Needs build/release, and build/decima.park:
    park data workload import decima DECIMA-TPCH --out build/decima.park
"""

import argparse
import json
import statistics
import sys
from pathlib import Path

sys.path[:0] = [str(Path(__file__).resolve().parent), str(Path(__file__).resolve().parents[2] / "scripts")]

import figures  # noqa: E402
import small_cases  # noqa: E402
from cells import (  # noqa: E402
    ROOT,
    TUNED,
    Cells,
    made,
    park,
    print_table,
    ratio_text,
    weights_named,
)
from park_runs import is_trained, manifest, train  # noqa: E402

FOLDER = "build/depth"
DECIMA = "moving_delay_s=2,warmup_delay_s=1,workload=build/decima.park"
FEATURES = "cluster_features(hidden1=64,hidden2=32,memory=8)"
ANY_NET = "cluster_features(hidden1=64,hidden2=32,memory=8,unit=task,keys=true)"
BATCH, STREAM, ANY = (f"dag_scheduling-{name}" for name in ("batch-decima", "poisson-decima", "any"))  # bundled ones
NET_OF = {BATCH: FEATURES, STREAM: FEATURES, ANY: ANY_NET}
CLASSES = ",".join(f"class(share=0.25,cpus=1,memory={m})" for m in ("0.25", "0.5", "0.75", "1"))


def env(fields):
    """The text of an environment."""
    return f"dag_scheduling({fields})"


def with_field(net, field):
    """A network with one more field."""
    return f"{net[:-1]},{field})"


def batch(executors, jobs, more=DECIMA):
    """A batch; `more` says on what."""
    return env(f"executors={executors},jobs={jobs}" + (f",{more}" if more else ""))


def stream(executors, jobs, interval_s, more=DECIMA):
    """A stream of jobs."""
    return env(f"executors={executors},jobs={jobs},arrival=poisson,interval_s={interval_s}"
               + (f",{more}" if more else ""))


# By name: where it is tested, where it is trained (shorter streams), episodes of the test.
SETTINGS = {
    "bundled batch": (batch(50, 20, ""), batch(50, 20, ""), 100),
    "bundled stream": (stream(10, 150, 7, ""), stream(10, 60, 7, ""), 20),
    "B20": (batch(50, 20), batch(50, 20), 100),
    "20 executors": (batch(20, 20), batch(20, 20), 100),
    "100 executors": (batch(100, 20), batch(100, 20), 100),
    "100 jobs": (batch(50, 100), batch(50, 60), 20),
    "25 s": (stream(50, 150, 25), stream(50, 60, 25), 20),
    "45 s": (stream(50, 150, 45), stream(50, 60, 45), 20),
}


def table(title, columns, rows):
    """As figures.write takes it."""
    return {"title": title, "columns": columns, "rows": [[str(cell) for cell in row] for row in rows]}


def ppo(**fields):
    """The algorithm of all trainings; fields that differ from it."""
    every = {"sequences": 8, "rollouts": 4, "lambda": 1, "epochs": 1, "minibatch": 512, "learning_rate": 0.002,
             "final_learning_rate": "5e-5", "entropy": 0.03, "entropy_until": 0.9, "slots": 16, "average": 0.98,
             **fields}
    return "ppo(" + ",".join(f"{name}={value}" for name, value in every.items()) + ")"


def run_of(name, seed):
    """The folder of a run."""
    return f"{FOLDER}/runs/{name}-{seed}"


def trained(name, arguments, where, net=FEATURES, algorithm=None, more=(), limit=None, baseline="sequence_mean"):
    """The runs of all seeds of a training; with --train they are trained first. `where`: an environment, or the
    options of a mixture. `limit`: options that end it in place of --budget."""
    where = [where] if isinstance(where, str) else where
    folders = [run_of(name, seed) for seed in range(1, arguments.seeds + 1)]
    if arguments.train:
        for seed, folder in enumerate(folders, 1):
            train(folder, ["train", *where, "--algo", algorithm or ppo(), "--baseline", baseline, "--net", net,
                           "--seed", str(seed), *(limit or ("--budget", arguments.budget)), *more,
                           "--out", folder])
    arguments.runs[name] = folders
    lacking = [folder for folder in folders if not is_trained(folder)]
    if lacking:
        raise SystemExit(f"{', '.join(lacking)}: not trained to the end; --train does that")
    return folders


def mixture(environments):
    """The options of a training on all of these, scaled by a policy that knows no seconds."""
    words = []
    for one in environments:
        words += ["--env", one]
    return [*words, "--scale-by", "fair"]


def imitating(teachers, iterations=100):
    """The options of a training that begins by imitating one teacher in each environment of a mixture."""
    return ("--imitate", ",".join(teachers), "--imitate-iterations", str(iterations))


# Of generated workloads: the median of a stage's tasks, and of their durations in seconds. The training of one policy
# for all sees the first two. The next three were played before that was decided, the last three were not.
SEEN_WORKLOADS = ((12, 1), (40, 0.25))
UNSEEN_WORKLOADS = ((20, 0.1), (8, 4), (60, 0.6))
FRESH_WORKLOADS = ((25, 0.15), (6, 3), (90, 0.4))


def generated(name, workloads, seed):
    """Batches of 20 jobs of each of these workloads."""
    found = []
    for number, (tasks, duration_s) in enumerate(workloads, 1):
        file = made(f"{FOLDER}/{name}-{number}.park",
                    ["data", "workload", "generate", "--jobs", "100", "--seed", str(seed + number), "--stages-max",
                     "20", "--tasks-median", str(tasks), "--tasks-max", "1000", "--duration-median-s", str(duration_s),
                     "--duration-max-s", "60", "--memory-max", "0"])
        found.append(batch(50, 20, f"workload={file}"))
    return found


def any_runs(cells, arguments):
    """The policy for all settings: trained on the eight and on two generated workloads. Without those it was up to
    7 % behind the best heuristic on generated workloads that training had not seen."""
    more = generated("train-generated", SEEN_WORKLOADS, 40)
    where = [where for _, where, _ in SETTINGS.values()] + more
    teachers = [cells.tuned(test)[0] for test in [test for test, _, _ in SETTINGS.values()] + more]
    return trained("any", arguments, mixture(where), ANY_NET, ppo(sequences=10), imitating(teachers))


def any_table(cells, arguments):
    """One policy for all; at most 1.00 in each setting, 0.97 in the mean, 1.03 on what training never saw."""
    runs, rows, means = any_runs(cells, arguments), [], []
    tests = [(name, test, episodes, 1.0) for name, (test, _, episodes) in SETTINGS.items()]
    unseen = generated("generated", UNSEEN_WORKLOADS, 30) + generated("fresh", FRESH_WORKLOADS, 50)
    tests += [(f"generated {number}", test, 100, 1.03) for number, test in enumerate(unseen, 1)]
    for name, test, episodes, target in tests:
        best, theirs = cells.best_heuristic(test, episodes)
        ours = cells.figures(test, runs, episodes)
        rows.append([name, f"`{best}`", ratio_text(ours, theirs), target])
        if name in SETTINGS:
            means.append(statistics.fmean(map(statistics.fmean, ours)) / statistics.fmean(theirs[0]))
    rows.append(["mean of the eight", "", f"{statistics.fmean(means):.3f}", 0.97])
    return [table("", ["setting", "best heuristic", "of it", "target, at most"], rows)]


MEMORIES = {"memory": "memory=8,keys=true", "no memory": "memory=0", "memory without keys": "memory=8"}


def unseen_table(cells, arguments):
    """Queries that training has not seen; 0.98 in B20."""
    rows = []
    for split in (1, 2, 3):
        test = ",".join(f"*:{query}" for query in range(split, split + 21, 3))  # 7 of 22
        files = {name: made(f"{FOLDER}/{name}-{split}.park",
                            ["data", "workload", "filter", "build/decima.park", option, test])
                 for name, option in (("test", "--match"), ("train", "--exclude"))}
        tested, where = (batch(50, 20, DECIMA.replace("build/decima.park", files[name])) for name in ("test", "train"))
        best, theirs = cells.best_heuristic(tested, 100)
        for memory, fields in MEMORIES.items():
            net = f"cluster_features(hidden1=64,hidden2=32,unit=task,{fields})"
            runs = trained(f"unseen-{split}-{memory.replace(' ', '-')}", arguments, where, net)
            rows.append([split, memory, f"`{best}`", ratio_text(cells.figures(tested, runs, 100), theirs), 0.98])
    return [table("", ["split", "memory", "best heuristic", "of it on unseen queries", "target"], rows)]


def interval_of(cells, load):
    """The interval at which fair uses this part of the executors, by bisection over measured utilisations."""
    def search():
        low, high = 5.0, 200.0
        for _ in range(8):
            middle = (low * high) ** 0.5
            used = statistics.fmean(cells.played(stream(50, 150, f"{middle:.3g}"), "fair", 4)["utilisation"])
            low, high = (middle, high) if used > load else (low, middle)
        return float(f"{high:.3g}")

    return cells.get(f"interval of load {load}", search)


def across_table(cells, arguments):
    """Trained on x tested on. Fewer executors and fewer jobs in training lose 3 % and 7 % in the paper."""
    # From a random start the policies were up to 1.36 of the best heuristic after the budget, so they imitate it first.
    # A batch of 60 jobs takes long: an iteration and a validation play fewer, or there is time for few iterations.
    trainings = {name: (test, where) for name, (test, where, _) in SETTINGS.items()}
    trainings["10x fewer executors"] = batch(5, 20), batch(5, 20)
    trainings["15x fewer jobs"] = stream(50, 10, 25), stream(50, 10, 25)
    runs = {}
    for name, (tuned_on, where) in trainings.items():
        algorithm, validated = (ppo(sequences=2), "16") if name == "100 jobs" else (ppo(), "32")
        imitation = imitating([cells.teacher(tuned_on)], 40)
        runs[name] = trained("across-" + name.replace(" ", "-"), arguments, where, ANY_NET, algorithm,
                             (*imitation, "--validation-episodes", validated))
    tests = {name: (test, episodes) for name, (test, _, episodes) in SETTINGS.items()}
    for load in (0.5, 0.7, 0.85):
        tests[f"load {load}"] = stream(50, 150, interval_of(cells, load)), 20
    tests["above capacity"] = stream(50, 100, 10), 20  # arrives faster than the cluster works; then it drains
    rows = []
    for name, (test, episodes) in tests.items():
        _, theirs = cells.best_heuristic(test, episodes)
        used = statistics.fmean(cells.played(test, "fair", episodes)["utilisation"])
        rows.append([name, f"{used:.2f}", *(ratio_text(cells.figures(test, folders, episodes), theirs)
                                            for folders in runs.values())])
    return [table("", ["tested on", "utilisation of fair", *(f"trained on {name}" for name in runs)], rows)]


RATES = (42, 50, 60, 75)  # Table 2 of the Decima paper draws from 42 to 75 s


def rates_table(cells, arguments):
    """Trained on other rates of arrivals than that of the test, with and without the hint. Paper, 45 s: 65.4 s trained
    there, 104.8 trained on 75 s, 82.3 on a mixture, 76.6 with the hint, 91.2 for weighted_fair."""
    mixed, hint = mixture(stream(50, 60, rate) for rate in RATES), with_field(ANY_NET, "arrivals=true")
    trainings = {"45 s": (stream(50, 60, 45), ANY_NET), "75 s": (stream(50, 60, 75), ANY_NET),
                 "mixture": (mixed, ANY_NET), "mixture, hint": (mixed, hint)}
    tests = [(stream(50, 150, rate), 20) for rate in (45, 30)]
    rows = []
    for name, (where, net) in trainings.items():
        runs = trained("rates-" + name.replace(", ", "-").replace(" ", "-"), arguments, where, net)
        rows.append([name, *(ratio_text(cells.figures(test, runs, episodes), cells.best_heuristic(test, episodes)[1])
                             for test, episodes in tests)])
    return [table("", ["trained on", "tested on 45 s", "on 30 s"], rows)]


def iterations(run):
    """The figures of a run's iterations."""
    lines = (ROOT / run / "metrics.jsonl").read_text(encoding="utf-8").splitlines()
    return [found for found in map(json.loads, lines) if found["type"] == "iteration"]


def agreement(run):
    """How often a run's network chose as its teacher in the last iteration that imitated it, by head."""
    last = [found for found in iterations(run) if "agreement.stage" in found][-1]
    return {head: last[f"agreement.{head}"] for head in ("stage", "limit")}


# What the paper's network lacks, of what hand-made features have: `totals`, `limit=stage` and `merge`.
GIVEN = "totals=true,merge=true,limit=stage"
GRAPHS = {
    "features": (FEATURES, {}),
    "features and embedding": ("cluster_features(hidden1=64,hidden2=32,memory=8,embedding=8)", {}),
    "decima": ("decima", {}),
    "public inputs and sizes": ("decima_public", {}),
    "no graph": ("decima(graph=false)", {}),
    "limits as outputs": ("decima(limit=outputs)", {}),
    "lower rate": ("decima", {"learning_rate": 0.0005, "imitation_rate": 0.0005}),
    "public rate and entropy": ("decima", {"learning_rate": 0.001, "final_learning_rate": 0.001, "entropy": 1,
                                           "entropy_until": 0.05, "sequences": 1, "rollouts": 16}),
    "Glorot weights": ("decima(weights=glorot)", {}),
    "normalised sums": ("decima(sums=root)", {}),
    "logarithms": ("decima(logs=true)", {}),
    "merged limits": ("decima(merge=true)", {}),
    "totals": ("decima(totals=true)", {}),
    "one step per decision": ("decima", {"imitation_epochs": 1}),
    "totals, merged limits of stages": (f"decima({GIVEN})", {}),
    "these without the graph": (f"decima(graph=false,{GIVEN})", {}),
    "these, public inputs and sizes": (f"decima_public({GIVEN})", {}),
}


def graph_table(cells, arguments):
    """Why hand-made features win over the graph network, at equal cost; with features 0.955. All imitate first: from
    a random start one seed of features had 121 s after 500 000 decisions, where imitation led to 93 s."""
    return [variants(cells, arguments, "cost", None)]


def graph_decisions_table(cells, arguments):
    """The same at equal decisions."""
    return [variants(cells, arguments, "decisions", ("--decisions", "200000"))]


def variants(cells, arguments, equal, limit):
    """The rows of one table of graph networks, each trained until `limit`, or for the budget."""
    test = batch(50, 20)
    best, theirs = cells.best_heuristic(test, 100)
    # Validations of 100 episodes at each 5 % would take most of the time.
    more = (*imitating([cells.teacher(test)], 6), "--validation-episodes", "25", "--validate-every", "10%")
    rows = []
    for name, (net, fields) in GRAPHS.items():
        folder = f"graph-{name.replace(' ', '-').replace(',', '')}-{equal}"
        runs = trained(folder, arguments, test, net, ppo(**({"imitation_epochs": 8} | fields)), more, limit)
        heads = [[agreement(run)[head] for run in runs] for head in ("stage", "limit")]
        rows.append([name, f"`{net}`", *(f"{statistics.fmean(head):.3f}" for head in heads),
                     ratio_text(cells.figures(test, runs, 100), theirs)])
    return table("", ["variant", "network", "agreement, stage", "limit", f"of {best}"], rows)


def imitation_table(cells, arguments):
    """What networks learn from 200 000 decisions of a teacher."""
    test = batch(50, 20)
    best, theirs = cells.best_heuristic(test, 100)
    rows = []
    for teacher in (cells.teacher(test), BATCH):
        for net in ("decima", FEATURES):
            runs = trained(f"imitate-{teacher.split('(')[0]}-{net.split('(')[0]}", arguments, test, net, ppo(),
                           imitating([teacher], 60), ("--decisions", "200000"))
            last = agreement(runs[0])
            rows.append([f"`{teacher}`", f"`{net}`", *(f"{last[head]:.3f}" for head in ("stage", "limit")),
                         ratio_text(cells.figures(test, runs, 100), theirs)])
    return [table("", ["teacher", "network", "agreement, stage", "limit", f"of {best}"], rows)]


def graph_long_table(cells, arguments):
    """The graph network that imitates first, then learns at length; 1.00."""
    test = batch(50, 20)
    best, theirs = cells.best_heuristic(test, 100)
    net = f"decima({GIVEN})"
    # With the rate and the entropy of a random start it lost 4 % at once of what imitation had reached.
    slow = ppo(imitation_epochs=8, epochs=3, learning_rate="3e-4", final_learning_rate="1e-5", entropy=0.003)
    runs = trained("graph-long", arguments, test, net, slow,
                   (*imitating([cells.teacher(test)], 30), "--validation-episodes", "25"))
    return [table("", ["network", f"of {best}", "target"],
                  [[f"`{net}`", ratio_text(cells.figures(test, runs, 100), theirs), "1.00"]])]


# By name: where it is tested and trained, the policy to begin with (of the bundled ones the best on training inputs),
# episodes of the test, the target.
ONWARD = {
    "B20": (batch(50, 20), batch(50, 20), BATCH, 100, 0.953),
    "100 jobs": (batch(50, 100), batch(50, 60), BATCH, 20, 0.96),
    "20 s": (stream(50, 150, 20), stream(50, 60, 20), STREAM, 20, 0.86),
    "45 s": (stream(50, 150, 45), stream(50, 60, 45), ANY, 20, 0.90),
}


def ways_on(where):
    """By name the algorithm and the baseline of a training that goes on in this environment."""
    discount = {"discount_rate": "5e-4"} if "arrival=" in where else {}
    return {"rewards": (ppo(learning_rate="3e-4", final_learning_rate="1e-5", entropy=0.001, **discount),
                        "sequence_mean"),
            "look-ahead": ("expert(sequences=16,futures=8,candidates=8,every=4,horizon_s=500,validation=128,"
                           "learning_rate=3e-4)", "none")}


def onward_table(cells, arguments):
    """Trained policies go on, by rewards and by what honest look-ahead finds better on their own states."""
    rows = []
    for name, (test, where, start, episodes, target) in ONWARD.items():
        best, theirs = cells.best_heuristic(test, episodes)
        first = cells.figures(test, [start], episodes)
        rows.append([name, "begins with", ratio_text(first, theirs), "", "", ""])
        for way, (algorithm, baseline) in ways_on(where).items():
            runs = trained(f"onward-{name.replace(' ', '-')}-{way}", arguments, where, NET_OF[start], algorithm,
                           ("--init", f"data/checkpoints/{start}", "--validation-episodes", "50"), baseline=baseline)
            ours = cells.figures(test, runs, episodes)
            rows.append([name, way, ratio_text(ours, theirs), ratio_text(ours, first), kept_iterations(runs), target])
    return [table("", ["setting", "it goes on by", "of the best heuristic", "of what it began with",
                       "iterations kept, of all", "target"], rows)]


def kept_iterations(runs):
    """How many of all iterations of these runs were kept, where the algorithm undoes some."""
    kept = [one["expert.kept"] for run in runs for one in iterations(run) if "expert.kept" in one]
    return f"{sum(kept):.0f} of {len(kept)}" if kept else "all"


def use_of_classes(environment, policy, seed):
    """Executor-seconds by job of an episode, and those of the largest of four classes: (work, all, largest) each."""
    trace = ROOT / FOLDER / "use.trace.json"
    park("run", environment, "--policy", policy, "--episodes", "1", "--seed", str(seed), "--timeline", str(trace),
         "--overwrite")
    events = json.loads(trace.read_text(encoding="utf-8"))["traceEvents"]
    largest = {e["tid"] for e in events if e["ph"] == "M" and e["name"] == "thread_name"
               and e["args"]["name"].endswith(", class 3")}
    work = {int(e["args"]["job"]): e["args"]["work_s"] for e in events if e["ph"] == "i" and e["name"] == "arrival"}
    used = {job: [0.0, 0.0] for job in work}
    for event in events:
        if event["ph"] != "X" or "job" not in event["args"]:
            continue
        used[int(event["args"]["job"])][0] += event["dur"] / 1e6
        if event["tid"] in largest:
            used[int(event["args"]["job"])][1] += event["dur"] / 1e6
    return [[work[job], *used[job]] for job in sorted(work)]


def largest_share(cells, environment, policy):
    """The share of the largest class in what jobs use: of the smallest fifth of them, over that of all."""
    small, everyone = [0.0, 0.0], [0.0, 0.0]
    for seed in range(1, 11):
        jobs = sorted(cells.get(f"use {weights_named(policy)} {seed} {environment}",
                                lambda seed=seed: use_of_classes(environment, policy, seed)))
        for place, (_, used, largest) in enumerate(jobs):
            for sums in (small, everyone) if place < len(jobs) / 5 else (everyone,):
                sums[0] += used
                sums[1] += largest
    return (small[1] / small[0]) / (everyone[1] / everyone[0])


def classes_settings():
    """By workload and arrivals: where it is tested, where it is trained, episodes of the test."""
    found = {}
    for name, workload, delay, gap_s in (("TPC-H", "bundled-memory", 0.5, 2), ("synthetic", "synthetic-memory", 1, 18)):
        more = f"moving_delay_s={delay},workload={workload},classes=[{CLASSES}]"
        found[name, "batch"] = batch(48, 20, more), batch(48, 20, more), 100
        found[name, "stream"] = stream(48, 200, gap_s, more), stream(48, 60, gap_s, more), 50
    return found


def classes_table(cells, arguments):
    """One policy for four classes of executors, of all four settings; 0.90 of the best heuristic. In the paper the
    smallest fifth of the jobs gets 1.39 as much of the largest class."""
    found, names = classes_settings(), (*TUNED, "tetris", "graphene_star")
    teachers = [cells.teacher(test, names) for test, _, _ in found.values()]
    runs = trained("classes", arguments, mixture(where for _, where, _ in found.values()),
                   with_field(ANY_NET, "classes=true"), more=imitating(teachers))
    rows = []
    for (name, kind), (test, _, episodes) in found.items():
        best, theirs = cells.best_heuristic(test, episodes, names=names)
        shares = [largest_share(cells, test, policy) for policy in (best, *runs)]
        rows.append([name, kind, f"`{best}`", ratio_text(cells.figures(test, runs, episodes), theirs), 0.90,
                     f"{shares[0]:.2f}", f"{statistics.fmean(shares[1:]):.2f}"])
    return [table("", ["workload", "arrivals", "best heuristic", "of it", "target",
                       "largest class for the smallest fifth of jobs, over all jobs: heuristic", "learned"], rows)]


GROUPS = {"all": "", "without memory": "", "without durations": ",durations=false",
          **{f"without {group}": f",without={group}" for group in ("graph", "ranks", "caps", "waves", "cluster")}}


def groups_table(cells, arguments):
    """The network of features without a group of them, at equal cost."""
    test = batch(50, 20)
    best, theirs = cells.best_heuristic(test, 100)
    runs, rows = {}, []
    for name, fields in GROUPS.items():
        memory = 0 if name == "without memory" else 8
        runs[name] = trained("groups-" + name.replace(" ", "-"), arguments, test,
                             f"cluster_features(hidden1=64,hidden2=32,memory={memory}{fields})")
    whole = cells.figures(test, runs["all"], 100)
    for name, folders in runs.items():
        ours = cells.figures(test, folders, 100)
        rows.append([name, ratio_text(ours, theirs), "" if name == "all" else ratio_text(ours, whole)])
    return [table("", ["features", f"of {best}", "of all features"], rows)]


OBJECTIVES = {"jct": "avg_jct_s", "makespan": "makespan_s", "tail": "tail_jct_s", "slowdown": "avg_slowdown",
              "deadline": "late_share"}


def objectives_batch_table(cells, arguments):
    """Objective x metric in B20, where the tail is the last job and its time the makespan; makespan 0.985. Under
    srpt_capped 16 % of the jobs are late with a factor of 6; it is 0.5 % with 8, and 69 % with 4."""
    fields = f"executors=50,jobs=20,deadline_factor=6,{DECIMA}"
    return [by_objective(cells, arguments, "batch", [one for one in OBJECTIVES if one != "tail"], fields, 100)]


def objectives_stream_table(cells, arguments):
    """Objective x metric on a stream of a job every 20 s; tail 0.90. That is not in sight: in three training episodes
    one step of honest look-ahead on the best heuristic led to 0.971, one that knows the future to 0.925."""
    fields = f"executors=50,jobs=100,arrival=poisson,interval_s=20,deadline_factor=8,{DECIMA}"
    return [by_objective(cells, arguments, "stream", list(OBJECTIVES), fields, 20)]


TARGETS = {("batch", "makespan"): "makespan_s 0.985", ("stream", "tail"): "tail_jct_s 0.90"}
# What was imitated lasts at these rates. Without discounting the returns of a stream vary too much to learn from.
GENTLE = {"imitation_epochs": 4, "epochs": 2, "learning_rate": "5e-4", "final_learning_rate": "2e-5", "entropy": 0.003}
DISCOUNTED = {"discount_rate": 0.006, "final_discount_rate": "5e-4"}
UNTUNED = ("fair", "fifo", "sjf_cp", "critical_path")


def heuristics_for(objective):
    """The heuristics that are tuned for an objective; of them one reads deadlines."""
    return (*TUNED, "edf_capped") if objective == "deadline" else TUNED


def by_objective(cells, arguments, kind, objectives, fields, episodes):
    """Objective x metric on one kind of inputs. With free migration as a row, against heuristics that have it too."""
    free = fields.replace("moving_delay_s=2", "moving_delay_s=0")
    trainings = [(objective, objective, fields) for objective in objectives]
    trainings.append(("jct, free migration", "jct", free))
    rows = []
    for name, objective, where in trainings:
        trained_on = env(f"objective={objective},{where}")
        teacher = cells.teacher(trained_on, heuristics_for(objective), (BATCH, STREAM))
        discount = DISCOUNTED if kind == "stream" and objective != "makespan" else {}  # of which the end decides
        steps = {"imitation_epochs": 4} if (kind, objective) == ("batch", "makespan") else GENTLE  # larger
        runs = trained(f"objective-{kind}-{name}".replace(" ", "-").replace(",", ""), arguments, trained_on,
                       with_field(FEATURES, "deadlines=true"), ppo(**steps, **discount),
                       (*imitating([teacher], 6), "--validation-episodes", "32"))
        test = env(f"objective=tail,{where}")  # has every metric
        rows.append([name])
        for column in objectives:
            metric = OBJECTIVES[column]
            best = cells.best_heuristic(env(f"objective={column},{where}"), episodes, metric, heuristics_for(column),
                                        UNTUNED)[1]
            rows[-1].append(ratio_text(cells.figures(test, runs, episodes, metric), best))
        rows[-1].append(TARGETS.get((kind, name), ""))
    return table("Each column: within 1 % of the best of the column where trained for it",
                 ["trained for", *(OBJECTIVES[objective] for objective in objectives), "target"], rows)


def optimum_table(cells, arguments):
    """All policies over the least cost of 200 small cases, which is found by search; learned 1.03 in the mean."""
    cases = small_cases.Cases(cells, FOLDER)
    teachers = [cells.teacher(one) for one in cases.environments]
    runs = trained("small", arguments, mixture(cases.environments), ANY_NET, more=imitating(teachers, 40))
    tuned = {name: [cells.tuned(one, [name])[0] for one in cases.environments] for name in TUNED}
    rows = [small_cases.row("best order of the jobs", [cases.orders()]),
            small_cases.row("learned here", [cases.over_least([run] * 3) for run in runs], "1.03"),
            *(small_cases.row(name, [cases.over_least([name] * 3)]) for name in (ANY, BATCH)),
            *(small_cases.row(f"{name}, tuned", [cases.over_least(texts)]) for name, texts in tuned.items()),
            *(small_cases.row(name, [cases.over_least([name] * 3)]) for name in small_cases.UNTUNED)]
    return [table(small_cases.TITLE, small_cases.COLUMNS, rows)]


# By name: the title, what makes the rows, CPU time of each training.
TABLES = {"any": ("One policy for eight settings", any_table, "40m"),
          "unseen": ("Queries that training has not seen", unseen_table, "4m"),
          "across": ("Trained on one setting, tested on others", across_table, "4m"),
          "rates": ("Trained on one rate of arrivals, tested on another", rates_table, "4m"),
          "graph": ("Graph networks and hand-made features, at equal cost", graph_table, "2m"),
          "graph-decisions": ("Graph networks and hand-made features, at equal decisions", graph_decisions_table, ""),
          "graph-long": ("The graph network at length", graph_long_table, "25m"),
          "imitation": ("Imitation of 200 000 decisions", imitation_table, ""),
          "onward": ("Going on from trained policies", onward_table, "30m"),
          "classes": ("One policy for classes of executors", classes_table, "25m"),
          "groups": ("Groups of hand-made features", groups_table, "4m"),
          "objectives-batch": ("Objectives and metrics in a batch", objectives_batch_table, "4m"),
          "objectives-stream": ("Objectives and metrics in a stream", objectives_stream_table, "4m"),
          "optimum": ("Policies and the optimum of small cases", optimum_table, "4m")}


def notes_of(runs):
    """How each policy was trained, by what its first seed says of itself."""
    notes = ["ratios of avg_jct_s where nothing else is said, to the best of the heuristics, each tuned on 16 training "
             "episodes of the setting; held-out episodes, the same for all; intervals are of 95 %, Student's t over "
             "seeds and over paired episodes"]
    for name, folders in runs.items():
        first = manifest(folders[0])
        settings, progress = first["settings"], first["progress"]
        teachers = (f"the first {progress['imitations']} iterations imitate {settings['imitate']}, "
                    if settings["imitate"] else "")
        notes.append(f"{name}, {len(folders)} seeds: network {settings['network']}, algorithm {settings['algorithm']}, "
                     f"{teachers}{progress['decisions'] / 1e6:.1f} million decisions in "
                     f"{progress['cpu_s'] / 60:.0f} minutes of one core (first seed)")
    return notes


def commit_of(runs):
    """The commit whose command trained them; several have commas between them."""
    commits = {manifest(folder)["host"]["commit"] for folders in runs.values() for folder in folders}
    return ", ".join(sorted(commits))


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("table", choices=TABLES)
    parser.add_argument("--train", action="store_true", help="train what the table needs first")
    parser.add_argument("--seeds", type=int, default=3)
    parser.add_argument("--budget", help="CPU time of each training; default: that of the published table")
    arguments = parser.parse_args()
    title, make, budget = TABLES[arguments.table]
    arguments.runs, arguments.budget = {}, arguments.budget or budget
    tables = make(Cells(ROOT / FOLDER / f"{arguments.table}.json"), arguments)
    for one in tables:
        print(f"\n{one['title']}\n")
        print_table(one["columns"], one["rows"])
    name = arguments.table.replace("-", "_")
    figures.write(ROOT / f"results/dag_scheduling_{name}.json", title, figures.command(), [],
                  [*notes_of(arguments.runs), f"trained by the tree of {commit_of(arguments.runs)}"], tables,
                  page="dag_scheduling")
    return 0


if __name__ == "__main__":
    sys.exit(main())
