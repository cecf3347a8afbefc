"""Trainings on circuit and what they are compared with."""

from settings import Heuristics, Setting, Training

ENV = "circuit(start=centre,deadline_s=60)"
ALGORITHM = ("ppo(sequences=16,rollouts=4,epochs=4,minibatch=512,learning_rate=0.002,final_learning_rate=1e-4,"
             "entropy=0.01,average=0.9)")


def training(network):
    """A network on drawn specifications of the transimpedance amplifier."""
    return Training(f"circuit-{network}", ENV, iterations=40, seeds=1, algorithm=ALGORITHM, network=network,
                    validation_episodes=40, options=("--validate-every", "10%"))


SETTINGS = {
    "circuit": Setting(
        "Steps from the middle of all ranges to drawn specifications", ENV, [training("graph"), training("scorer")],
        Heuristics(("human", "coordinate", "random"), ("coordinate",)), higher=True, tune_episodes=10, episodes=100),
}
