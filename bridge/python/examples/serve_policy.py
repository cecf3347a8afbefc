"""A policy in Python that C++ asks, all rows of a batch at once.

With --wait it stays until Ctrl-C, for: park run load_balance --policy 'remote(endpoint=...)'
"""

import sys

import park_sdk


def shortest_queue(spec):
    """The server with the fewest jobs."""
    print("asked about", spec.name)
    return lambda asked: asked.observation["server.jobs"].argmin(axis=1)


with park_sdk.serve_policy(shortest_queue) as server:
    print("serving at", server.endpoint)
    if "--wait" in sys.argv:
        server.wait()
    episodes = park_sdk.Episodes.of_run(count=3)
    with park_sdk.Stream("load_balance(jobs=100)", episodes) as stream:
        text = f'remote(endpoint="{server.endpoint}")'
        played = park_sdk.record(stream, park_sdk.Policy(text, stream.spec))
print("mean response", played.episodes["metric.avg_response_s"], "s")
