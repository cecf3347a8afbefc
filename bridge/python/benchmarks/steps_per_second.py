#!/usr/bin/env python3
"""Steps per second of load_balance into NumPy, in process and over the bridge, as JSON.

    python benchmarks/steps_per_second.py [--slots 1024] [--seconds 2] [--rounds 5]
"""

import argparse
import json
import statistics
import tempfile
import time

import numpy as np

import park_sdk


def rate(env, actions, seconds):
    """Steps per second of all sub-environments together."""
    steps, begin = 0, time.perf_counter()
    while time.perf_counter() - begin < seconds:
        for _ in range(20):
            env.step(actions)
        steps += 20 * env.num_envs
    return steps / (time.perf_counter() - begin)


def stream_rate(stream, actions, seconds):
    """The same below Gymnasium: recv and send alone."""
    steps, begin = 0, time.perf_counter()
    while time.perf_counter() - begin < seconds:
        for _ in range(20):
            stream.send(actions)
            stream.recv()
        steps += 20 * len(actions)
    return steps / (time.perf_counter() - begin)


def measure(endpoint, args):
    """Medians over the rounds for one backend."""
    actions = np.arange(args.slots) % 10
    episodes = park_sdk.Episodes.of_slots(range(args.slots))
    env = park_sdk.ParkVectorEnv("load_balance", args.slots, endpoint=endpoint)
    env.reset(seed=1)
    stream = park_sdk.Stream("load_balance", episodes, slots=args.slots, endpoint=endpoint)
    stream.recv()
    rates = [rate(env, actions, args.seconds) for _ in range(args.rounds)]
    below = [stream_rate(stream, actions, args.seconds) for _ in range(args.rounds)]
    env.close()
    stream.close()
    return {
        "vector_env_steps_per_s": round(statistics.median(rates)),
        "stream_steps_per_s": round(statistics.median(below)),
    }


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--slots", type=int, default=1024)
    parser.add_argument("--seconds", type=float, default=2.0)
    parser.add_argument("--rounds", type=int, default=5)
    args = parser.parse_args()
    result = {"env": "load_balance", "slots": args.slots, "in_process": measure(None, args)}
    with tempfile.TemporaryDirectory() as folder:
        with park_sdk.serve("load_balance", endpoint=f"ipc://{folder}/socket") as server:
            result["bridge_ipc_same_process"] = measure(server.endpoint, args)
    print(json.dumps(result, indent=2))


if __name__ == "__main__":
    main()
