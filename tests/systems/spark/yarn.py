"""YARN on this machine, with a Spark that has its backend; scripts/spark.sh yarn sets both up."""

import os
import re
import shutil
import signal
from pathlib import Path

from cluster import BRIEF, Cluster

HERE = Path(__file__).parent
JAVA = Path(shutil.which("java") or "/usr/bin/java").resolve().parents[1]
# The main classes of containers.
MASTERS = ("org.apache.spark.deploy.yarn.ApplicationMaster",  # in cluster mode; has the driver
           "org.apache.spark.deploy.yarn.ExecutorLauncher")  # in client mode  # fmt: skip
EXECUTORS = ("org.apache.spark.executor.YarnCoarseGrainedExecutorBackend",)


class Yarn(Cluster):
    """Two node managers with room for a driver and some executors each, in one process."""

    url = "yarn"

    def __init__(self, spark, jars, folder):
        self.spark, self.folder, self.options = Path(spark), Path(folder), BRIEF
        self.children, self.named = [], {}
        self.conf = self.folder / "conf"
        try:
            yarn = self.start("yarn", [
                "java", "-Xmx700m", *BRIEF, "--add-opens=java.base/java.lang=ALL-UNNAMED",
                "-cp", jars / "*", HERE / "clusters/MiniYarn.java", self.conf],
                variables={"JAVA_HOME": str(JAVA)})  # for containers  # fmt: skip
            yarn.wait_for(r"(?m)^ready$")
        except BaseException:
            self.close()
            raise

    def java(self, heap, *words):
        command = super().java(heap, *words)
        at = command.index("-cp") + 1
        return [*command[:at], f"{self.conf}:{command[at]}", *command[at + 1 :]]

    def submit(self, name, jar, main, *words, conf=None, variables=None, mode="client", **keywords):
        log = f"-Dlog4j2.configurationFile={HERE / 'log4j2.properties'}"
        options = " ".join([*BRIEF, log])
        settings = {
            "spark.submit.deployMode": mode, "spark.yarn.jars": f"local:{self.spark}/jars/*",
            "spark.yarn.stagingDir": f"file://{self.folder}/staging",
            "spark.yarn.am.memory": "512m", "spark.yarn.am.memoryOverhead": "256m",
            "spark.driver.memory": "600m", "spark.driver.memoryOverhead": "256m",
            "spark.executor.memoryOverhead": "256m", "spark.executor.instances": "2",
            "spark.yarn.am.extraJavaOptions" if mode == "client" else
            "spark.driver.extraJavaOptions": options,
            "spark.yarn.appMasterEnv.SPARK_HOME": str(self.spark),
            "spark.yarn.appMasterEnv.SPARK_LOCAL_IP": "127.0.0.1",
        } | (conf or {})  # fmt: skip
        confs = {"YARN_CONF_DIR": str(self.conf), "HADOOP_CONF_DIR": str(self.conf)}
        child = super().submit(name, jar, main, *words, conf=settings,
                               variables=confs | (variables or {}), **keywords)  # fmt: skip
        if mode == "cluster":
            child.more = lambda: self.container_logs(child)
        return child

    def container_logs(self, child):
        """Of an application, its driver's among them."""
        found = re.search(r"application_\d+_\d+", child.log.read_text(errors="replace"))
        if not found:
            return ""
        logs = sorted(self.folder.glob(f"target/**/{found[0]}/container_*/std*"))
        return "".join(log.read_text(errors="replace") for log in logs)

    def containers(self, classes):
        """The process numbers of those that run one of these main classes."""
        found = []
        for path in Path("/proc").glob("[0-9]*/cmdline"):
            try:
                words = path.read_bytes().decode(errors="replace").split("\0")
            except OSError:
                continue  # gone by now
            ours = any(str(self.folder) in word for word in words)
            if ours and words[0].endswith("java") and any(word in classes for word in words):
                found.append(int(path.parent.name))
        return sorted(found)

    def close(self):
        """YARN ends its containers; what is left of them goes by the number of its process."""
        for child in reversed(self.children):
            if child.process.poll() is None:
                child.send(signal.SIGTERM)
                try:
                    child.wait(20)
                except Exception:
                    child.kill()
        for process in self.containers(MASTERS + EXECUTORS):
            try:
                os.kill(process, signal.SIGKILL)
            except ProcessLookupError:
                pass  # gone by now
