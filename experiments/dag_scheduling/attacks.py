"""Attacks on the bundled network of dag_scheduling, and training against them."""

import sys
from pathlib import Path

sys.path[:0] = [str(Path(__file__).resolve().parents[1] / name) for name in ("learning", "attacks")]

from attack_settings import AttackSetting  # noqa: E402
from settings import Training  # noqa: E402

ENV = "dag_scheduling(executors=50,jobs=20)"
POLICY = "dag_scheduling-batch-bundled"
PPO = ("ppo(sequences=4,rollouts=4,lambda=1,epochs=1,minibatch=512,learning_rate=0.001,"
       "final_learning_rate=5e-5,entropy=0.01,entropy_until=0.9,slots=16,average=0.98)")

NETWORK = "cluster_features(hidden1=64,hidden2=32,memory=8{})"


def hardened(name, **fields):
    """A training against misreports from the policy's weights, with these fields of the network."""
    more = "".join(f",{field}={value}" for field, value in fields.items())
    return Training(name, ENV, iterations=150, seeds=5, algorithm=PPO, network=NETWORK.format(more),
                    options=("--init", f"data/checkpoints/{POLICY}", "--adversarial", "0.3", "--validate-every", "10%"))


SETTINGS = {
    "batch": AttackSetting(
        title="Attacks on the batch policy, bundled workload", env=ENV, policy=POLICY,
        hardened=(("Trained against misreports, with measured durations of known jobs",
                   hardened("hardened_measured", measured="true")),
                  ("Trained against misreports", hardened("hardened"))),
        notes=("target of the white mode: success at least 60 %, gain at least 10 %, ratio at most 0.94 and below that "
               "of the null; of the black mode: half of that reduction",
               "target of the training: half of the reduction at most, and 3 % of clean completion time at most",
               "training alone changes nothing: a misreport costs the others under 1 %, which rewards hardly show; what "
               "was measured of a job in earlier runs closes the attack")),
}
