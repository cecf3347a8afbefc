#!/usr/bin/env python3
"""Compares the schedulers of a crossbar with a switch that has its queues at the outputs.

    experiments/switch_scheduling/measure_headroom.py    writes results/headroom_switch_scheduling.json

Figures are mean delays in slots of eight ports. No matching beats the bound, which each episode computes for the
very same cells. All play the same episodes.
"""

import statistics
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
import headroom_tables as headroom  # noqa: E402

SLOTS, EPISODES, STABLE = 50_000, 4, 0.995
SETTINGS = [
    ("uniform", 0.9, "traffic=uniform"),
    ("diagonal", 0.9, "traffic=diagonal"),
    ("log-diagonal", 0.9, "traffic=log_diagonal"),
    ("bistochastic", 0.9, "traffic=bistochastic"),
    ("hotspot", 0.9, "traffic=hotspot"),
    ("diagonal, new rates each 1000 slots", 0.9, "traffic=diagonal,change_slots=1000"),
    ("bursts to one output, even", 0.8, "traffic=bursty"),
    ("bursts to one output, diagonal", 0.8, "traffic=bursty,burst_traffic=diagonal"),
    ("uniform, several cells an input and slot", 0.9, "traffic=uniform,arrivals=per_voq"),
]
POLICIES = ["random", "islip", "pim", "longest_queue", "oldest_cell", "maxweight", "maxweight(alpha=0.1)"]


def delay(of):
    """The mean delay of a policy, or the share of cells that it sends where queues grow for ever."""
    sent, offered = statistics.fmean(of["throughput"]), statistics.fmean(of["offered_load"])
    return f"{statistics.fmean(of['mean_delay_slots']):.3g}" if sent >= STABLE * offered else f"unstable {sent:.3f}"


def row(traffic, load, fields):
    """The row of a setting."""
    env = f"switch_scheduling({fields},load={load},arrival_slots={SLOTS})"
    played = headroom.play(env, POLICIES, EPISODES)
    found = headroom.means(played, "mean_delay_slots")
    bound = statistics.fmean(played["maxweight"]["output_queued_delay_slots"])
    best = min(POLICIES, key=found.get)
    print(f"{traffic}: {found[best]:.3f} ({best}), bound {bound:.3f}", flush=True)
    return [traffic, str(load), f"{bound:.3g}", *(delay(played[p]) for p in POLICIES),
            headroom.cell(found[best], bound)]


def main():
    headroom.start(__doc__)
    headroom.write("switch_scheduling", "Headroom of matchings", [
        f"mean delay in slots of eight ports, {EPISODES} episodes of {SLOTS} slots",
        "bound: the same cells in a switch that has its queues at the outputs; it cannot always be reached",
        "unstable x: x cells are sent for each output and slot, fewer than arrive"],
        [{"title": "", "columns": ["traffic", "load", "bound", *POLICIES, "headroom"],
          "rows": [row(*setting) for setting in SETTINGS]}])


if __name__ == "__main__":
    main()
