"""Plays one episode and compares it with golden/newpolicy.txt: it shows each change of a choice.

`python tests/test_golden.py --record` writes the file, for a change that is meant.
"""

import sys
from pathlib import Path

import park_newpolicy  # noqa: F401
import park_sdk

FILE = Path(__file__).resolve().parent.parent / "golden" / "newpolicy.txt"
ENV = "load_balance(servers=3,rates=[0.5,1,2],jobs=20)"


def played() -> str:
    """An episode, one line for each decision: the job, the waits, and the server that it gets."""
    lines = [f"{ENV}, episode 0 of seed 1, by newpolicy"]
    with park_sdk.Stream(ENV, park_sdk.Episodes.of_run(seed=1, count=1)) as stream:
        policy = park_sdk.Policy("newpolicy", stream.spec)
        while not (asked := stream.recv()).done:
            waits = " ".join(f"{drain_s:.6g}" for drain_s in asked.observation["server.drain_s"][0])
            chosen = policy.act(stream)
            lines.append(f"job of size {asked.observation['job.size'][0]:.6g}, waits {waits}: "
                         f"server {chosen['server'][0]}")
            stream.send(chosen)
    return "\n".join(lines) + "\n"


def test_golden() -> None:
    """To 6 digits."""
    assert played() == FILE.read_text()


if __name__ == "__main__":
    if sys.argv[1:] != ["--record"]:
        sys.exit(f"usage: {sys.argv[0]} --record")
    FILE.write_text(played())
