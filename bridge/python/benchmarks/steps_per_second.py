#!/usr/bin/env python3
"""Steps per second of load_balance into NumPy, in process and over the bridge, as JSON.

    python benchmarks/steps_per_second.py [--slots 1024] [--seconds 2] [--rounds 5] [--out FILE]

With --out the figures are also kept in a file (results/README.md).
"""

import argparse
import json
import sys
import tempfile
import time
from pathlib import Path

import numpy as np

import park_sdk

sys.path.append(str(Path(__file__).resolve().parents[3] / "scripts"))
import figures  # noqa: E402  (of this checkout)


def rate(step, size, seconds):
    """Steps per second of the clock, and per second of this process's CPU time."""
    steps, begin, cpu = 0, time.perf_counter(), time.process_time()
    while time.perf_counter() - begin < seconds:
        for _ in range(20):
            step()
        steps += 20 * size
    return steps / (time.perf_counter() - begin), steps / (time.process_time() - cpu)


def measure(endpoint, args):
    """Rates of the rounds for one backend, by Gymnasium's vector and by the stream below it."""
    actions = np.arange(args.slots) % 10
    episodes = park_sdk.Episodes.of_slots(range(args.slots))
    env = park_sdk.ParkVectorEnv("load_balance", args.slots, endpoint=endpoint)
    env.reset(seed=1)
    stream = park_sdk.Stream("load_balance", episodes, slots=args.slots, endpoint=endpoint)
    stream.recv()

    def below():
        stream.send(actions)
        stream.recv()

    rates = {
        "ParkVectorEnv": [
            rate(lambda: env.step(actions), args.slots, args.seconds) for _ in range(args.rounds)
        ],
        "Stream": [rate(below, args.slots, args.seconds) for _ in range(args.rounds)],
    }
    env.close()
    stream.close()
    return rates


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--slots", type=int, default=1024)
    parser.add_argument("--seconds", type=float, default=2.0)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--out", help="keep the figures in this file")
    args = parser.parse_args()
    rates = {"in process": measure(None, args)}
    with tempfile.TemporaryDirectory() as folder:
        with park_sdk.serve("load_balance", endpoint=f"ipc://{folder}/socket") as server:
            rates["over the bridge, ipc"] = measure(server.endpoint, args)
    found = [
        figures.figure(f"{name}, {where}{per}", unit, [pair[i] for pair in values])
        for where, of in rates.items()
        for name, values in of.items()
        for i, (per, unit) in enumerate((("", "steps/s"), (", of CPU time", "steps/CPU s")))
    ]
    print(json.dumps({"env": "load_balance", "slots": args.slots, "figures": found}, indent=2))
    if args.out:
        command = "build/python-sdk/newest/bin/python bridge/python/benchmarks/steps_per_second.py"
        title = f"Steps of {args.slots} load_balance into NumPy"
        note = "Client and server share the process, so CPU time over the bridge is that of both."
        figures.write(args.out, title, command, found, [note])


if __name__ == "__main__":
    main()
