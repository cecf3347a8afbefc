"""What experiments/attacks/measure_attacks.py attacks, and how policies are trained against it.

The settings of an environment are in experiments/NAME/attacks.py: SETTINGS, by name, and MADE, the files that
some of them need (experiments/learning/settings.py).
"""

import importlib.util
import sys
from dataclasses import dataclass
from pathlib import Path

EXPERIMENTS = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(EXPERIMENTS / "learning"))

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
    hardened: learning.Training | None = None  # a training against misreports that starts from the policy
    test_episodes: int = 100
    notes: tuple = ()

    def command(self, policy, mode, *more):
        """What attacks a policy."""
        return ["attack", self.env, "--policy", policy, "--mode", mode, "--epsilon", str(self.epsilon),
                "--jobs", str(self.targets), "--seed", str(self.seed), *more]


def experiments():
    """Every setting by its name, with the folder of its environment and the files that it needs."""
    found = {}
    for path in sorted(EXPERIMENTS.glob("*/attacks.py")):
        spec = importlib.util.spec_from_file_location(f"attacks_{path.parent.name}", path)
        content = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(content)
        for name, setting in content.SETTINGS.items():
            if name in found:
                raise SystemExit(f"{path}: setting {name} is also one of {found[name].environment}")
            made = tuple(m for m in getattr(content, "MADE", ()) if m.file in setting.env)
            found[name] = learning.Experiment(path.parent.name, setting, made)
    return found
