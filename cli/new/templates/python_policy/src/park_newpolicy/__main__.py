"""Compares the policy with others on the same episodes: `python -m park_newpolicy`."""

import park_sdk

import park_newpolicy  # noqa: F401

POLICIES = ("newpolicy", "newpolicy(weight=0.5)", "least_work", "random")


def main() -> None:
    """Prints the mean response time of each."""
    for text in POLICIES:
        episodes = park_sdk.Episodes.of_run(seed=1, count=20)
        with park_sdk.Stream("load_balance", episodes, slots=20) as stream:
            played = park_sdk.record(stream, park_sdk.Policy(text, stream.spec))
        responses_s = played.episodes["metric.avg_response_s"]
        print(f"{text}: mean response {responses_s.mean():.1f} s, {len(responses_s)} episodes")


if __name__ == "__main__":
    main()
