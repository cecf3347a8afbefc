#!/usr/bin/env python3
"""The checks of layers and of environments' names notice what they are for."""

import sys
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "scripts"))

import check_layers  # noqa: E402
import check_names  # noqa: E402


class Layers(unittest.TestCase):
    def found(self, source, target):
        return len(check_layers.check(source, f'#include "{target}"\n'))

    def test_includes_run_downward(self):
        for source, target in (("cli/play/run.cc", "park/bench/suite.h"),
                               ("systems/spark/spark.cc", "bridge/server/server.h"),
                               ("systems/spark/spark.cc", "systems/process/child.h"),
                               ("agents/net/cluster/decima.cc", "agents/net/mlp.h"),
                               ("park/envs/envs.cc", "park/envs/one/one.h"),
                               ("park/envs/one/one.cc", "park/envs/one/deep/part.h"),
                               ("park/plugins/load.cc", "park/plugin/read.h"),
                               ("park/runs/train.cc", "park/files/durable.h")):
            self.assertEqual(self.found(source, target), 0, f"{source} {target}")

    def test_includes_that_run_upward_are_named(self):
        for source, target in (("park/core/env.h", "park/files/durable.h"),
                               ("park/runs/train.cc", "agents/kit/training.h"),
                               ("park/bench/suite.cc", "cli/frame/app.h"),
                               ("park/plugin/env.h", "park/plugins/load.h"),
                               ("agents/net/mlp.cc", "agents/net/cluster/decima.h"),
                               ("agents/kit/training.h", "agents/baseline/value.h"),
                               ("bridge/client/remotes.cc", "systems/spark/spark.h"),
                               ("park/envs/one/one.cc", "park/envs/envs.h")):
            self.assertEqual(self.found(source, target), 1, f"{source} {target}")

    def test_folders_side_by_side_stay_apart(self):
        self.assertEqual(self.found("park/envs/one/one.cc", "park/envs/two/two.h"), 1)
        self.assertEqual(self.found("systems/one/one.cc", "systems/two/two.h"), 1)

    def test_only_the_registry_knows_environments(self):
        for source in ("cli/play/run.cc", "park/runs/train.cc", "agents/kit/training.h",
                       "systems/other/other.cc"):
            self.assertEqual(self.found(source, "park/envs/dag_scheduling/layout.h"), 1, source)
        self.assertEqual(
            self.found("systems/spark/spark.cc", "park/envs/dag_scheduling/layout.h"), 0)
        self.assertEqual(
            self.found("systems/load_balance_live/live.cc", "park/envs/load_balance/layout.h"), 0)
        self.assertEqual(
            self.found("systems/load_balance_live/live.cc", "park/envs/dag_scheduling/layout.h"), 1)


class Names(unittest.TestCase):
    NAMES = ["dag_scheduling", "load_balance", "other_env"]

    def found(self, name, text):
        return len(check_names.check(name, text, self.NAMES))

    def test_a_folder_names_its_own(self):
        for name in ("park/envs/other_env/register.cc", "tests/envs/other_env/rules_test.cc",
                     "docs/training.md", "experiments/other_env/try.py", "results/a.json"):
            self.assertEqual(self.found(name, "other_env(jobs=2)"), 0, name)

    def test_tests_and_clients_take_an_example(self):
        for name in ("tests/cli/run_test.cc", "bridge/python/tests/test_env.py"):
            self.assertEqual(self.found(name, "load_balance and dag_scheduling"), 0, name)
            self.assertEqual(self.found(name, "load_balance and other_env"), 1, name)

    def test_libraries_name_none(self):
        for text in ('if (name == "load_balance")', "other_env::Config c;"):
            self.assertEqual(self.found("park/core/pool.cc", text), 1, text)
        for text in ("/// such as load_balance(servers=4)\n", "my_load_balance_x",
                     '.example = "park run load_balance --policy random"'):
            self.assertEqual(self.found("park/core/pool.cc", text), 0, text)

    def test_the_environments_are_the_folders(self):
        self.assertIn("load_balance", check_names.environments())


if __name__ == "__main__":
    unittest.main()
