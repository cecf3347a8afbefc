"""A stock Spark on loopback addresses: a Master, Workers and applications, all of them children."""

import ctypes
import os
import re
import signal
import socket
import subprocess
import time
from pathlib import Path

# What Spark's own start scripts pass to Java 17.
OPENS = [
    f"--add-opens=java.base/{package}=ALL-UNNAMED"
    for package in (
        "java.lang", "java.lang.invoke", "java.lang.reflect", "java.io", "java.net", "java.nio",
        "java.util", "java.util.concurrent", "java.util.concurrent.atomic", "sun.nio.ch",
        "sun.nio.cs", "sun.security.action", "sun.util.calendar")
]  # fmt: skip
READY_S = 300
# These processes are over before it pays to compile much.
BRIEF = ["-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1", "-Xshare:auto"]


def die_with_parent():
    ctypes.CDLL(None).prctl(1, signal.SIGKILL)


class Child:
    """A process with its output in a file; it ends with this program."""

    def __init__(self, name, command, folder, **keywords):
        self.log = Path(folder) / f"{name}.log"
        self.more = lambda: ""  # what it says elsewhere
        with open(self.log, "wb") as log:
            self.process = subprocess.Popen(
                [str(word) for word in command], stdout=log, stderr=subprocess.STDOUT,
                stdin=subprocess.DEVNULL, preexec_fn=die_with_parent, **keywords)  # fmt: skip

    def text(self):
        return self.log.read_text(errors="replace") + self.more()

    def wait_for(self, pattern, limit=READY_S):
        until = time.monotonic() + limit
        while not re.search(pattern, self.text()):
            if self.process.poll() is not None or time.monotonic() > until:
                raise AssertionError(f"no {pattern!r} in {self.log}:\n{self.text()[-4000:]}")
            time.sleep(0.1)

    def wait(self, limit):
        """The exit status."""
        return self.process.wait(limit)

    def send(self, number):
        self.process.send_signal(number)

    def kill(self):
        if self.process.poll() is None:
            self.process.kill()
        self.process.wait()


def free_port():
    with socket.socket() as one:
        one.bind(("127.0.0.1", 0))
        return one.getsockname()[1]


class Cluster:
    """A Master and Workers with some cores each; an executor has one core. As with `park spark run`
    Workers and executors have a lower priority."""

    def __init__(self, spark, folder, workers=2, cores=1, options=BRIEF):
        self.spark, self.folder, self.options = Path(spark), Path(folder), options
        self.children, self.named = [], {}
        self.port = free_port()
        try:
            self.master = self.daemon(
                "master", "Master", "--host", "127.0.0.1", "--port", self.port, "--webui-port", 0)
            self.master.wait_for("elected leader")
            self.workers = []
            for _ in range(workers):
                self.add_worker(cores)
            for worker in self.workers:
                worker.wait_for("Successfully registered with master")
        except BaseException:
            self.close()
            raise

    def add_worker(self, cores=1):
        """On an address of its own: second copies of a task avoid its host."""
        name, host = f"worker{len(self.children)}", f"127.0.0.{1 + len(self.children)}"
        self.workers.append(self.daemon(
            name, "Worker", self.url, "--host", host, "--cores", cores, "--memory", "1500m",
            "--webui-port", 0, "--work-dir", self.folder / f"{name}.work", host=host,
            prefix=("nice",)))  # fmt: skip

    @property
    def url(self):
        return f"spark://127.0.0.1:{self.port}"

    def java(self, heap, *words):
        return ["java", f"-Xmx{heap}", f"-Djava.io.tmpdir={self.folder}", *self.options, *OPENS,
                "-cp", self.spark / "jars/*", *words]  # fmt: skip

    def environment(self, host, variables):
        kept = {k: v for k, v in os.environ.items() if not k.startswith(("SPARK", "PARK"))}
        ours = {"SPARK_HOME": str(self.spark), "SPARK_LOCAL_IP": host,
                "SPARK_LOCAL_DIRS": str(self.folder), "SPARK_SCALA_VERSION": "2.13"}  # fmt: skip
        return kept | ours | (variables or {})

    def start(self, name, command, host="127.0.0.1", variables=None):
        child = Child(name, command, self.folder, env=self.environment(host, variables),
                      cwd=self.folder)  # fmt: skip
        self.children.append(child)
        self.named[name] = child
        return child

    def daemon(self, name, kind, *words, host="127.0.0.1", prefix=()):
        return self.start(name, list(prefix) + self.java(
            "256m", "-Dspark.master.rest.enabled=false",
            f"-Dlog4j2.configurationFile={Path(__file__).parent / 'log4j2.properties'}",
            f"org.apache.spark.deploy.{kind.lower()}.{kind}", *words), host)  # fmt: skip

    def submit(self, name, jar, main, *words, conf=None, url=None, variables=None):
        """Starts a driver with spark-submit; `variables` are of its environment."""
        settings = {
            "spark.driver.host": "127.0.0.1", "spark.driver.bindAddress": "127.0.0.1",
            "spark.ui.enabled": "false", "spark.executor.cores": "1",
            "spark.executor.memory": "512m",
            "spark.executor.extraJavaOptions": " ".join(self.options),
            "spark.sql.shuffle.partitions": "6", "spark.locality.wait": "0s",
            "spark.sql.files.openCostInBytes": "0", "spark.sql.files.maxPartitionBytes": "4m",
        } | (conf or {})  # fmt: skip
        options = [word for k, v in settings.items() for word in ("--conf", f"{k}={v}")]
        return self.start(name, self.java(
            "1g", f"-Dlog4j2.configurationFile={Path(__file__).parent / 'log4j2.properties'}",
            "org.apache.spark.deploy.SparkSubmit", "--master", url or self.url,
            *options, "--class", main, jar, *words), variables=variables)  # fmt: skip

    def close(self):
        for child in reversed(self.children):
            child.kill()


def executors_of(worker):
    """Process numbers of the executors that a Worker started."""
    found = []
    for stat in Path("/proc").glob("[0-9]*/stat"):
        try:
            fields = stat.read_text().rpartition(")")[2].split()
            if int(fields[1]) == worker.process.pid:
                found.append(int(stat.parent.name))
        except (OSError, ValueError):
            continue  # gone by now
    return sorted(found)
