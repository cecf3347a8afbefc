"""Trajectories of a heuristic for offline learning, as a file for numpy.load."""

import numpy as np

import park_sdk

with park_sdk.Stream(
    "load_balance", park_sdk.Episodes.of_run(seed=1, count=8, phase="train"), slots=8, jobs=500
) as stream:
    park_sdk.record(stream, park_sdk.Policy("least_work", stream.spec)).save_npz("least_work.npz")

with np.load("least_work.npz") as file:
    print({name: file[name].shape for name in file.files if name != "spec"})
