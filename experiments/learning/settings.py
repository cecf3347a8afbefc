"""What experiments/learning/measure_learning.py trains and where it tests it.

The settings of an environment are in experiments/NAME/learning.py: SETTINGS, by name, and MADE, the files
that some of them need and that a command makes. They import this module, which loads them.
"""

import importlib.util
import re
from dataclasses import dataclass, field, replace
from pathlib import Path

EXPERIMENTS = Path(__file__).resolve().parents[1]


@dataclass(frozen=True)
class Heuristics:
    """What trained policies are compared with."""
    fixed: tuple  # as they are
    tuned: tuple = ()  # with their fields chosen on training inputs
    named: tuple = ()  # those that have a column beside the best one
    bounds: tuple = ()  # know what is to come: no heuristics, but what cannot be passed


@dataclass(frozen=True)
class Training:
    """One way to train; its runs are runs/NAME-SEED."""
    name: str
    env: str
    iterations: int = 0
    budget: str = ""
    seeds: int = 3
    algorithm: str = ""
    baseline: str = "sequence_mean"
    network: str = ""
    keep_every: int = 0
    init: str = ""  # the training whose best policy of the same seed is the start
    validate_on: str = ""
    validation_episodes: int = 100
    options: tuple = ()  # more of park train
    mixture: tuple = ()  # environments of one layout, in place of env

    def run(self, seed):
        """The folder of a seed, from the root of the repository."""
        return f"runs/{self.name}-{seed}"

    def first(self, seed):
        """The folder whose best policy a seed starts from, where init names a training."""
        return f"runs/{self.init}-{seed}"

    def command(self, seed):
        """What trains a seed from its first iteration."""
        where = [word for env in self.mixture for word in ("--env", env)] if self.mixture else [self.env]
        words = ["train", *where, "--algo", self.algorithm, "--baseline", self.baseline,
                 "--net", self.network, "--seed", str(seed)]
        for option, value in (("--iterations", self.iterations), ("--budget", self.budget),
                              ("--keep-every", self.keep_every),
                              ("--validate-on", self.validate_on)):
            words += [option, str(value)] if value else []
        if self.validation_episodes != 100:
            words += ["--validation-episodes", str(self.validation_episodes)]
        words += ["--init", self.first(seed)] if self.init else []
        return [*words, *self.options, "--out", self.run(seed)]


@dataclass(frozen=True)
class Setting:
    """A table: trainings beside all heuristics, on an environment. Of several trainings the first is
    the one that the others are compared with."""
    title: str
    env: str
    trainings: list
    heuristics: Heuristics
    tune_env: str = ""  # where heuristics are tuned; nothing: env, whose training inputs are others
    higher: bool = False  # is better
    tries: bool = False  # trainings of which one is to be chosen: the table shows validations alone
    tune_episodes: int = 100
    episodes: int = 100
    notes: list = field(default_factory=list)

    @property
    def envs(self):
        """The environments that it plays."""
        return [self.env, self.tune_env, *(one.env for one in self.trainings)]


@dataclass(frozen=True)
class Made:
    """A file or folder that a command of park makes, of sets of reference data or of bundled data."""
    file: str  # from the root of the repository
    sources: tuple  # names of the sets (experiments/reference_data.txt); none: bundled data
    words: tuple  # of the command, before the sources and --out

    def command(self, paths, out):
        """The command, without park; `paths` has those of the sets by name."""
        return [*self.words, *(str(paths[name]) for name in self.sources), "--out", str(out)]


@dataclass(frozen=True)
class Experiment:
    """A setting and where it comes from."""
    environment: str  # folder of its file
    setting: Setting
    made: tuple = ()


def shown(words):
    """A command as one types it."""
    return "park " + " ".join(f"'{word}'" if re.search(r"[(*]", word) else word for word in words)


def a2c(learning_rate, decay, **fields):
    """The algorithm of the comparison of baselines."""
    all_fields = {"sequences": 4, "rollouts": 4, "lambda": decay, "learning_rate": learning_rate,
                  "final_learning_rate": learning_rate / 30, "entropy": 0.01, "slots": 16, **fields}
    return "a2c(" + ",".join(f"{name}={value:g}" for name, value in all_fields.items()) + ")"


BASELINES = {"value": "value(epochs=2)", "multi_value": "multi_value(functions=10,epochs=2)",
             "meta": "meta"}
TRIES = ("one short training each, of one seed; the comparison has the best of each baseline in an earlier "
         "round of these tries")


def grid(make, iterations, rates, decays):
    """The same fields tried for every baseline, one seed each."""
    return [replace(make(f"try-{name}-{rate:g}-{decay:g}", baseline, rate, decay), seeds=1,
                    iterations=iterations, budget="")
            for name, baseline in BASELINES.items() for rate in rates for decay in decays]


def module(path):
    """The module that a file is."""
    spec = importlib.util.spec_from_file_location(f"{path.stem}_{path.parent.name}", path)
    found = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(found)
    return found


def experiments(kind="learning"):
    """Every experiment of experiments/NAME/KIND.py by the name of its setting."""
    found = {}
    for path in sorted(EXPERIMENTS.glob(f"*/{kind}.py")):
        content = module(path)
        for name, setting in content.SETTINGS.items():
            if name in found:
                raise SystemExit(f"{path}: setting {name} is also one of {found[name].environment}")
            made = tuple(m for m in getattr(content, "MADE", ()) if any(m.file in env for env in setting.envs))
            found[name] = Experiment(path.parent.name, setting, made)
    return found
