#!/usr/bin/env python3
"""An application in Python whose stages an agent schedules.

    tests/systems/spark/python_test.py PARK LINE

77 where there is no PySpark; scripts/spark.sh sets it up.
"""

import os
import sys
import tempfile
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))
from cluster import BRIEF, Child  # noqa: E402
from cluster_test import BUILD, LIMIT_S, Agent  # noqa: E402


class PythonTest(unittest.TestCase):
    park, line = None, "4"

    def test_an_application_in_python(self):
        home = BUILD / f"python-{self.line}"
        with tempfile.TemporaryDirectory(prefix="park-spark-") as folder:
            agent = Agent(self.park, folder)
            self.addCleanup(agent.close)
            archive = next((home / "lib").glob("py4j-*.zip"))
            environment = os.environ | {
                "SPARK_HOME": str(home), "SPARK_LOCAL_IP": "127.0.0.1", "SPARK_LOCAL_DIRS": folder,
                "PYTHONPATH": f"{home}:{archive}", "JAVA_TOOL_OPTIONS": " ".join(BRIEF),
            }  # fmt: skip
            application = Child(
                "application", [sys.executable, Path(__file__).parent / "application.py",
                                "local[2]", BUILD / f"park-spark-{self.line}.jar", agent.file],
                folder, env=environment, cwd=folder)  # fmt: skip
            self.addCleanup(application.kill)
            self.assertEqual(application.wait(LIMIT_S), 0, application.text()[-4000:])
            self.assertIn("sum 499500", application.text())
            self.assertIn("squares 285", application.text())
            result = agent.result()
        self.assertEqual(result["metrics"]["jobs_done"]["mean"], 2)
        self.assertGreater(result["decisions"], 2)


def main():
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    PythonTest.park, PythonTest.line = os.path.abspath(sys.argv[1]), sys.argv[2]
    if not (BUILD / f"python-{PythonTest.line}/complete").exists():
        print(f"skipped: there is no PySpark; scripts/spark.sh {PythonTest.line} python fetches it")
        sys.exit(77)
    unittest.main(argv=sys.argv[:1])


if __name__ == "__main__":
    main()
