"""Trainings on region_assignment and what they are compared with."""

from settings import Heuristics, Setting, Training

ENV = "region_assignment"
ALGORITHM = ("ppo(sequences=4,rollouts=8,epochs=2,minibatch=2048,learning_rate=0.001,final_learning_rate=5e-5,"
             "entropy=0.002,average=0.9)")

SETTINGS = {
    "region_assignment": Setting(
        "Accounts that arrive and leave, assigned to eight regions", ENV,
        [Training("region", ENV, iterations=200, seeds=1, algorithm=ALGORITHM, network="scorer",
                  validation_episodes=20,
                  options=("--imitate", "cheapest", "--imitate-iterations", "10", "--validate-every", "10%"))],
        Heuristics(("cheapest", "exponential_price", "learned_prices", "random"),
                   ("exponential_price", "learned_prices"), ("cheapest",)),
        tune_episodes=20, episodes=100),
}
