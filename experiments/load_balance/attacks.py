"""Attacks on the bundled network of load_balance."""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "attacks"))

from attack_settings import AttackSetting  # noqa: E402

SETTINGS = {
    "load_balance": AttackSetting(
        title="Attacks on the policy for load balancing", env="load_balance", policy="load_balance-default",
        notes=("jobs have one size that is declared; the environment has no dynamics, so practice and fresh "
               "episodes are the same",)),
}
