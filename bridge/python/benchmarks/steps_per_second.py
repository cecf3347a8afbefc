#!/usr/bin/env python3
"""Steps per second of load_balance into NumPy, in process and over the bridge, as JSON.

    python benchmarks/steps_per_second.py [--slots 1024] [--seconds 2] [--rounds 7] [--out FILE]

With --out the figures are also kept in a file (results/README.md).
"""

import argparse
import json
import os
import sys
import tempfile
import time
from pathlib import Path

import numpy as np

import park_sdk

ROOT = Path(__file__).resolve().parents[3]
sys.path.append(str(ROOT / "scripts"))
import figures  # noqa: E402  (of this checkout)


def rate(step, size, seconds):
    """Steps per second of the clock, and per second of this process's CPU time."""
    steps, begin, cpu = 0, time.perf_counter(), time.process_time()
    while time.perf_counter() - begin < seconds:
        for _ in range(20):
            step()
        steps += 20 * size
    return steps / (time.perf_counter() - begin), steps / (time.process_time() - cpu)


def pin(core):
    """The calling thread, and those that it begins from now on, stay on one core."""
    os.sched_setaffinity(0, {core})


def steps_of(endpoint, slots):
    """A function that steps, by name: by Gymnasium's vector and by the stream below it."""
    actions = np.arange(slots) % 10
    env = park_sdk.ParkVectorEnv("load_balance", slots, endpoint=endpoint)
    env.reset(seed=1)
    episodes = park_sdk.Episodes.of_slots(range(slots))
    stream = park_sdk.Stream("load_balance", episodes, slots=slots, endpoint=endpoint)
    stream.recv()

    def below():
        stream.send(actions)
        stream.recv()

    return {"ParkVectorEnv": lambda: env.step(actions), "Stream": below}


def measure(slots, seconds, rounds):
    """The rates of each way to step, a list with one of each round. In a round all take turns."""
    cores = sorted(os.sched_getaffinity(0))
    with tempfile.TemporaryDirectory() as folder:
        pin(cores[0])
        with park_sdk.serve("load_balance", endpoint=f"ipc://{folder}/socket") as server:
            pin(cores[-1])
            ways = {
                f"{name}, {where}": step
                for where, endpoint in (("in process", None),
                                        ("over the bridge, ipc", server.endpoint))
                for name, step in steps_of(endpoint, slots).items()
            }
            rates = {way: [] for way in ways}
            for _ in range(rounds):
                for way, step in ways.items():
                    rates[way].append(rate(step, slots, seconds))
            return rates


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--slots", type=int, default=1024)
    parser.add_argument("--seconds", type=float, default=2.0)
    parser.add_argument("--rounds", type=int, default=7)
    parser.add_argument("--out", help="keep the figures in this file")
    args = parser.parse_args()
    found = [
        figures.figure(f"{way}{per}", unit, [pair[i] for pair in pairs])
        for way, pairs in measure(args.slots, args.seconds, args.rounds).items()
        for i, (per, unit) in enumerate((("", "steps/s"), (", of CPU time", "steps/CPU s")))
    ]
    print(json.dumps({"env": "load_balance", "slots": args.slots, "figures": found}, indent=2))
    if args.out:
        command = ("build/release/python/newest bridge/python/benchmarks/steps_per_second.py"
                   f" --slots {args.slots} --seconds {args.seconds:g} --rounds {args.rounds}")
        title = f"Steps of {args.slots} load_balance into NumPy"
        notes = ["In each round all ways take turns. Server and client are pinned, to two cores "
                 "where there are two.",
                 "Client and server share the process, so CPU time over the bridge is that of both."]
        figures.write(args.out, title, command, found, notes)


if __name__ == "__main__":
    main()
