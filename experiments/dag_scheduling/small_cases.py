"""Small cases of dag_scheduling whose least cost is found by search, and what policies cost over it."""

import statistics
from typing import NamedTuple

from cells import made, park, weights_named

PART = 10  # cases that are kept at a time, each part with a seed of its own
UNTUNED = ("fair", "fifo", "sjf_cp", "critical_path", "naive_weighted_fair", "graphene_star", "tetris", "random")


class Small(NamedTuple):
    """Three jobs of at most four stages on a cluster, as large as what is solved in seconds."""

    executors: int
    most_tasks: int  # of a stage
    large_share: float  # of jobs with four stages; the others have one, two or three
    parts: int


SMALL = (Small(2, 3, 0.5, 10), Small(3, 3, 0, 5), Small(4, 1, 0.5, 5))
COLUMNS = ["policy", "mean over the least cost", *(f"{one.executors} executors" for one in SMALL), "worst",
           "cases at the least cost (%)", "target"]
TITLE = ("Cost over the least, which a search of all decisions finds; cases of three jobs: "
         + ", ".join(f"{PART * one.parts} with {one.executors} executors" for one in SMALL))


class Cases:
    """What was solved and played is kept in cells."""

    def __init__(self, cells, folder):
        self.cells = cells
        self.environments = []
        for one in SMALL:
            file = made(f"{folder}/small-{one.executors}.park",
                        ["data", "workload", "generate", "--jobs", "1000", "--large-share", str(one.large_share),
                         "--stages-max", "4", "--tasks-median", "1", "--tasks-sigma", "0.7", "--tasks-max",
                         str(one.most_tasks), "--task-variation", "0", "--duration-sigma", "0.8", "--memory-max", "0"])
            self.environments.append(f"dag_scheduling(executors={one.executors},jobs=3,workload={file})")

    def least(self, number, seed):
        """Of the cases of a part on one cluster: rewards of the optimum, and of the best order of the jobs."""
        environment = self.environments[number]

        def solve():
            found = park("optimum", environment, "--orders", "--episodes", PART, "--seed", seed)["cases"]
            return {"optimum": [one["optimum"] for one in found],
                    "orders": [one["best_order_reward"] for one in found]}

        return self.cells.get(f"least {seed} {environment}", solve)

    def rewards(self, policy, number, seed):
        """Of a policy in the same cases."""
        environment = self.environments[number]

        def play():
            return park("run", environment, "--policy", policy, "--episodes", PART, "--seed",
                        seed)["results"][0]["per_episode"]["reward"]

        return self.cells.get(f"small {weights_named(policy)} {seed} {environment}", play)

    def ratios(self, rewards):
        """Costs over the least, [clusters][cases]; `rewards` gives those of a part."""
        return [[ours / least for seed in range(1, one.parts + 1)
                 for ours, least in zip(rewards(number, seed), self.least(number, seed)["optimum"])]
                for number, one in enumerate(SMALL)]

    def over_least(self, policies):
        """Of a policy for each cluster."""
        return self.ratios(lambda number, seed: self.rewards(policies[number], number, seed))

    def orders(self):
        """Of the best order of the jobs, where the first that can use an executor gets it."""
        return self.ratios(lambda number, seed: self.least(number, seed)["orders"])


def row(name, runs, target=""):
    """A row of the table, of ratios [runs][clusters][cases]."""
    clusters = [[one for run in runs for one in run[number]] for number in range(len(SMALL))]
    every = [one for some in clusters for one in some]
    optimal = sum(one < 1 + 1e-9 for one in every) / len(every)
    return [name, *(f"{statistics.fmean(some):.3f}" for some in (every, *clusters)), f"{max(every):.3f}",
            f"{100 * optimal:.0f}", target]
