#!/usr/bin/env python3
"""Compares the rules of device_placement with one device and with the bound.

    experiments/device_placement/measure_headroom.py    writes results/headroom_device_placement.json

Figures are step_time_ratio: time of a step / time on one device. The headroom is (best rule - bound) / bound,
where the best rule is the least of all rules and annealing does not count. Costs have no noise.
"""

import statistics
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
import headroom_tables as headroom  # noqa: E402

FAST = "bytes_per_s=5e10,latency_s=1e-5"
SETTINGS = [
    ("inception_v3", "two devices", "graph=inception_v3", 1),
    ("googlenet", "two devices", "graph=googlenet", 1),
    ("resnet50", "two devices", "graph=resnet50", 1),
    ("transformer", "two devices", "graph=transformer", 1),
    ("inception_v3, training", "two devices", "graph=inception_v3,training=true", 1),
    ("inception_v3, training", "four devices", "graph=inception_v3,training=true,devices=4", 1),
    ("inception_v3, training", "four devices, fast links", f"graph=inception_v3,training=true,devices=4,{FAST}", 1),
    ("transformer, training", "two devices, memory 0.55", "graph=transformer,training=true,memory=0.55", 1),
    ("transformer, training", "four devices, fast links", f"graph=transformer,training=true,devices=4,{FAST}", 1),
    ("lstm, training", "two devices", "graph=lstm,training=true", 1),
    ("branches, training", "four devices", "graph=branches,training=true,devices=4,split=test", 20),
    ("recurrences, training", "four devices", "graph=recurrences,training=true,devices=4,split=test", 20),
    ("layered, training", "four devices", "graph=layered,training=true,devices=4,split=test", 20),
]
RULES = ["contiguous", "contiguous(by=memory)", "heft", "heft_contention", "etf", "metis"]
SHOWN = ["heft", "heft_contention", "etf", "metis"]


def row(graph, cluster, fields, episodes):
    """The row of a setting, and whether one device is its best rule."""
    rules = ["single_device", *RULES]
    played = headroom.play(f"device_placement({fields},noise=0)", [*rules, "annealing"], episodes)
    found = headroom.means(played, "step_time_ratio")
    bound = statistics.fmean(played["annealing"]["bound_ratio"])
    best = min(rules, key=found.get)
    print(f"{graph} on {cluster}: {found[best]:.3f} ({best}), bound {bound:.3f}", flush=True)
    return [graph, cluster, f"{bound:.2f}", *(f"{found[p]:.2f}" for p in SHOWN), f"{found[best]:.2f} ({best})",
            f"{found['annealing']:.2f}", headroom.cell(found[best], bound)], best == "single_device"


def main():
    headroom.start(__doc__)
    rows, lost = [], []
    for setting in SETTINGS:
        cells, single = row(*setting)
        rows.append(cells)
        if single:
            lost.append(f"{cells[0]} on {cells[1]}")
    columns = ["graph", "cluster", "bound", *SHOWN, "best rule", "annealing", "headroom"]
    headroom.write("device_placement", "Headroom of placements", [
        "step_time_ratio without noise: time of a step / time on one device; networks are one episode, generated "
        "graphs the mean of 20 of the test",
        "bound: the longer of the critical path and all work shared out evenly; transfers are not in it",
        "best rule: of all but annealing, which simulates thousands of placements",
        f"no rule beats one device: {'; '.join(lost) or 'nowhere'}"],
        [{"title": "", "columns": columns, "rows": rows}])


if __name__ == "__main__":
    main()
