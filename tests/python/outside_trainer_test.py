#!/usr/bin/env python3
"""MaskablePPO as an agent of a suite, beside Park's own PPO: outside_trainer_test.py PARK, with a Python that has
what the trainer needs."""

import json
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
TRAINER = ROOT / "bridge/python/learning/train_maskable_ppo.py"
DECISIONS = 6000


def environment(name, config, metric):
    """An environment of a suite."""
    return {"env": name, "config": config, "episodes": 16, "metrics": [metric],
            "baselines": ["random", "fair" if name == "dag_scheduling" else "least_work"]}


SUITE = {
    "schema": "park.suite", "version": 1, "name": "outside", "summary": "an outside trainer beside Park's", "seed": 3,
    "agents": [{"agent": "ppo", "train": "ppo(sequences=2,rollouts=4)"},
               {"agent": "maskable_ppo", "command": [sys.executable, "-W", "ignore", str(TRAINER)],
                "policy": "policy.onnx"}],
    "training": {"decisions": DECISIONS, "seeds": 1, "validations": 3, "validation_episodes": 8},
    "environments": [environment("load_balance", {"servers": 3, "jobs": 60}, "avg_response_s"),
                     environment("dag_scheduling", {"executors": 5, "jobs": 2, "arrival": "batch"}, "avg_jct_s")],
}  # fmt: skip


class OutsideTrainer(unittest.TestCase):
    """One benchmark in which both train."""

    park = ""

    def run_park(self, *words):
        done = subprocess.run([self.park, *words], capture_output=True, text=True, timeout=1200)
        self.assertEqual(done.returncode, 0, done.stderr[-3000:])
        return done.stdout

    def test_it_trains_is_judged_and_verified(self):
        with tempfile.TemporaryDirectory() as name:
            folder = Path(name)
            (folder / "suite.json").write_text(json.dumps(SUITE))
            self.run_park("bench", str(folder / "suite.json"), "--out", str(folder / "out"), "--quiet")
            results = json.loads((folder / "out/results.json").read_text())
            agents = results["agents"]
            log = folder / "out/agents/maskable_ppo/0-load_balance/seed-1/log.txt"
            told = [line.rsplit(" ", 1) for line in log.read_text().splitlines() if "avg_response_s" in line]
            self.run_park("bench", "verify", str(folder / "out/results.json"), "--quiet")
        self.assertEqual([(one["agent"], one["environment"]) for one in agents["unfit"]], [("maskable_ppo", 1)])
        self.assertIn("the observation has groups", agents["unfit"][0]["reason"])
        self.assertEqual({(one["agent"], one["environment"]) for one in agents["standings"]},
                         {("ppo", 0), ("ppo", 1), ("maskable_ppo", 0)})
        self.assertFalse(next(one for one in agents["scores"] if one["agent"] == "maskable_ppo")["everywhere"])
        means = [float(mean) for _, mean in told]
        self.assertEqual(len(means), 3)
        self.assertLess(min(means), means[0])  # it learned something on validation inputs


if __name__ == "__main__":
    OutsideTrainer.park = sys.argv.pop(1)
    unittest.main()
