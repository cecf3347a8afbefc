"""Compares the policies of this package on the same episodes: `python -m park_newenv`."""

import park_sdk

import park_newenv  # noqa: F401

POLICIES = ("newenv_fifo", "newenv_shortest", "newenv_shortest(aging=0.2)")


def main() -> None:
    """Prints the mean wait of each."""
    for text in POLICIES:
        episodes = park_sdk.Episodes.of_run(seed=1, count=20)
        with park_sdk.Stream("newenv", episodes, slots=20) as stream:
            played = park_sdk.record(stream, park_sdk.Policy(text, stream.spec))
        waits_s = played.episodes["metric.avg_wait_s"]
        print(f"{text}: mean wait {waits_s.mean():.3f} s, {len(waits_s)} episodes")


if __name__ == "__main__":
    main()
