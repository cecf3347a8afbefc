#!/usr/bin/env python3
"""Trains one policy of dl_inference for many settings and compares it with rules that are tuned for each.

    train_policy.py --tune       tunes the teachers that the suite lacks: teachers.json beside this file
    train_policy.py --train      trains all seeds, two at a time
    train_policy.py              tunes, plays, writes results/dl_inference_any.json

The training mixes applications, arrivals and loads. It starts from a policy that imitates one `index` in a single
setting. Its first iterations imitate, in each setting, the `index` that is tuned there; the others follow rewards.
So the learner has to find out from what it observes in which setting it is. A training
goes on where it was stopped (Ctrl-C): run the same command again. Rivals are `rr` with its best timeout and
`index`, both tuned on each setting, whose fields the suite ml-v1 has, and one `index` for all settings, tuned
here on training inputs. Checkpoints are chosen on validation inputs, and all play the same held-out episodes.
Capacity is the largest load with a macro slowdown of at most 20. Builds nothing: needs build/release/bin/park.
"""

import functools
import json
import math
import os
import statistics
import sys
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

EXPERIMENTS = Path(__file__).resolve().parents[1]
sys.path[:0] = [str(EXPERIMENTS), str(EXPERIMENTS / "learning"), str(EXPERIMENTS.parent / "scripts")]
import figures  # noqa: E402
import measure_learning  # noqa: E402
from compare_on_settings import cell  # noqa: E402
from intervals import mean_ratio, ratio_interval  # noqa: E402
from measure_learning import park  # noqa: E402
from settings import Training, shown  # noqa: E402

METRIC = "macro_slowdown"
APPS = ("equal", "mild", "hetero", "cpu")
ARRIVALS = ("poisson", "bursts")
LOADS = (0.3, 0.5, 0.7, 0.8, 0.9)
SUITE = figures.ROOT / "park/envs/dl_inference/suite.json"
EPISODES, TUNE_EPISODES = 100, 8
MOST_SLOWDOWN, CAPACITY_EPISODES, CAPACITY_S, CAPACITY_STEPS = 20, 10, 60, 6
SCALE = "aged"
TEACHERS = Path(__file__).parent / "teachers.json"
TUNE = ("--policy", "index", "--episodes", "64", "--seed", "1", "--budget-evals", "300")
FIRST_TEACHER = "index(p=0.25,q=1.25,r=0.25,d=1.25)"  # one index for all settings, as the results have it
IMITATE_ITERATIONS, ITERATIONS = 20, 40
ALGORITHM = ("ppo(sequences=10,rollouts=4,lambda=1,epochs=1,minibatch=1024,learning_rate=1e-4,"
             "final_learning_rate=1e-5,entropy=0.001,slots=10,average=0.9)")


@dataclass(frozen=True)
class Place:
    """A setting."""
    apps: str
    arrivals: str
    load: float
    rates: str = "equal"

    @property
    def env(self):
        """Its text."""
        rates = "" if self.rates == "equal" else f",rates={self.rates}"
        return f"dl_inference(apps={self.apps},arrivals={self.arrivals},load={self.load:g}{rates})"

    @property
    def name(self):
        """As tables show it."""
        return f"{self.apps}, {self.arrivals}" + (", equal load" if self.rates != "equal" else "")


MIXTURE = tuple(Place(apps, arrivals, load) for apps in APPS for load in LOADS for arrivals in ARRIVALS)
TAUGHT = Training("dl_inference-taught", Place("mild", "bursts", 0.7).env, iterations=31, seeds=5,
                  algorithm="ppo(sequences=4,rollouts=1,lambda=1,epochs=1,minibatch=1024,slots=4)",
                  baseline="none", network="scorer", validation_episodes=20,
                  options=("--imitate", FIRST_TEACHER, "--imitate-iterations", "30"))


def suite_places():
    """The settings of the suite, each with the fields that rr and index are tuned to."""
    places = {}
    for env in json.loads(SUITE.read_text(encoding="utf-8"))["environments"]:
        fields = env["config"]
        place = Place(fields["apps"], fields["arrivals"], fields["load"], fields["rates"])
        tuned = [one["policy"] for one in env["tuning"]["tuned"]]
        places[place] = {name: next(text for text in tuned if text.split("(")[0] == name) for name in ("rr", "index")}
    return places


def tune_teachers():
    """Tunes those of the settings of MIXTURE that the suite lacks."""
    own = suite_places()
    found = {place.env: park("tune", place.env, *TUNE)["best"] for place in MIXTURE if place not in own}
    told = {"command": " ".join(["park tune ENV", *TUNE]), "teachers": found}
    TEACHERS.write_text(json.dumps(told, indent=1) + "\n", encoding="utf-8")


def training():
    """That of MIXTURE, whose teachers are the index that is tuned to each of its settings."""
    own, others = suite_places(), json.loads(TEACHERS.read_text(encoding="utf-8"))["teachers"]
    teachers = [own[place]["index"] if place in own else others[place.env] for place in MIXTURE]
    return Training("dl_inference-any", "", iterations=ITERATIONS, seeds=5, algorithm=ALGORITHM, network="scorer",
                    init=TAUGHT.name, validation_episodes=160, mixture=tuple(place.env for place in MIXTURE),
                    options=("--scale-by", SCALE, "--imitate", ",".join(teachers), "--imitate-iterations",
                             str(IMITATE_ITERATIONS), "--validate-every", "10%"))


def slowdowns(env, texts, episodes, phase="evaluate"):
    """Macro slowdowns of the episodes, by policy."""
    played = park("run", env, "--policy", ",".join(texts), "--episodes", str(episodes), "--phase", phase)["results"]
    return {one["policy"]: one["per_episode"][METRIC] for one in played}


def side_by_side(work, items):
    """What `work` returns for each item; each processor is at one of them."""
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        return list(pool.map(work, items))


def index_text(fields):
    """The text of an index."""
    return f"index({','.join(f'{name}={value}' for name, value in fields.items())})"


def common_index(places):
    """The fields of one index for all places: coordinate descent on the mean logarithm of its slowdown over that
    of SCALE, on training inputs, from the best index of a single place."""
    about = park("describe", "dl_inference")["policy_info"]["index"]["config"]
    grid = {field["name"]: field["tune"].split("|") for field in about}

    @functools.cache
    def base(place):
        return statistics.fmean(slowdowns(place.env, [SCALE], TUNE_EPISODES, "train")[SCALE])

    @functools.cache
    def loss(text):
        def ratio(place):
            found = next(iter(slowdowns(place.env, [text], TUNE_EPISODES, "train").values()))
            return statistics.fmean(found) / base(place)

        return statistics.fmean(map(math.log, side_by_side(ratio, places)))

    def fields_of(text):
        told = dict(one.split("=") for one in text.partition("(")[2].rstrip(")").split(",") if one)
        return {field["name"]: told.get(field["name"], field["default"]) for field in about}

    starts = [index_text(fields_of(tuned["index"])) for tuned in suite_places().values()]
    best = min(dict.fromkeys(starts), key=loss)
    while True:
        before = best
        for name, values in grid.items():
            tries = [index_text({**fields_of(best), name: value}) for value in values]
            best = min([best, *tries], key=loss)
        if best == before:
            return next(iter(slowdowns(places[0].env, [best], 1)))  # without fields that are as by default


def compared(some, other):
    """The ratio of means with its interval."""
    low, high = ratio_interval(some, other)
    return f"{mean_ratio(some, other):.3f} [{low:.3f}, {high:.3f}]"


def mean(values):
    """Their mean, as a table shows it."""
    return f"{statistics.fmean(map(statistics.fmean, values)):.4g}"


def place_rows(places, common, runs):
    """A row for each setting, and the ratios of the means: of the policy to the tuned index, of the common index to
    it, and of the policy to the common index."""
    rows, ratios = [], []
    texts = {place: list(dict.fromkeys([*tuned.values(), common])) for place, tuned in places.items()}
    all_played = side_by_side(lambda place: slowdowns(place.env, [*texts[place], *runs], EPISODES), places)
    for (place, tuned), played in zip(places.items(), all_played, strict=True):
        learned = [played[run] for run in runs]
        cells = {name: [played[text]] for name, text in {**tuned, "common": common}.items()}
        rows.append([place.name, f"{place.load:g}", *(mean(values) for values in cells.values()), mean(learned),
                     *(compared(learned, values) for values in cells.values())])
        ratios.append({name: mean_ratio(learned, values) for name, values in cells.items()}
                      | ({"common to index": mean_ratio(cells["common"], cells["index"])} if "index" in cells else {}))
    return rows, ratios


def geometric(ratios, name):
    """The geometric mean of some ratios."""
    return f"{math.exp(statistics.fmean(math.log(ratio[name]) for ratio in ratios)):.3f}"


def table_of_places(title, places, common, runs):
    """The table, with the geometric means of its ratios in the last row."""
    rows, ratios = place_rows(places, common, runs)
    names = [*next(iter(places.values())), "common"]
    shown_as = {"rr": "rr, best timeout", "index": "index, tuned here", "common": "one index"}
    columns = ["setting", "load", *(shown_as[name] for name in names), f"learned, {len(runs)} seeds",
               *(f"to {shown_as[name]}" for name in names)]
    rows.append(["geometric mean", "", *("" for _ in names), "", *(geometric(ratios, name) for name in names)])
    if "index" in names:
        rows.append(["one index, geometric mean", "", *("" for _ in names), "", "",
                     geometric(ratios, "common to index"), ""])
    return {"title": title, "columns": columns, "rows": rows}


def capacity(place, text):
    """The largest load with a macro slowdown of at most MOST_SLOWDOWN, to 1/64."""
    low, high = 0.0, 1.0
    for _ in range(CAPACITY_STEPS):
        middle = (low + high) / 2
        env = f"{Place(place.apps, place.arrivals, middle).env[:-1]},duration_s={CAPACITY_S})"
        found = statistics.fmean(next(iter(slowdowns(env, [text], CAPACITY_EPISODES).values())))
        low, high = (middle, high) if found <= MOST_SLOWDOWN else (low, middle)
    return low


def capacity_table(common, runs):
    """The largest loads of rules and of the policy."""
    rules = ["rr", "lowest_util", "max_slowdown", SCALE, common]

    def row(place):
        found = [capacity(place, text) for text in rules]
        learned = [capacity(place, run) for run in runs]
        return [place.name, *(f"{load:.3f}" for load in found),
                cell([[load] for load in learned]) if len(set(learned)) > 1 else f"{learned[0]:.3f}"]

    rows = side_by_side(row, [Place(apps, arrivals, 1) for apps in APPS for arrivals in ARRIVALS])
    return {"title": f"Capacity: the largest load with a macro slowdown of at most {MOST_SLOWDOWN}",
            "columns": ["setting", *rules[:-1], "one index", f"learned, {len(runs)} seeds"], "rows": rows}


def measure():
    """Writes the tables."""
    trained = training()
    runs = measure_learning.whole([trained])[trained]
    told = suite_places()
    others = {place: {} for place in MIXTURE if place not in told}
    common = common_index([*told, *others])
    tables = [table_of_places("Settings of the suite ml-v1", told, common, runs),
              table_of_places("Other settings", others, common, runs), capacity_table(common, runs),
              measure_learning.cost({trained: runs})]
    notes = [f"`{shown(TAUGHT.command(1))}`, then `{shown(trained.command(1))}`, and likewise the other seeds",
             f"one index for all: `{common}`, tuned on {TUNE_EPISODES} training episodes of each setting",
             f"{EPISODES} held-out episodes of each setting, the same for all; intervals are of 95 %, Student's t over "
             "seeds and over paired episodes",
             f"capacity: {CAPACITY_EPISODES} held-out episodes of {CAPACITY_S} s, loads in steps of 1/64"]
    figures.write(figures.ROOT / "results/dl_inference_any.json", "One policy for many settings of inference",
                  "experiments/dl_inference/train_policy.py", [], notes, tables,
                  curves={"columns": measure_learning.CURVE, "runs": measure_learning.curves({trained: runs})},
                  page="dl_inference")


def main():
    """Trains or compares."""
    arguments = measure_learning.command_line(__doc__, flags=["--tune"])
    if arguments.tune:
        tune_teachers()
    elif arguments.train:
        measure_learning.train_seeds(TAUGHT, arguments)
        measure_learning.train_seeds(training(), arguments)
    else:
        measure()


if __name__ == "__main__":
    main()
