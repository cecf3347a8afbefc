"""Trees of the bundled network on abr."""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "trees"))

from tree_settings import TreeSetting  # noqa: E402

SETTINGS = {
    "abr_cellular": TreeSetting(
        title="Trees of the policy for cellular links", env="abr(traces=bundled-test)", train_env="abr",
        validate_on="abr(traces=bundled-validation)", teacher="abr-cellular", leaves=(32, 100),
        rounds=12, episodes=300, validation_episodes=400,
        heuristics=("robust_mpc(horizon=7,past=4,errors=2)", "robust_mpc"),
        notes=("the metric is the quality of experience, more is better", "target: 100 leaves at least 0.97 x the "
               "teacher and above tuned robust_mpc")),
}
