#!/usr/bin/env python3
"""Records what scikit-learn's trees say of small tables, for tests/trees/sklearn_test.cc.

    python3 -m venv VENV && VENV/bin/pip install scikit-learn==1.7.2
    VENV/bin/python tests/trees/record_sklearn.py tests/trees/data

Each file is one table: columns x0 .. x4 of features, the target, its weight, and for each number of leaves
the prediction of the tree with at most so many (max_leaf_nodes, which grows best first). Rows without a target
were not fitted; they show the thresholds. Columns are reals, ranks and a flag, as in features of decisions. A
table is only kept if ties decide nothing: trees that draw the order of columns differently have to predict the same.
"""

import argparse
import csv
from pathlib import Path

import numpy as np
from sklearn.tree import DecisionTreeClassifier, DecisionTreeRegressor

FITTED, HELD_OUT = 90, 30
LEAVES = (2, 3, 4, 6, 8, 12)
ORDERS = 12  # of the columns


def features(rng, rows):
    return np.column_stack([
        rng.integers(-512, 512, rows) / 64,  # exact in a float
        np.exp2(rng.integers(0, 40, rows) / 4).astype(np.float32),
        rng.integers(0, 6, rows),
        rng.integers(0, 25, rows),
        rng.integers(0, 2, rows),
    ]).astype(np.float32)  # fmt: skip


def signal(rng, x):
    noise = rng.normal(size=len(x))
    return x[:, 0] / 4 + np.where(x[:, 3] > 11, 1.5, -1) * x[:, 4] - (x[:, 2] == 2) + 0.6 * noise


def targets(kind, rng, x):
    y = signal(rng, x)
    if kind == "number":
        return np.round(y * 32) / 32
    if kind == "chosen":
        return (y > 0.4).astype(int)
    return np.digitize(y, [-1, 0, 1.2])


def weights(weighted, rng, y):
    if not weighted:
        return np.ones(len(y))
    return rng.integers(1, 9, len(y)) / 4 * np.where(y == y.max(), 5, 1)  # as of balanced decisions


def predictions(kind, x, y, weight, leaves, order):
    settings = {"max_leaf_nodes": leaves, "random_state": order}
    tree = (DecisionTreeRegressor if kind == "number" else DecisionTreeClassifier)(**settings)
    tree.fit(x[:FITTED], y[:FITTED], weight[:FITTED])
    if kind == "chosen":
        return tree.predict_proba(x)[:, 1]
    return tree.predict(x)


def table(kind, weighted):
    """The first seed whose table has no ties that decide."""
    for seed in range(1000):
        rng = np.random.default_rng(seed)
        x = features(rng, FITTED + HELD_OUT)
        y = targets(kind, rng, x)
        weight = weights(weighted, rng, y)
        columns = []
        for leaves in LEAVES:
            tried = [predictions(kind, x, y, weight, leaves, order) for order in range(ORDERS)]
            if any(not np.array_equal(tried[0], one) for one in tried):
                break
            columns.append(tried[0])
        if len(columns) == len(LEAVES):
            return x, y, weight, columns
    raise AssertionError(f"{kind}: every table has ties")


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("folder", type=Path)
    folder = parser.parse_args().folder
    for kind, weighted in (("chosen", False), ("chosen", True), ("classes", True), ("number", True)):
        x, y, weight, columns = table(kind, weighted)
        name = f"{kind}_weighted.csv" if weighted else f"{kind}.csv"
        with open(folder / name, "w", newline="", encoding="utf-8") as file:
            out = csv.writer(file, lineterminator="\n")
            out.writerow([f"x{i}" for i in range(x.shape[1])] + ["target", "weight"]
                         + [f"leaves{n}" for n in LEAVES])  # fmt: skip
            for row in range(len(x)):
                known = row < FITTED
                out.writerow([f"{v:.9g}" for v in x[row]]
                             + [f"{y[row]:.9g}" if known else "", f"{weight[row]:.9g}" if known else ""]
                             + [f"{column[row]:.9g}" for column in columns])  # fmt: skip


if __name__ == "__main__":
    main()
