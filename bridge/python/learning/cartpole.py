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

import park_sdk

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
    parser.add_argument("--out", help="write the result there, too")
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
    metric = played["results"][0]["metrics"]["episode_return"]
    result = {
        "what": "ppo of Park, in C++, on CartPole-v1 served from Python",
        "algorithm": ALGORITHM,
        "mean_return": metric["mean"],
        "episodes": 100,
        "target": TARGET,
        "passed": metric["mean"] >= TARGET,
        "budget": args.budget,
        "wall_s": round(took, 1),
        "date": time.strftime("%Y-%m-%d", time.gmtime()),
    }
    text = json.dumps(result, indent=2)
    print(text)
    if args.out:
        with open(args.out, "w", encoding="utf-8") as file:
            file.write(text + "\n")
    sys.exit(0 if result["passed"] else 1)


if __name__ == "__main__":
    main()
