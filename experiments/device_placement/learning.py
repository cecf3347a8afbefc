"""Trainings on device_placement and what they are compared with."""

from settings import Heuristics, Setting, Training

ENV = "device_placement(nodes=24,training=true,devices=4{})"
ALGORITHM = ("ppo(sequences=8,rollouts=8,epochs=2,minibatch=1024,learning_rate=0.003,final_learning_rate=1e-4,"
             "entropy=0.005,average=0.9)")
RULES = Heuristics(("single_device", "heft", "heft_contention", "etf", "best_rule", "random"), ("contiguous",),
                   ("single_device",), ("annealing",))


def training(network, iterations):
    """A network on graphs of all families for training."""
    return Training(f"placement-{network}", ENV.format(""), iterations=iterations, seeds=1, algorithm=ALGORITHM,
                    network=network, validation_episodes=40, options=("--validate-every", "10%"))


SETTINGS = {
    "device_placement": Setting(
        "Constructive placement of generated graphs on four devices", ENV.format(",split=test"),
        [training("scorer", 2000), training("graph", 180)], RULES, tune_env=ENV.format(""), tune_episodes=40, episodes=100,
        notes=["graphs of the test are none of those of the training",
               "both networks have about the same time: an iteration of the graph network takes 13 times as long"]),
}
