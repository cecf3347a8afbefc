#!/usr/bin/env python3
"""Learns congestion control by evolution over the bridge: a linear policy, on links that change.

    examples/congestion.py [ITERATIONS] [LINKS]

An iteration plays pairs of candidates, each with the same LINKS links, and moves towards the better ones. In
the end the policy meets Copa on links that it has not seen.
"""
import sys

import numpy as np
import park_sdk

ENV = "congestion_control(preset=wan,duration_s=10)"
PAIRS, SPREAD, STEP = 8, 0.15, 0.3


def features(row):
    """[rows, 6]: what a sender sees of delay, loss and rates, without units."""
    least, delivery = np.maximum(row["rtt.least_s"], 1e-4), np.maximum(row["flow.delivery_mbps"], 1e-3)
    fits = delivery * least * 1e6 / (8 * row["flow.packet_bytes"])
    columns = [np.ones(len(least)), np.log(np.maximum(row["rtt.smooth_s"] / least, 1)),
               np.log(np.maximum(row["rtt.last_s"] / least, 1)), row["past.lost_share"].mean(axis=1),
               np.log(np.maximum(row["flow.pacing_mbps"], 1e-3) / delivery), np.log1p(row["flow.inflight"] / fits)]
    return np.stack(columns, axis=1).clip(-2, 2)


def scores(server, candidates, episodes, links):
    """The mean score of each candidate [n, 2, 6] on the links."""
    total = np.zeros(len(candidates))
    with park_sdk.Stream(ENV, episodes, slots=len(candidates) * links, endpoint=server.endpoint) as stream:
        asked, score = stream.recv(), stream.spec.metric("score")
        while not asked.done:
            y = np.einsum("rhf,rf->rh", candidates[asked.slot // links], features(asked.observation))
            stream.send({"rate": np.tanh(y[:, 0]), "cap": 1 / (1 + np.exp(-y[:, 1]))})
            asked = stream.recv()
            if asked.ended is not None:
                np.add.at(total, asked.ended.slot // links, asked.ended.metrics[:, score])
    return total / links


iterations = int(sys.argv[1]) if len(sys.argv) > 1 else 60
links = int(sys.argv[2]) if len(sys.argv) > 2 else 16
random, weights = np.random.default_rng(1), np.zeros((2, 6))
with park_sdk.serve(ENV) as server:  # or: park serve 'congestion_control(preset=wan,duration_s=10)'
    for iteration in range(iterations):
        tries = random.normal(size=(PAIRS, 2, 6))
        drawn = [tuple(map(int, pair)) for pair in random.integers(2**62, size=(links, 2))]
        episodes = park_sdk.Episodes.listed(drawn * (2 * PAIRS))
        found = scores(server, weights + SPREAD * np.concatenate([tries, -tries]), episodes, links)
        gain = found[:PAIRS] - found[PAIRS:]
        weights = weights + STEP * SPREAD * np.tensordot(gain / (gain.std() + 1e-9), tries, 1) / PAIRS
        print(f"iteration {iteration}: {found.mean():.3f}", flush=True)
    mine = scores(server, weights[None], park_sdk.Episodes.of_run(count=50), 50)[0]
    with park_sdk.Stream(ENV, park_sdk.Episodes.of_run(count=50), slots=50, endpoint=server.endpoint) as stream:
        copa = park_sdk.record(stream, park_sdk.Policy("copa", stream.spec)).episodes["metric.score"].mean()
print(f"score on 50 other links: {mine:.3f}, copa {copa:.3f}")
