#!/usr/bin/env python3
"""Learns congestion control by evolution over the bridge: examples/congestion.py [ITERATIONS] [LINKS]

An iteration plays pairs of candidates, linear policies, each with the same LINKS links, and moves towards the
better ones. In the end the policy meets Copa on links that it has not seen."""
import sys

import numpy as np
import park_sdk

ENV, PAIRS, SPREAD, STEP = "congestion_control(preset=wan,duration_s=10)", 8, 0.15, 0.3


def features(row):
    """[rows, 6]: what a sender sees of delay, loss and rates, without units."""
    least, delivery = np.maximum(row["rtt.least_s"], 1e-4), np.maximum(row["flow.delivery_mbps"], 1e-3)
    fits = delivery * least * 1e6 / (8 * row["flow.packet_bytes"])
    columns = [np.ones(len(least)), np.log(np.maximum(row["rtt.smooth_s"] / least, 1)),
               np.log(np.maximum(row["rtt.last_s"] / least, 1)), row["past.lost_share"].mean(axis=1),
               np.log(np.maximum(row["flow.pacing_mbps"], 1e-3) / delivery), np.log1p(row["flow.inflight"] / fits)]
    return np.stack(columns, axis=1).clip(-2, 2)


def scores(server, episodes, links, candidates=None):
    """The mean score of each candidate [n, 2, 6] on the links; of Copa where there are none."""
    def decide(asked):
        y = np.einsum("rhf,rf->rh", candidates[asked.slot // links], features(asked.observation))
        return {"rate": np.tanh(y[:, 0]), "cap": 1 / (1 + np.exp(-y[:, 1]))}
    slots = links * (1 if candidates is None else len(candidates))
    with park_sdk.Stream(ENV, episodes, slots=slots, endpoint=server.endpoint) as stream:
        played = park_sdk.record(stream, park_sdk.Policy("copa", stream.spec) if candidates is None else decide)
        return played.episodes["metric.score"].reshape(-1, links).mean(axis=1)


iterations, links = [int(word) for word in sys.argv[1:3] + ["60", "16"][len(sys.argv) - 1:]]
random, weights, unseen = np.random.default_rng(1), np.zeros((2, 6)), park_sdk.Episodes.of_run(count=50)
with park_sdk.serve(ENV) as server:  # or: park serve 'congestion_control(preset=wan,duration_s=10)'
    for iteration in range(iterations):
        tries = random.normal(size=(PAIRS, 2, 6))
        drawn = [tuple(map(int, pair)) for pair in random.integers(2**62, size=(links, 2))]
        found = scores(server, park_sdk.Episodes.listed(drawn * (2 * PAIRS)), links,
                       weights + SPREAD * np.concatenate([tries, -tries]))
        gain = found[:PAIRS] - found[PAIRS:]
        weights = weights + STEP * SPREAD * np.tensordot(gain / (gain.std() + 1e-9), tries, 1) / PAIRS
        print(f"iteration {iteration}: {found.mean():.3f}", flush=True)
    print(f"score on 50 other links: {scores(server, unseen, 50, weights[None])[0]:.3f}, "
          f"copa {scores(server, unseen, 50)[0]:.3f}")
