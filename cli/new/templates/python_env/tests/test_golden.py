"""Plays one episode and compares it with golden/newenv.txt: it shows each change of a result.

`python tests/test_golden.py --record` writes the file, for a change that is meant; then raise
`version` of the environment too.
"""

import sys
from pathlib import Path

import park_newenv  # noqa: F401
import park_sdk

FILE = Path(__file__).resolve().parent.parent / "golden" / "newenv.txt"


def played() -> str:
    """An episode, one line for each decision: the queue, who is next, and what came of it."""
    lines = ["newenv(jobs=12), episode 0 of seed 1, by newenv_shortest"]
    with park_sdk.Stream("newenv(jobs=12)", park_sdk.Episodes.of_run(seed=1, count=1)) as stream:
        policy = park_sdk.Policy("newenv_shortest", stream.spec)
        while not (asked := stream.recv()).done:
            sizes = " ".join(f"{size_s:.6g}" for size_s in asked.observation["job.size_s"])
            chosen = policy.act(stream)
            lines.append(f"reward {asked.reward[0]:.6g}, after {asked.elapsed_s[0]:.6g} s: "
                         f"sizes {sizes}, next {chosen['next'][0]}")
            stream.send(chosen)
    assert asked.ended is not None
    metrics = zip(stream.spec.metrics, asked.ended.metrics[0], strict=True)
    lines += [f"{metric.name} {value:.6g}" for metric, value in metrics]
    return "\n".join(lines) + "\n"


def test_golden() -> None:
    """To 6 digits."""
    assert played() == FILE.read_text()


if __name__ == "__main__":
    if sys.argv[1:] != ["--record"]:
        sys.exit(f"usage: {sys.argv[0]} --record")
    FILE.write_text(played())
