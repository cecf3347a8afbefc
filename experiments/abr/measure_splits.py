#!/usr/bin/env python3
"""Compares policies on three tests: the published FCC split, FCC traces of recordings that no training of
the new split uses, and traces of another network (transfer).

    experiments/learning/measure_learning.py abr_clean --train    trains the seeds of the new split
    experiments/abr/measure_splits.py                             writes results/abr_splits.json

Heuristics are tuned on the training traces of the new split. Runs of both splits are those of the settings
`abr` and `abr_clean` of measure_learning.py. A cell is marked where the policy was trained on recordings
that the test has.
"""

import argparse
import json
import subprocess
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path

EXPERIMENTS = Path(__file__).resolve().parents[1]
sys.path[:0] = [str(EXPERIMENTS / "learning"), str(EXPERIMENTS), str(EXPERIMENTS.parent / "scripts")]
import figures  # noqa: E402
import measure_learning  # noqa: E402
import reference_data  # noqa: E402
import settings  # noqa: E402
from intervals import mean_ratio, ratio_interval  # noqa: E402

EPISODES = 300
SEEN = "*"
PUBLISHED, CLEAN = "abr", "abr_clean"  # the settings whose runs are compared


@dataclass(frozen=True)
class Test:
    """What policies are played on, and which trainings used recordings of it."""
    title: str
    env: str
    episodes: int
    seen_by: tuple
    chosen: tuple = ()  # numbers of the episodes that count; nothing: all


def unseen():
    """The numbers of the published test traces of recordings that published training does not use. With
    starts, episode k plays trace k in the order of the names."""
    sets = reference_data.sets()
    done = subprocess.run(measure_learning.command("data", "traces", "compare", str(sets["fcc-test"]),
                                                   str(sets["fcc-train"]), "--json"),
                          cwd=figures.ROOT, check=True, capture_output=True, text=True)
    names = set(json.loads(done.stdout)["folders"][0]["of_other_recordings"])
    return tuple(i for i, path in enumerate(sorted(sets["fcc-test"].iterdir())) if path.name in names)


def tests(clean_env, published_env):
    """The columns of the table."""
    return [
        Test("published split", published_env, 100, (PUBLISHED, CLEAN)),
        Test("published split, {count} traces of recordings that its training lacks", published_env, 100, (CLEAN,), unseen()),
        Test("clean split", clean_env, EPISODES, (PUBLISHED,)),
        Test("transfer", "abr(traces=hsdpa,video=fcc-video1)", EPISODES, (PUBLISHED,)),
    ]


def played(test, policies):
    """Lists of the figure of the counted episodes, by policy."""
    results = measure_learning.park("run", test.env, "--policy", ",".join(policies), "--episodes",
                                    str(test.episodes))["results"]
    chosen = test.chosen or range(test.episodes)
    return {r["policy"]: [r["per_episode"]["qoe"][i] for i in chosen] for r in results}


def runs_of(setting):
    """The runs of the first training of a setting."""
    (found,) = measure_learning.whole(setting.trainings[:1]).values()
    return found


def row(title, trained, names, columns, rival):
    """The cells of a policy, which has several runs where `names` has: in each test its mean and the ratio
    to the rival."""
    cells = [title]
    for test, values in columns:
        some, others = [values[name] for name in names], [values[rival]]
        mark = SEEN if trained in test.seen_by else ""
        ratio = f"{mean_ratio(some, others):.3f}"
        if len(names) > 1:
            low, high = ratio_interval(some, others)
            ratio += f" [{low:.3f}, {high:.3f}]"
        cells += [measure_learning.figure(some) + mark, ratio]
    return cells


def split_note(made):
    """How the new split was made, and how many recordings and traces it has."""
    with tempfile.TemporaryDirectory() as folder:  # the traces of a training that runs stay as they are
        done = measure_learning.park(*made.command(reference_data.sets(), f"{folder}/split"))
    parts = ", ".join(f"{part['recordings']} recordings with {part['traces']} traces for {part['name']}"
                      for part in done["parts"])
    command = settings.shown(made.command({name: name for name in made.sources}, made.file))
    return f"clean split: `{command}`: {parts}"


def measure(experiments):
    """Writes the table."""
    published, clean = experiments[PUBLISHED].setting, experiments[CLEAN].setting
    (made,) = experiments[CLEAN].made
    notes = [split_note(made)]
    texts, bounds = measure_learning.heuristics(clean), list(clean.heuristics.bounds)
    rival = next(text for text in texts if text.startswith("robust_mpc("))
    runs = {PUBLISHED: runs_of(published), CLEAN: runs_of(clean)}
    everything = [*bounds, *texts, "abr-fcc", *runs[PUBLISHED], *runs[CLEAN]]
    columns = [(test, played(test, everything)) for test in tests(clean.env, published.env)]
    texts.sort(key=lambda text: -sum(columns[2][1][text]))
    heads = ["policy"]
    for test, values in columns:
        heads += [test.title.format(count=len(values[rival])), "to the tuned robust_mpc"]
    rows = [row(text, None, [text], columns, rival) for text in [*bounds, *texts]]
    rows.append(row("abr-fcc (bundled)", PUBLISHED, ["abr-fcc"], columns, rival))
    for name, title in ((PUBLISHED, "ppo, published split"), (CLEAN, "ppo, clean split")):
        rows.append(row(f"{title}, all {len(runs[name])} seeds", name, runs[name], columns, rival))
    singles = [row(run, name, [run], columns, rival) for name in runs for run in runs[name]]
    notes += [
        f"{SEEN} the policy was trained on recordings that this test has; transfer: on 39 trips of the same 3G "
        "network, which are in NetLLM's training set",
        f"heuristics tuned on {clean.tune_episodes} training episodes of `{clean.tune_env}`; the tuned robust_mpc "
        f"is `{rival}`",
        *(f"{test.title.format(count=len(values[rival]))}: {len(values[rival])} episodes of `{test.env}`"
          for test, values in columns),
        "mean QoE; intervals are of 95 %, Student's t over seeds and over paired episodes. Episodes of one "
        "recording are alike, and the tests have few recordings: intervals over recordings would be wider",
    ]
    figures.write(figures.ROOT / "results/abr_splits.json", "Bitrates: published split, clean split, transfer",
                  "experiments/abr/measure_splits.py", [], notes,
                  [{"title": "", "columns": heads, "rows": rows},
                   {"title": "Single seeds", "folded": True, "columns": heads, "rows": singles}], page="abr")


def main():
    argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter).parse_args()
    experiments = settings.experiments()
    lacking = sorted({name for key in (PUBLISHED, CLEAN) for name in measure_learning.missing(experiments[key])}
                     | set(reference_data.missing("abr(traces=hsdpa)")))
    if lacking:
        print(f"skipped: there is no {', '.join(lacking)} in {reference_data.root()}")
        return 0
    measure(experiments)
    return 0


if __name__ == "__main__":
    sys.exit(main())
