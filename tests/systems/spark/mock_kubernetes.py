"""A server that stands for Kubernetes, whose pods are processes of this machine."""

import os
import re
import signal
from pathlib import Path

from cluster import BRIEF, Cluster

HERE = Path(__file__).parent


class MockKubernetes(Cluster):
    def __init__(self, spark, jars, folder):
        self.spark, self.folder, self.options = Path(spark), Path(folder), BRIEF
        self.children, self.named, self.server = [], {}, None
        try:
            # Spark's own client of Kubernetes is what the server is built upon.
            self.server = self.start("kubernetes", [
                "java", "-Xmx400m", *BRIEF, "-cp", f"{jars}/*:{self.spark}/jars/*",
                HERE / "clusters/MockKubernetes.java", self.spark, self.folder])  # fmt: skip
            self.server.wait_for(r"(?m)^ready \d+$")
        except BaseException:
            self.close()
            raise

    @property
    def url(self):
        port = re.search(r"(?m)^ready (\d+)$", self.server.text())[1]
        return f"k8s://http://127.0.0.1:{port}"

    def submit(self, name, jar, main, *words, conf=None, **keywords):
        settings = {
            "spark.kubernetes.container.image": "any", "spark.kubernetes.namespace": "default",
            "spark.executor.instances": "2", "spark.executor.memoryOverhead": "256m",
        } | (conf or {})  # fmt: skip
        return super().submit(name, jar, main, *words, conf=settings, **keywords)

    def asked(self):
        """CPUs and memory of each pod so far."""
        return re.findall(r"(?m)^asked \S+ cpu (\S+) memory (\S+)$", self.server.text())

    def started(self):
        """The process of each pod so far."""
        said = self.server.text() if self.server else ""
        return [int(n) for n in re.findall(r"(?m)^started \S+ (\d+)$", said)]

    def close(self):
        for child in reversed(self.children):
            if child.process.poll() is None:
                child.send(signal.SIGTERM)
                try:
                    child.wait(20)
                except Exception:
                    child.kill()
        for process in self.started():
            try:
                if str(self.spark) in Path(f"/proc/{process}/cmdline").read_text():
                    os.kill(process, signal.SIGKILL)
            except OSError:
                pass  # gone by now
