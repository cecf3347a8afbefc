#!/usr/bin/env python3
"""Trains policies of congestion_control and compares them with tuned senders.

    train_policies.py wan --train      trains all seeds, two at a time
    train_policies.py wan              tunes, plays, writes results/congestion_control_wan.json

`wan` is trained alone on links that change. `shared` learns to be alone, beside a Cubic with queues of all depths,
and beside its own kind, as one policy. A training goes on where it was stopped (Ctrl-C): run the same command
again. Senders are tuned on training inputs, checkpoints are chosen on validation inputs, and all are played on the
same held-out episodes. Builds nothing: needs build/release/bin/park.
"""

import sys
from pathlib import Path

EXPERIMENTS = Path(__file__).resolve().parents[1]
sys.path[:0] = [str(EXPERIMENTS), str(EXPERIMENTS / "learning"), str(EXPERIMENTS.parent / "scripts")]
import compare_on_settings  # noqa: E402
import measure_learning  # noqa: E402
from compare_on_settings import Place  # noqa: E402
from settings import Training  # noqa: E402

ALGORITHM = ("ppo(sequences=64,rollouts=1,lambda=0.95,epochs=4,minibatch=4096,learning_rate=0.002,"
             "final_learning_rate=5e-5,entropy=0.002,slots=64,discount_rate=1,average=0.9)")
BESIDE_CUBIC = "beside=[cubic],objective=fair"
# One link each, with a queue of 0.4, 0.6, 2, 3 and 10 bandwidth-delay products; none is a link of PLACES.
QUEUES = tuple(f"congestion_control(preset=park,rate_mbps={mbps},rtt_ms={rtt_ms},queue_packets={packets},duration_s=30,"
               f"{BESIDE_CUBIC})"
               for mbps, rtt_ms, packets in ((24, 80, 60), (72, 40, 150), (40, 45, 300), (30, 60, 500), (60, 50, 2500)))
ALONE = "congestion_control(preset=park,rate_mbps=30,rtt_ms=40,queue_packets=200,duration_s=30)"
ENVS = {"wan": ("congestion_control",),
        "shared": ("congestion_control*3", ALONE, "congestion_control(own=3)*2", f"congestion_control({BESIDE_CUBIC})",
                   *QUEUES)}
DECISIONS = {"wan": 6_000_000, "shared": 12_000_000}
TITLES = {"wan": "Learned congestion control beside tuned senders",
          "shared": "One learned policy alone, beside Cubic and beside its own kind"}
SENDERS = ("reno", "cubic", "vegas", "copa", "bbr")
BOUND = ("clairvoyant",)
ONE = ("score", "startup_score", "steady_score", "utilisation", "queue_ms", "queue_p95_ms", "own_loss")
SHARED = ("share", "score", "utilisation", "queue_ms")
SEVERAL = ("jain", "score", "utilisation", "queue_ms")
PLACES = (
    [Place("one flow, links like those of the training", "congestion_control", 100, ONE),
     Place("links of ten times the rate", "congestion_control(preset=wan-x10)", 50, ONE),
     Place("links behind a policer", "congestion_control(preset=policed)", 50, ONE),
     Place("cellular links", "congestion_control(preset=cellular)", 50, ONE)]
    + [Place(f"Pantheon's scenario {k}", f"congestion_control(preset=pantheon-{k})", 4, ONE,
             group="Pantheon's published scenarios") for k in range(1, 19)]
    + [Place(f"beside one Cubic, a queue of {packets} packets",
             f"congestion_control(preset=park,beside=[cubic],queue_packets={packets},duration_s=60)", 10, SHARED)
       for packets in (100, 400, 2000)]
    + [Place(f"{own} own flows", f"congestion_control(own={own},duration_s=60)", 20, SEVERAL) for own in (2, 4, 8)])


def training_of(name):
    """What is trained; its validations are those of the mixture."""
    several = ENVS[name] if len(ENVS[name]) > 1 else ()
    return Training(f"congestion_control-{name}", "congestion_control", mixture=several, seeds=5, algorithm=ALGORITHM,
                    network="mlp(inputs=derived)", baseline="value", validation_episodes=100,
                    options=("--decisions", str(DECISIONS[name])))


def main():
    """Trains or compares."""
    arguments = measure_learning.command_line(__doc__, ENVS)
    training = training_of(arguments.setting)
    if arguments.train:
        measure_learning.train_seeds(training, arguments)
        return
    compare_on_settings.measure(
        f"results/congestion_control_{arguments.setting}.json", TITLES[arguments.setting],
        f"experiments/congestion_control/train_policies.py {arguments.setting}", training, PLACES, SENDERS, BOUND, 50,
        "congestion_control")


if __name__ == "__main__":
    main()
