"""Trees of the bundled network on load_balance."""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "trees"))

from tree_settings import TreeSetting  # noqa: E402

SETTINGS = {
    "load_balance": TreeSetting(
        title="Trees of the policy for load balancing", env="load_balance", teacher="load_balance-default",
        leaves=(32, 128), rounds=6, episodes=40,
        validation_episodes=300, heuristics=("shortest_expected_delay", "least_work", "power_of_d(d=10)"),
        notes=("target: 32 leaves below the best heuristic, 128 leaves at most 1.05 x the teacher",
               "missed by 128 leaves: more agreement with the teacher hardly shortens the mean, which a few decisions "
               "about huge jobs carry; gaps of scores as weights, more features and more rounds came no closer on "
               "validation inputs")),
}
