"""Trees of the bundled networks on dag_scheduling."""

import sys
from dataclasses import replace
from pathlib import Path

sys.path[:0] = [str(Path(__file__).resolve().parents[1] / name) for name in ("learning", "trees")]

from settings import Made  # noqa: E402
from tree_settings import TreeSetting  # noqa: E402

WORKLOAD = "build/decima.park"
MADE = (Made(WORKLOAD, ("decima-tpch",), ("data", "workload", "import", "decima")),)
# With 60 episodes a round better on validation inputs than balanced weights or 20 episodes.
GAP = ("--weights", "gap")

FAIR = (*GAP, "--separate", "fair")  # the variant of arXiv 2405.19131

BATCH = TreeSetting(
    title="Trees of the batch policy, bundled workload", env="dag_scheduling(executors=50,jobs=20)",
    teacher="dag_scheduling-batch-bundled", leaves=(32, 64, 112), episodes=60,
    validation_episodes=60, options=GAP,
    heuristics=("srpt_capped(c=70,s=0.75)", "weighted_fair(alpha=-1.9)", "fair"),
    notes=("target: 32 leaves at most 1.04 x the teacher and below srpt_capped, 112 leaves at most 1.025 x",))
DECIMA = TreeSetting(
    title="Trees of the batch policy, Decima's profiles",
    env=f"dag_scheduling(executors=50,jobs=20,moving_delay_s=2,warmup_delay_s=1,workload={WORKLOAD})",
    teacher="dag_scheduling-batch-decima", leaves=(64,), episodes=60, validation_episodes=60,
    options=GAP,
    heuristics=("srpt_capped(c=10,s=0.75)", "weighted_fair(alpha=-1.7)", "fair"),
    notes=("target: 64 leaves at most 1.035 x the teacher and below srpt_capped",))


def with_fair_limits(setting, leaves):
    """The same, where trees choose the stage alone and every job may have an equal share."""
    return replace(setting, title=f"{setting.title}, with fair limits", leaves=leaves, options=FAIR,
                   notes=("the limits are a formula, an equal share of the executors: no target",))


SETTINGS = {
    "batch": BATCH,
    "batch_fair": with_fair_limits(BATCH, (32, 112)),
    "batch_decima": DECIMA,
    "batch_decima_fair": with_fair_limits(DECIMA, (64,)),
}
