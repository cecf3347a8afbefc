#!/usr/bin/env python3
"""Park's ppo in C++ learns CartPole-v1 of Gymnasium, which Python serves.

    cartpole.py PARK [--budget 10m] [--out FILE]

PARK is the command `park`. Exit status 0 where the mean return over 100 episodes that training has
not seen is at least 475.
"""

import argparse
import json
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import park_sdk

sys.path.append(str(Path(__file__).resolve().parents[3] / "scripts"))
import figures  # noqa: E402  (of this checkout)

TARGET = 475
ALGORITHM = (
    "ppo(sequences=32,rollouts=1,slots=32,minibatch=512,epochs=8,learning_rate=0.002,"
    "discount_rate=0.01,entropy=0.01)"
)


def park(binary, *words):
    """What the command prints as JSON."""
    done = subprocess.run([binary, *words, "--json", "--quiet"], capture_output=True, text=True,
                          check=False)
    if done.returncode != 0:
        sys.exit(done.stderr)
    return json.loads(done.stdout)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("park")
    parser.add_argument("--budget", default="5m", help="CPU time of the training")
    parser.add_argument("--out", help="write the figures to this file")
    args = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder, park_sdk.serve_env(
        "CartPole-v1", endpoint=f"ipc://{folder}/socket"
    ) as server:
        env = f'remote(endpoint="{server.endpoint}")'
        begin = time.monotonic()
        park(args.park, "train", env, "--algo", ALGORITHM, "--baseline", "value", "--net", "mlp",
             "--budget", args.budget, "--validation-episodes", "20", "--out", f"{folder}/run")
        took = time.monotonic() - begin
        played = park(args.park, "run", env, "--policy", f"{folder}/run", "--episodes", "100")
    mean = played["results"][0]["metrics"]["episode_return"]["mean"]
    print(json.dumps({"mean_return": mean, "wall_s": took}))
    if args.out:
        figures.write(
            args.out,
            "ppo in C++ on CartPole-v1 of Gymnasium, served from Python",
            f"tests/python/learning.sh cartpole PARK --budget {args.budget} --out {args.out}",
            [
                figures.figure("mean return", "1", [mean],
                               f"of 100 episodes that training has not seen; the aim: {TARGET}"),
                figures.figure("training", "s", [took], f"with a budget of {args.budget} of CPU"),
            ],
            [f"`--algo '{ALGORITHM}' --baseline value --net mlp`"],
        )
    sys.exit(0 if mean >= TARGET else 1)


if __name__ == "__main__":
    main()
