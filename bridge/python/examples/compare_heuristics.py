"""Compares heuristics on the episodes of `park run --seed 1`."""

import park_sdk

ENV = "load_balance(servers=4,jobs=200)"


def mean_response(policy):
    """Mean over 20 episodes of the metric avg_response_s, in seconds."""
    episodes = park_sdk.Episodes.of_run(seed=1, count=20)
    with park_sdk.Stream(ENV, episodes, slots=10) as stream:
        played = park_sdk.record(stream, park_sdk.Policy(policy, stream.spec))
    return played.episodes["metric.avg_response_s"].mean()


for name in park_sdk.policies(ENV):
    print(f"{name:24} {mean_response(name):8.1f} s")
