"""The program that docs/conformance.md asks of every client.

    python -m park_sdk.conformance decode FILE...
    python -m park_sdk.conformance rollout ENDPOINT ENV
    python -m park_sdk.conformance scenario ENDPOINT ENV
    python -m park_sdk.conformance serve ENDPOINT
"""

from __future__ import annotations

import argparse
import json
import sys
from pathlib import Path

from park_sdk import _core
from park_sdk.serving import Answer, serve_policy
from park_sdk.spec import Spec


def decode(files: list[str]) -> None:
    """A line per file: what the message says, or reject."""
    for name in files:
        path = Path(name)
        message = _core.decode(path.read_bytes())
        text = "reject"
        if message is not None:
            text = json.dumps(message, separators=(",", ":"), ensure_ascii=False)
        print(path.name, text)


def shortest_queue(spec: Spec) -> Answer:
    """The server with the fewest jobs; of several the first."""
    if spec.name != "load_balance":
        raise ValueError(f"shortest_queue is for load_balance, not {spec.name}")
    return lambda asked: asked.observation["server.jobs"].argmin(axis=1)


def serve(endpoint: str) -> None:
    """Serves shortest_queue until Ctrl-C."""
    with serve_policy(shortest_queue, endpoint=endpoint, name="shortest_queue") as server:
        print("ready", server.endpoint, flush=True)
        try:
            server.wait()
        except KeyboardInterrupt:
            pass


def main(arguments: list[str]) -> None:
    """Runs one of the commands."""
    parser = argparse.ArgumentParser(prog="conformance", description="see docs/conformance.md")
    commands = parser.add_subparsers(dest="command", required=True)
    commands.add_parser("decode").add_argument("files", nargs="+")
    for name in ("rollout", "scenario"):
        command = commands.add_parser(name)
        command.add_argument("endpoint")
        command.add_argument("env")
    commands.add_parser("serve").add_argument("endpoint")
    args = parser.parse_args(arguments)
    if args.command == "decode":
        decode(args.files)
    elif args.command == "rollout":
        print(_core.rollout(args.endpoint, args.env))
    elif args.command == "scenario":
        print(_core.scenario(args.endpoint, args.env))
    else:
        serve(args.endpoint)


if __name__ == "__main__":
    main(sys.argv[1:])
