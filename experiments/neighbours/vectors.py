#!/usr/bin/env python3
"""Steps CartPole in every vector that is installed, in turn; prints rates as JSON. Called by
compare_neighbours.py with the Python of build/neighbours.

    vectors.py PLUGIN --envs N --seconds S --rounds R
"""

import argparse
import json
import time

import gymnasium
import numpy as np

ACTIONS = 64  # batches of random actions, drawn before


def rate(step, actions, seconds):
    """Steps of single environments per second of the clock."""
    steps, begin = 0, time.perf_counter()
    while time.perf_counter() - begin < seconds:
        for batch in actions:
            step(batch)
        steps += actions.size
    return steps / (time.perf_counter() - begin)


def gymnasium_ways(envs):
    """Gymnasium's own: one Python object per environment, processes, and arrays of NumPy."""
    ways = {}
    for name, mode in (("sync", "sync"), ("async", "async"), ("vector of NumPy", "vector_entry_point")):
        made = gymnasium.make_vec("CartPole-v1", num_envs=envs, vectorization_mode=mode)
        made.reset(seed=1)
        ways[f"Gymnasium {gymnasium.__version__}, {name}"] = made.step
    return ways


def envpool_ways(envs):
    """EnvPool on one thread and on two; nothing where it is not installed."""
    try:
        import envpool
    except ImportError:
        return {}
    ways = {}
    for threads in (1, 2):
        made = envpool.make("CartPole-v1", env_type="gymnasium", num_envs=envs, num_threads=threads, seed=1)
        made.reset()
        ways[f"EnvPool {envpool.__version__}, {threads} thread" + "s" * (threads > 1)] = made.step
    return ways


def park_ways(plugin, envs):
    """Park's vector of Gymnasium and the stream below it, on the caller's thread and on two more."""
    import park_sdk
    park_sdk.load_plugin(plugin)
    ways = {}
    for workers in (0, 2):
        where = f"{workers} workers" if workers else "1 thread"
        made = park_sdk.ParkVectorEnv("cart_pole", envs, workers=workers)
        made.reset(seed=1)
        ways[f"Park, vector, {where}"] = made.step
        stream = park_sdk.Stream("cart_pole", park_sdk.Episodes.of_slots(range(envs)), slots=envs, workers=workers)
        stream.recv()
        ways[f"Park, stream, {where}"] = lambda actions, stream=stream: (stream.send(actions), stream.recv())
    return ways


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("plugin")
    parser.add_argument("--envs", type=int, required=True)
    parser.add_argument("--seconds", type=float, required=True)
    parser.add_argument("--rounds", type=int, required=True)
    arguments = parser.parse_args()
    ways = {**gymnasium_ways(arguments.envs), **envpool_ways(arguments.envs),
            **park_ways(arguments.plugin, arguments.envs)}
    actions = np.random.default_rng(1).integers(0, 2, (ACTIONS, arguments.envs), dtype=np.int32)
    rates = {way: [] for way in ways}
    for _ in range(arguments.rounds):
        for way, step in ways.items():
            rates[way].append(rate(step, actions, arguments.seconds))
    print(json.dumps(rates))


if __name__ == "__main__":
    main()
