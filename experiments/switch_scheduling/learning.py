"""Trainings on switch_scheduling and what they are compared with."""

from settings import Heuristics, Setting, Training

ENV = "switch_scheduling(traffic=diagonal,arrival_slots=500)"
# Rewards of 50 slots count, less those of other rollouts of the same arrivals at the same time.
ALGORITHM = ("ppo(sequences=2,rollouts=6,epochs=2,minibatch=4096,learning_rate=0.001,final_learning_rate=5e-5,"
             "entropy=0.002,discount_rate=20000,average=0.9)")

SETTINGS = {
    "switch": Setting(
        "Matchings pair by pair under diagonal traffic", "switch_scheduling(traffic=diagonal,arrival_slots=2000)",
        [Training("switch", ENV, budget="15m", seeds=1, algorithm=ALGORITHM, network="scorer(hidden1=64,hidden2=32)",
                  validation_episodes=10,
                  options=("--imitate", "maxweight(alpha=0.05)", "--imitate-iterations", "15",
                           "--validate-every", "10%"))],
        Heuristics(("maxweight", "oldest_cell", "longest_queue", "islip", "pim", "random"), ("maxweight",),
                   ("maxweight",)),
        tune_episodes=10, episodes=40),
}
