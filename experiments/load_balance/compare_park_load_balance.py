#!/usr/bin/env python3
"""Plays job sequences of ours on Park's load_balance and records what comes out.

    experiments/load_balance/compare_park_load_balance.py PATH_TO_PARK [--out FILE]

PATH is a checkout of park-project/park; this needs numpy, as Park does. Without a checkout the
script says so and ends with status 3. It writes tests/envs/load_balance/load_balance_park.json, which
tests/envs/load_balance/park_test.cc compares with our environment. Nothing of Park is copied.

Where the two differ, and what is done about it:
  - Park cuts a service time to a whole number of its time units. Sequences in seconds are given to
    it in microseconds of time and millionths of work, so that the cut is below 1e-6 s a job; the
    sequence `exact` has sizes that its rates divide, so that nothing is cut.
  - Park clips the observation at load_balance_obs_high; the limit is raised beyond all loads.
  - Park starts its clock one gap before the first job, we start it at the first job: `end_s` is
    given from the first job on.
  - Park shows a state in which completions of the same instant are still to come. The policies here
    read its servers and count those jobs as gone, as ours are before a decision.
  - The load that Park shows adds the work of the queue to the remaining time of the job in service.
    The policy `park_load` takes the least of these; our test plays its recorded decisions.
It also records the returns of episodes on jobs that Park draws itself, to compare distributions.
"""

import argparse
import json
import math
import sys
from pathlib import Path

OUT = Path(__file__).resolve().parents[2] / "tests/envs/load_balance/load_balance_park.json"
SKIPPED = 3
MICRO = 1_000_000
MASK = (1 << 64) - 1


class Rng:
    """park/core/rng.h: SplitMix64 by counter, split by name."""

    def __init__(self, key):
        self.key = self.mix(key + 0x632BE59BD9B4E019)
        self.counter = 0

    @staticmethod
    def mix(z):
        z &= MASK
        z = ((z ^ (z >> 30)) * 0xBF58476D1CE4E5B9) & MASK
        z = ((z ^ (z >> 27)) * 0x94D049BB133111EB) & MASK
        return z ^ (z >> 31)

    def split(self, name):
        h = 0xCBF29CE484222325
        for byte in name.encode() + b"\xff":
            h = ((h ^ byte) * 0x100000001B3) & MASK
        return Rng(self.key ^ self.mix(h + 1))

    def uniform(self):
        self.counter += 1
        return (self.mix(self.key + 0x9E3779B97F4A7C15 * self.counter) >> 11) * 2.0**-53


def jobs_of(inputs, count, size):
    """Gaps (s) and sizes (work) of an episode of ours with a gap of 55 s on average."""
    gaps, sizes = Rng(inputs).split("gaps"), Rng(inputs).split("sizes")
    return [(-55.0 * math.log(1.0 - gaps.uniform()), size(sizes.uniform())) for _ in range(count)]


def pareto(u):
    return 100.0 * (1.0 - u) ** (-1.0 / 1.5)


def uniform(u):
    return 100.0 + 400.0 * u


def exact_jobs(count):
    """Whole gaps, and sizes that the rates 0.25, 0.5, 1 and 2 divide: ties in time are common."""
    draw = Rng(7).split("exact")
    return [(int(8 * draw.uniform()), 2 + 2 * int(16 * draw.uniform())) for _ in range(count)]


def sequences():
    """Name, our environment, its inputs or None, the rates, units per second, and the jobs."""
    ten = [(15 + 10 * i) / 100 for i in range(10)]
    micro = lambda jobs: [(round(gap * MICRO), round(size * MICRO)) for gap, size in jobs]
    return [
        ("ten_servers_1", "load_balance(jobs=200)", 1, ten, MICRO, micro(jobs_of(1, 200, pareto))),
        ("ten_servers_2", "load_balance(jobs=200)", 2, ten, MICRO, micro(jobs_of(2, 200, pareto))),
        ("two_servers", "load_balance(servers=2,rates=[3,3],jobs=200)", 3, [3.0, 3.0], MICRO,
         micro(jobs_of(3, 200, pareto))),
        ("uniform", "load_balance(servers=3,rates=[1,2,3],jobs=200,sizes=uniform)", 4,
         [1.0, 2.0, 3.0], MICRO, micro(jobs_of(4, 200, uniform))),
        ("exact", "load_balance(servers=4,rates=[0.25,0.5,1,2],jobs=200)", None,
         [0.25, 0.5, 1.0, 2.0], 1, exact_jobs(200)),
    ]


class View:
    """What our observation tells, read from Park's servers."""

    def __init__(self, env):
        now = env.wall_time.curr_time
        self.size = env.incoming_job.size
        self.rate = [s.service_rate for s in env.servers]
        self.jobs, self.work, self.drain = [], [], []
        for s in env.servers:
            left = 0 if s.curr_job is None else max(0, s.curr_job.finish_time - now)
            waiting = sum(job.size for job in s.queue)
            self.jobs.append(len(s.queue) + (left > 0))
            self.work.append(waiting + left * s.service_rate)
            self.drain.append(waiting / s.service_rate + left)


def smallest(values):
    return min(range(len(values)), key=lambda i: values[i])


POLICIES = {
    "round_robin": lambda k, view, load: k % len(view.rate),
    "shortest_queue": lambda k, view, load: smallest(view.jobs),
    "least_work": lambda k, view, load: smallest(view.work),
    "shortest_expected_delay": lambda k, view, load: smallest(
        [d + view.size / r for d, r in zip(view.drain, view.rate)]),
    "park_load": lambda k, view, load: smallest(load),
}


def play(lb, rates, jobs, policy):
    """One episode: decisions, rewards, time from the first job to the end, in Park's units."""
    lb.config.num_servers, lb.config.service_rates = len(rates), rates
    lb.config.num_stream_jobs, lb.config.load_balance_obs_high = len(jobs), 1e30
    rest = iter(jobs + jobs)  # the constructor resets once, which takes a job
    lb.generate_job = lambda np_random: next(rest)
    env = lb.LoadBalanceEnv()
    rest = iter(jobs)
    observation, done = env.reset(), False
    first, actions, rewards = env.wall_time.curr_time, [], []
    while not done:
        action = policy(len(actions), View(env), list(observation[:-1]))
        observation, reward, done, _ = env.step(action)
        actions.append(action)
        rewards.append(float(reward))
    return actions, rewards, env.wall_time.curr_time - first


def returns_on_its_own_jobs(lb, episodes):
    """Of Park's default setting with jobs that Park draws, under shortest_expected_delay."""
    lb.config.num_servers, lb.config.service_rates = 10, [(15 + 10 * i) / 100 for i in range(10)]
    lb.config.num_stream_jobs, lb.config.load_balance_obs_high = 1000, 1e30
    env, all_returns = lb.LoadBalanceEnv(), []
    for seed in range(episodes):
        env.seed(seed)
        env.reset()
        total, done, decision = 0.0, False, 0
        while not done:
            action = POLICIES["shortest_expected_delay"](decision, View(env), None)
            _, reward, done, _ = env.step(action)
            total, decision = total + float(reward), decision + 1
        all_returns.append(total)
    return all_returns


def record(lb):
    recorded = []
    for name, text, inputs, rates, unit, jobs in sequences():
        results = {}
        for policy, choose in POLICIES.items():
            actions, rewards, end = play(lb, rates, jobs, choose)
            results[policy] = {
                "actions": "".join(map(str, actions)),
                "reward": sum(rewards) / unit,
                "reward_by_20": [sum(rewards[k:k + 20]) / unit for k in range(0, len(rewards), 20)],
                "end_s": end / unit,
            }
        recorded.append({"name": name, "env": text, "inputs": inputs, "units_per_s": unit,
                         "gaps": [gap for gap, _ in jobs], "sizes": [size for _, size in jobs],
                         "results": results})
    return recorded


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("park", type=Path)
    parser.add_argument("--out", type=Path, default=OUT)
    options = parser.parse_args()
    if not (options.park / "park/envs/load_balance/load_balance.py").is_file():
        print(f"skipped: {options.park} is no checkout of Park", file=sys.stderr)
        return SKIPPED
    sys.path.insert(0, str(options.park))
    sys.argv = sys.argv[:1]  # Park reads the command line when it is imported
    from park.envs.load_balance import load_balance as lb  # pylint: disable=import-error
    from park.param import config  # pylint: disable=import-error
    lb.config = config
    about = ("Results of Park's load_balance on the given jobs, made by "
             "experiments/load_balance/compare_park_load_balance.py, which says how.")
    own = returns_on_its_own_jobs(lb, 160)  # before its generator is replaced
    text = json.dumps({"about": about, "returns_on_its_own_jobs": own, "sequences": record(lb)},
                      separators=(",", ":"))
    options.out.write_text(text.replace('"sequences"', '\n"sequences"')
                           .replace('{"name"', '\n{"name"').replace('"gaps"', '\n"gaps"')
                           .replace('"sizes"', '\n"sizes"').replace('"results"', '\n"results"')
                           + "\n", encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
