"""Trees of the bundled networks on dag_scheduling."""

import sys
from pathlib import Path

sys.path[:0] = [str(Path(__file__).resolve().parents[1] / name) for name in ("learning", "trees")]

from settings import Made  # noqa: E402
from tree_settings import TreeSetting  # noqa: E402

WORKLOAD = "build/decima.park"
MADE = (Made(WORKLOAD, ("decima-tpch",), ("data", "workload", "import", "decima")),)
# With 60 episodes a round better on validation inputs than balanced weights or 20 episodes.
GAP = ("--weights", "gap")

SETTINGS = {
    "batch": TreeSetting(
        title="Trees of the batch policy, bundled workload", env="dag_scheduling(executors=50,jobs=20)",
        teacher="dag_scheduling-batch-bundled", leaves=(32, 64, 112), episodes=60,
        validation_episodes=60, options=GAP,
        heuristics=("srpt_capped(c=70,s=0.75)", "weighted_fair(alpha=-1.9)", "fair"),
        notes=("target: 32 leaves at most 1.04 x the teacher and below srpt_capped, 112 leaves at most 1.025 x",)),
    "batch_decima": TreeSetting(
        title="Trees of the batch policy, Decima's profiles",
        env=f"dag_scheduling(executors=50,jobs=20,moving_delay_s=2,warmup_delay_s=1,workload={WORKLOAD})",
        teacher="dag_scheduling-batch-decima", leaves=(64,), episodes=60, validation_episodes=60,
        options=GAP,
        heuristics=("srpt_capped(c=10,s=0.75)", "weighted_fair(alpha=-1.7)", "fair"),
        notes=("target: 64 leaves at most 1.035 x the teacher and below srpt_capped",)),
}
