"""An environment of Gymnasium that C++ agents play.

With --wait it stays until Ctrl-C, for: park train 'remote(endpoint=...)' --algo ppo --net mlp
"""

import sys

import park_sdk

with park_sdk.serve_env("CartPole-v1") as server:
    print("serving at", server.endpoint)
    if "--wait" in sys.argv:
        server.wait()
    episodes = park_sdk.Episodes.of_run(count=10)
    with park_sdk.Stream("", episodes, slots=5, endpoint=server.endpoint) as stream:
        print([leaf.name for leaf in stream.spec.observation.leaves], stream.spec.action.leaves[0])
        played = park_sdk.record(stream, park_sdk.Policy("random", stream.spec))
print("returns", played.episodes["metric.episode_return"])
