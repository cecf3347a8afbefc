"""What experiments/trees/measure_trees.py distils and where it tests it.

The settings of an environment are in experiments/NAME/trees.py: SETTINGS, by name, and MADE, the files that some
of them need (experiments/learning/settings.py).
"""

from dataclasses import dataclass


@dataclass(frozen=True)
class TreeSetting:
    """A table: trees of several sizes beside their teacher and heuristics."""
    title: str
    env: str
    teacher: str
    leaves: tuple  # of all trees of a file together
    heuristics: tuple  # with the fields that the suites tuned on training inputs; the best one first
    episodes: int  # of each round
    rounds: int = 4
    validation_episodes: int = 20
    train_env: str = ""  # where the teacher is asked; nothing: env, whose training inputs are others
    validate_on: str = ""
    options: tuple = ()  # more of park distill
    seeds: int = 5
    test_episodes: int = 100
    notes: tuple = ()

    @property
    def envs(self):
        """The environments that it plays."""
        return [self.env]

    def command(self, leaves, seed, out):
        """What makes the tree of a seed."""
        words = ["distill", self.train_env or self.env, "--teacher", self.teacher, "--leaves", str(leaves),
                 "--rounds", str(self.rounds), "--episodes", str(self.episodes),
                 "--validation-episodes", str(self.validation_episodes), "--seed", str(seed), *self.options]
        words += ["--validate-on", self.validate_on] if self.validate_on else []
        return [*words, "--out", out]
