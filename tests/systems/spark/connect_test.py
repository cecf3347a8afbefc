#!/usr/bin/env python3
"""Two clients of Spark Connect share a driver, whose stages an agent schedules.

    tests/systems/spark/connect_test.py PARK LINE

77 where there is no Spark Connect; scripts/spark.sh 4 connect sets it up.
"""

import os
import sys
import tempfile
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))
from cluster import BRIEF, OPENS, Child, free_port  # noqa: E402
from cluster_test import BUILD, LIMIT_S, PLUGIN, ROOT, Agent  # noqa: E402

HERE = Path(__file__).parent
QUERIES = 4


class ConnectTest(unittest.TestCase):
    park, line = None, "4"

    def serve(self, folder, agent):
        port, jar = free_port(), BUILD / f"park-spark-{self.line}.jar"
        settings = {
            "spark.master": "local[2]", "spark.app.name": "connect", "spark.ui.enabled": "false",
            "spark.driver.host": "127.0.0.1", "spark.connect.grpc.binding.port": str(port),
            "spark.sql.shuffle.partitions": "4", "spark.plugins": PLUGIN,
            "spark.park.agent": str(agent.file), "spark.park.decision.timeout": "10s",
        }  # fmt: skip
        jars = f"{jar}:{BUILD / f'cluster-{self.line}'}/jars/*"
        server = Child("server", [
            "java", "-Xmx1g", f"-Djava.io.tmpdir={folder}", *BRIEF, *OPENS,
            *(f"-D{name}={value}" for name, value in settings.items()),
            f"-Dlog4j2.configurationFile={HERE / 'log4j2.properties'}", "-cp", jars,
            "org.apache.spark.sql.connect.service.SparkConnectServer",
        ], folder, cwd=folder, env=os.environ | {"SPARK_LOCAL_IP": "127.0.0.1"})  # fmt: skip
        self.addCleanup(server.kill)
        return server, f"sc://127.0.0.1:{port}"

    def test_two_clients_share_a_driver(self):
        with tempfile.TemporaryDirectory(prefix="park-spark-") as folder:
            agent = Agent(self.park, folder)
            self.addCleanup(agent.close)
            server, url = self.serve(folder, agent)
            server.wait_for("Park: the agent at")
            clients = [
                Child(tag, [BUILD / "connect/bin/python", HERE / "connect_client.py", url, tag,
                            QUERIES], folder)
                for tag in ("left", "right")]  # fmt: skip
            for client in clients:
                self.addCleanup(client.kill)
                self.assertEqual(client.wait(LIMIT_S), 0, client.text())
                sums = [f"sum {n * (n - 1) // 2}" for n in range(1000, 1000 * QUERIES + 1, 1000)]
                self.assertEqual([s for s in client.text().splitlines() if "sum" in s], sums)
            server.process.terminate()
            server.wait(LIMIT_S)
            result = agent.result()
            print(result["metrics"]["jobs_done"])
            self.assertGreater(result["decisions"], 0)
            self.assertEqual(result["metrics"]["jobs_done"]["mean"], 2 * QUERIES)


def main():
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    ConnectTest.park, ConnectTest.line = os.path.abspath(sys.argv[1]), sys.argv[2]
    for needed in (BUILD / f"park-spark-{sys.argv[2]}.jar", BUILD / "connect/complete"):
        if not needed.exists():
            print(f"skipped: {needed.relative_to(ROOT)} is not there; "
                  f"scripts/spark.sh {sys.argv[2]} connect makes it")
            sys.exit(77)
    unittest.main(argv=sys.argv[:1])


if __name__ == "__main__":
    main()
