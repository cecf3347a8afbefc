"""What experiments/attacks/measure_attacks.py attacks, and how policies are trained against it.

The settings of an environment are in experiments/NAME/attacks.py: SETTINGS, by name, and MADE, the files that
some of them need (experiments/learning/settings.py).
"""

import sys
from dataclasses import dataclass
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "learning"))

import settings as learning  # noqa: E402


@dataclass(frozen=True)
class AttackSetting:
    """A table: a policy under attack, beside what is trained against it."""
    title: str
    env: str
    policy: str
    modes: tuple = ("white", "black", "random")  # the others of the first mode are attacked too
    epsilon: float = 0.2
    targets: int = 100
    seed: int = 1  # of the targets
    hardened: tuple = ()  # trainings against misreports that start from the policy, by title
    test_episodes: int = 100
    notes: tuple = ()

    @property
    def envs(self):
        """The environments that it plays."""
        return [self.env]

    def command(self, policy, mode, *more):
        """What attacks a policy."""
        return ["attack", self.env, "--policy", policy, "--mode", mode, "--epsilon", str(self.epsilon),
                "--jobs", str(self.targets), "--seed", str(self.seed), *more]
