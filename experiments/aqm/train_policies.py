#!/usr/bin/env python3
"""Trains policies of aqm and compares them with tuned disciplines.

    train_policies.py --train      trains all seeds, two at a time
    train_policies.py              tunes, plays, writes results/aqm_mixed.json

A training goes on where it was stopped (Ctrl-C): run the same command again. Disciplines are tuned on training
inputs, checkpoints are chosen on validation inputs, and all are played on the same held-out episodes. The tables
show the whole episode and, as steady_*, what comes after its first quarter. Builds nothing: needs
build/release/bin/park.
"""

import sys
from pathlib import Path

EXPERIMENTS = Path(__file__).resolve().parents[1]
sys.path[:0] = [str(EXPERIMENTS), str(EXPERIMENTS / "learning"), str(EXPERIMENTS.parent / "scripts")]
import compare_on_settings  # noqa: E402
import measure_learning  # noqa: E402
from compare_on_settings import Place  # noqa: E402
from settings import Training  # noqa: E402

# Few episodes a step: one drop changes little, and many small steps find more than few exact ones.
ALGORITHM = ("ppo(sequences=16,rollouts=1,lambda=0.95,epochs=6,minibatch=2048,learning_rate=0.003,"
             "final_learning_rate=5e-5,entropy=0.0005,slots=16,discount_rate=0.7,average=0.9)")
TRAINING = Training("aqm-mixed", "aqm", seeds=5, algorithm=ALGORITHM, network="mlp(inputs=derived)", baseline="value",
                    validation_episodes=100, options=("--decisions", "8000000"))
DISCIPLINES = ("taildrop", "red", "codel", "pie", "fq_codel", "dualpi2")
BOUND = ("known_path",)
METRICS = ("score", "utilisation", "queue_ms", "queue_p95_ms", "steady_utilisation", "steady_queue_ms")
OTHERS = ("web", "udp", "rfc7928-mild", "rfc7928-medium", "rfc7928-heavy", "rfc7928-senders", "rfc7928-rtts",
          "rfc7928-bursts", "rfc7928-capacity")
PLACES = [Place("links and senders like those of the training", "aqm", 60, METRICS),
          *(Place(name, f"aqm(preset={name})", 20, METRICS) for name in OTHERS)]


def main():
    """Trains or compares."""
    arguments = measure_learning.command_line(__doc__)
    if arguments.train:
        measure_learning.train_seeds(TRAINING, arguments)
        return
    compare_on_settings.measure("results/aqm_mixed.json", "Learned queue management beside tuned disciplines",
                                "experiments/aqm/train_policies.py", TRAINING, PLACES, DISCIPLINES, BOUND, 50, "aqm")


if __name__ == "__main__":
    main()
