#!/usr/bin/env python3
"""Two clients of Spark Connect, or of the thrift server, share a driver with an agent.

    tests/systems/spark/connect_test.py PARK LINE

77 where there is no Spark Connect; scripts/spark.sh 4 connect sets it up.
"""

import json
import os
import re
import socket
import subprocess
import sys
import tempfile
import time
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))
import event_log  # noqa: E402
from cluster import BRIEF, OPENS, READY_S, Child, free_port  # noqa: E402
from cluster_test import BUILD, LIMIT_S, PLUGIN, ROOT, Agent  # noqa: E402

HERE = Path(__file__).parent
QUERIES = 4


class SharedDriverTest(unittest.TestCase):
    park, line = None, "4"

    def setUp(self):
        scratch = tempfile.TemporaryDirectory(prefix="park-spark-")
        self.addCleanup(scratch.cleanup)
        self.folder = scratch.name
        self.agent = Agent(self.park, self.folder)
        self.addCleanup(self.agent.close)
        self.port = free_port()
        self.jars = f"{BUILD / f'cluster-{self.line}'}/jars/*"

    def start(self, name, command):
        child = Child(name, command, self.folder, cwd=self.folder,
                      env=os.environ | {"SPARK_LOCAL_IP": "127.0.0.1"})  # fmt: skip
        self.addCleanup(child.kill)
        return child

    def serve(self, main, *words):
        settings = {
            "spark.master": "local[2]", "spark.app.name": "shared", "spark.ui.enabled": "false",
            "spark.driver.host": "127.0.0.1", "spark.connect.grpc.binding.port": str(self.port),
            "spark.sql.shuffle.partitions": "4", "spark.plugins": PLUGIN,
            "spark.park.agent": str(self.agent.file), "spark.park.decision.timeout": "10s",
        } | event_log.settings(f"{self.folder}/events")  # fmt: skip
        server = self.start("server", [
            "java", "-Xmx1g", f"-Djava.io.tmpdir={self.folder}", *BRIEF, *OPENS,
            *(f"-D{name}={value}" for name, value in settings.items()),
            f"-Dlog4j2.configurationFile={HERE / 'log4j2.properties'}",
            "-cp", f"{BUILD / f'park-spark-{self.line}.jar'}:{self.jars}", main, *words])  # fmt: skip
        server.wait_for("Park: the agent at")
        return server

    def check(self, server, clients):
        """Each client prints the sums of its queries; each query is a job of the agent's."""
        sums = [f"sum {n * (n - 1) // 2}" for n in range(1000, 1000 * QUERIES + 1, 1000)]
        for client in clients:
            self.assertEqual(client.wait(LIMIT_S), 0, client.text())
            self.assertEqual(re.findall(r"sum \d+", client.text()), sums, client.text())
        server.process.terminate()
        server.wait(LIMIT_S)
        result = self.agent.result()
        print(result["metrics"]["jobs_done"])
        self.assertGreater(result["decisions"], 0)
        self.assertEqual(result["metrics"]["jobs_done"]["mean"], QUERIES * len(clients))

    def park_json(self, *words):
        done = subprocess.run([self.park, *map(str, words), "--json"], capture_output=True, text=True)
        self.assertEqual(done.returncode, 0, done.stderr)
        return json.loads(done.stdout)

    def imported(self):
        """How many executions the event log has, and the names of their jobs: those of the
        plugin, whose rules the import shares."""
        jobs, logs = f"{self.folder}/jobs.park", Path(self.folder, "events").iterdir()
        report = self.park_json("data", "workload", "import", "spark", *logs, "--out", jobs)["report"]
        shown = self.park_json("data", "workload", "describe", jobs)["workload"]
        return report["executions"], sorted(job["name"] for job in shown["per_job"])

    def test_two_clients_of_spark_connect(self):
        server = self.serve("org.apache.spark.sql.connect.service.SparkConnectServer")
        clients = [
            self.start(tag, [BUILD / "connect/bin/python", HERE / "connect_client.py",
                             f"sc://127.0.0.1:{self.port}", tag, QUERIES])
            for tag in ("left", "right")]  # fmt: skip
        self.check(server, clients)
        self.assertEqual(self.imported(), (QUERIES * 2, ["left", "right"]))

    def test_two_clients_of_the_thrift_server(self):
        server = self.serve(
            "org.apache.spark.sql.hive.thriftserver.HiveThriftServer2",
            "--hiveconf", f"hive.server2.thrift.port={self.port}",
            "--hiveconf", "hive.server2.thrift.bind.host=127.0.0.1")  # fmt: skip
        wait_for_port(self.port, server)
        texts = [f"select concat('sum ', sum(v)) from (select id % 7 as k, sum(id) as v "
                 f"from range(0, {1000 * (i + 1)}, 1, 6) group by k)" for i in range(QUERIES)]
        clients = [
            self.start(name, [
                "java", *BRIEF, "-cp", self.jars, "org.apache.hive.beeline.BeeLine", "-u",
                f"jdbc:hive2://127.0.0.1:{self.port}", "-n", name, "--silent=true",
                "--showHeader=false", "--outputformat=tsv2",
                *(word for text in texts for word in ("-e", text))])
            for name in ("left", "right")]  # fmt: skip
        self.check(server, clients)
        executions, names = self.imported()
        self.assertEqual((executions, len(names)), (QUERIES * 2, QUERIES * 2), names)
        self.assertTrue(all("/sql:" in name for name in names), names)


def wait_for_port(port, server):
    until = time.monotonic() + READY_S
    while True:
        try:
            socket.create_connection(("127.0.0.1", port), 1).close()
            return
        except OSError:
            if server.process.poll() is not None or time.monotonic() > until:
                raise AssertionError(server.text()[-4000:]) from None
            time.sleep(0.2)


def main():
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    SharedDriverTest.park, SharedDriverTest.line = os.path.abspath(sys.argv[1]), sys.argv[2]
    for needed in (BUILD / f"park-spark-{sys.argv[2]}.jar", BUILD / "connect/complete"):
        if not needed.exists():
            print(f"skipped: {needed.relative_to(ROOT)} is not there; "
                  f"scripts/spark.sh {sys.argv[2]} connect makes it")
            sys.exit(77)
    unittest.main(argv=sys.argv[:1])


if __name__ == "__main__":
    main()
