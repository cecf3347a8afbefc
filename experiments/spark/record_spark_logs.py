#!/usr/bin/env python3
"""Record the small Spark event logs that the tests of the importer read.

    experiments/spark/record_spark_logs.py              record what is not there yet
    experiments/spark/record_spark_logs.py --again 4.1-rdd     record these again

Each log is one small application (experiments/spark/spark_logs/application.py) on a stock Spark of the 3.5 or
the 4.1 line, installed from PyPI into build/spark-logs. The logs are stored in tests/data/spark as
Spark wrote them; plain ones are packed with gzip. tests/data/spark/PROVENANCE.md is written anew.

Needs Python 3.10 or newer with venv, JDK 17, the package registry of PyPI; about 1 GB of memory.
"""

import argparse
import gzip
import json
import os
import re
import shutil
import signal
import socket
import subprocess
import sys
import time
import zipfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
HELPERS = Path(__file__).resolve().parent / "spark_logs"
TARGET = ROOT / "tests/data/spark"
VERSIONS = {"3.5": "3.5.9", "4.1": "4.1.3"}
SCRATCH = Path("/tmp/park-spark-logs")  # logs name the folders they were made in: one that tells nothing
LIMIT = 80_000

BASE_CONF = {
    "spark.app.name": "park-fixture",
    "spark.sql.shuffle.partitions": "3",
    "spark.driver.host": "127.0.0.1",
    "spark.driver.bindAddress": "127.0.0.1",
    "spark.driver.memory": "600m",
    "spark.ui.enabled": "false",
    "spark.ui.showConsoleProgress": "false",
    "spark.eventLog.enabled": "true",
    "spark.eventLog.compress": "false",
    "spark.eventLog.rolling.enabled": "false",
    "spark.io.compression.zstd.level": "15",
    # Spark's default, widened by what tells about the machine and its user, and by the defaults of
    # Hadoop, which would be a fifth of each log.
    "spark.redaction.regex": "(?i)secret|password|token|access[.]?key|api[.]?key"
    r"|os\.version|user\.(name|home|dir)|sun\.java\.command|java\.(class|library)\.path"
    r"|^(adl|dfs|file|fs|ftp|ha|hadoop|io|ipc|map|mapreduce|net|nfs|rpc|s3|seq|tfile|yarn)\.",
}
LOCAL = {"spark.master": "local[1,2]"}  # one core, two attempts per task
CLUSTER = {
    "spark.executor.cores": "1",
    "spark.executor.memory": "512m",
    "spark.speculation": "true",
    "spark.speculation.quantile": "0.5",
    "spark.speculation.multiplier": "1.5",
    "spark.locality.wait": "0s",
}


def packed(codec):
    return {"spark.eventLog.compress": "true", "spark.eventLog.compression.codec": codec}


ROLLED = {"spark.eventLog.rolling.enabled": "true"}
NO_AQE = {"spark.sql.adaptive.enabled": "false"}

# name: line, kind of application, settings, whether to take the log before the application ends
LOGS = {
    "3.5-sql": ("3.5", "sql", LOCAL, False),
    "3.5-classic": ("3.5", "classic", LOCAL | NO_AQE | packed("zstd"), False),
    "3.5-rdd": ("3.5", "rdd", LOCAL | packed("lz4"), True),
    "4.1-sql": ("4.1", "sql", LOCAL, False),
    "4.1-classic": ("4.1", "classic", LOCAL | NO_AQE | ROLLED | packed("zstd"), False),
    "4.1-rdd": ("4.1", "rdd", LOCAL | ROLLED | packed("zstd"), True),
    "3.5-cluster": ("3.5", "cluster", CLUSTER | ROLLED | packed("lz4"), False),
    "4.1-cluster": ("4.1", "cluster", CLUSTER | packed("lz4"), False),
}


def say(*words):
    print(time.strftime("%H:%M:%S"), *words, file=sys.stderr, flush=True)


def prepare_venv(work, line):
    """A Python with the stock Spark of one line."""
    python = work / f"venv-{line}/bin/python"
    wanted = VERSIONS[line]
    probe = "import pyspark; print(pyspark.__version__)"
    if python.exists():
        found = subprocess.run([python, "-c", probe], capture_output=True, text=True)
        if found.stdout.strip() == wanted:
            return python
    say("installing Spark", wanted)
    subprocess.run([sys.executable, "-m", "venv", work / f"venv-{line}"], check=True)
    subprocess.run([python, "-m", "pip", "install", "-q", f"pyspark=={wanted}"], check=True)
    return python


def environment():
    kept = {key: value for key, value in os.environ.items() if not key.startswith(("SPARK", "PYSPARK"))}
    return kept | {
        "SPARK_HOME": f"{SCRATCH}/spark",
        "SPARK_LOCAL_IP": "127.0.0.1",
        "SPARK_LOCAL_HOSTNAME": "localhost",
        "SPARK_NO_DAEMONIZE": "1",
        "SPARK_DAEMON_MEMORY": "256m",
        "SPARK_MASTER_OPTS": "-Dspark.master.rest.enabled=false",
        "PYSPARK_PYTHON": "python3",
        "PYTHONPATH": ":".join(str(path) for path in (SCRATCH / "spark/python/lib").glob("*.zip")),
        "PYTHONDONTWRITEBYTECODE": "1",
    }


class Cluster:
    """A Master and two Workers on addresses of their own: copies of a task avoid its host."""

    PORT = 17077

    def __enter__(self):
        self.children = []
        try:
            self.start("master.Master", "--host", "127.0.0.1", "--port", self.PORT)
            self.wait()
            for host in ("127.0.0.2", "127.0.0.3"):
                self.start("worker.Worker", f"spark://127.0.0.1:{self.PORT}", "--host", host,
                           "--cores", 1, "--memory", "700m", "--work-dir", SCRATCH / "work")  # fmt: skip
        except BaseException:
            self.__exit__()  # else what has begun would keep the port
            raise
        return self

    def wait(self):
        """Until the Master listens."""
        deadline = time.monotonic() + 120
        while time.monotonic() < deadline:
            try:
                return socket.create_connection(("127.0.0.1", self.PORT), timeout=1).close()
            except OSError:
                time.sleep(0.5)
        raise SystemExit("the Master does not start")

    def start(self, name, *words):
        command = [SCRATCH / "spark/bin/spark-class", f"org.apache.spark.deploy.{name}", *words,
                   "--webui-port", 0]  # fmt: skip
        variables = environment()
        variables.pop("SPARK_LOCAL_HOSTNAME")
        self.children.append(
            subprocess.Popen([str(word) for word in command], env=variables, cwd=SCRATCH / "home",
                             stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL))  # fmt: skip

    def __exit__(self, *_):
        for child in reversed(self.children):
            child.terminate()
            child.wait()


def run_application(python, name, kind, conf, snapshot):
    command = [python, SCRATCH / "application.py", "--conf", json.dumps(conf), "--kind", kind,
               "--local", SCRATCH / "local"]  # fmt: skip
    if conf["spark.eventLog.rolling.enabled"] == "true":
        command.append("--rolled")
    if snapshot:
        command += ["--snapshot", SCRATCH / "snapshot"]
    child = subprocess.Popen([str(word) for word in command], cwd=SCRATCH / "home",
                             env=environment(), start_new_session=True)  # fmt: skip
    try:
        code = child.wait(timeout=400)
    finally:
        try:
            os.killpg(child.pid, signal.SIGKILL)
        except ProcessLookupError:
            pass
    if code != 0:
        raise SystemExit(f"{name}: exit status {code}")


def link_spark(home):
    """A Spark home whose class path is one jar that names the others: every log tells the whole
    class path, which would be a third of it."""
    spark = SCRATCH / "spark"
    (spark / "jars").mkdir(parents=True)
    for folder in ("bin", "python"):
        (spark / folder).symlink_to(home / folder)
    (spark / "all").symlink_to(home / "jars")
    names = " ".join(f"../all/{path.name}" for path in sorted((home / "jars").glob("*.jar")))
    line = f"Class-Path: {names}"
    wrapped = [line[:70]] + [f" {line[at : at + 69]}" for at in range(70, len(line), 69)]
    with zipfile.ZipFile(spark / "jars/spark.jar", "w") as jar:
        jar.writestr("META-INF/MANIFEST.MF", "\n".join(["Manifest-Version: 1.0", *wrapped, ""]))


def record(work, name):
    line, kind, settings, snapshot = LOGS[name]
    python = prepare_venv(work, line)
    shutil.rmtree(SCRATCH, ignore_errors=True)
    for folder in ("events", "home", "local", "work"):
        (SCRATCH / folder).mkdir(parents=True)
    link_spark(next((work / f"venv-{line}/lib").glob("python3*/site-packages/pyspark")).resolve())
    shutil.copyfile(HELPERS / "application.py", SCRATCH / "application.py")
    conf = BASE_CONF | settings
    conf |= {"spark.eventLog.dir": f"file:{SCRATCH}/events", "spark.local.dir": f"{SCRATCH}/local",
             "spark.sql.warehouse.dir": f"file:{SCRATCH}/warehouse"}  # fmt: skip
    say("recording", name)
    try:
        if kind == "cluster":
            with Cluster():
                conf["spark.master"] = f"spark://127.0.0.1:{Cluster.PORT}"
                run_application(python, name, kind, conf, snapshot)
        else:
            run_application(python, name, kind, conf, snapshot)
        store(name, SCRATCH / ("snapshot" if snapshot else "events"))
    finally:
        shutil.rmtree(SCRATCH, ignore_errors=True)


def store(name, folder):
    """Keeps the one log in the folder as tests/data/spark/NAME/LOG."""
    (log,) = [path for path in folder.iterdir() if not path.name.endswith(".crc")]
    target = TARGET / name
    shutil.rmtree(target, ignore_errors=True)
    target.mkdir(parents=True)
    if log.is_dir():
        shutil.copytree(log, target / log.name, ignore=shutil.ignore_patterns("*.crc"))
    elif log.suffix in (".zstd", ".lz4", ".inprogress"):
        shutil.copyfile(log, target / log.name)
    else:
        with open(target / f"{log.name}.gz", "wb") as raw:
            with gzip.GzipFile(filename="", mode="wb", compresslevel=9, fileobj=raw, mtime=0) as file:
                file.write(log.read_bytes())
    size = sum(path.stat().st_size for path in target.rglob("*") if path.is_file())
    say(f"{name}: {size} bytes")
    if size > LIMIT:
        raise SystemExit(f"{name}: {size} bytes; at most {LIMIT} are allowed")


def write_provenance():
    rows = []
    for name, (line, kind, settings, snapshot) in LOGS.items():
        if not (TARGET / name).exists():
            continue
        files = sorted(path for path in (TARGET / name).rglob("*") if path.is_file())
        size = sum(path.stat().st_size for path in files)
        conf = ", ".join(f"{key.removeprefix('spark.')}={value}" for key, value in settings.items())
        form = f"{len(files) - 1} parts" if len(files) > 1 else files[0].suffix
        taken = "before the application ended" if snapshot else "whole"
        rows.append(f"| `{name}` | {VERSIONS[line]} | {kind} | {conf} | {form}, {taken} | {size} |")
    table = "\n".join(rows)
    text = f"""# Recorded event logs of Spark

Generated by `experiments/spark/record_spark_logs.py`; do not edit. `1g-6.log.gz` is of `experiments/dag_scheduling/measure_tpch.py`, see
`data/workloads/tpch/PROVENANCE.md`.

Each folder holds one event log of a stock Apache Spark from PyPI, of the application of that kind in
`experiments/spark/spark_logs/application.py`, as Spark wrote it; a plain one was packed with gzip.
`spark.redaction.regex` hides what tells about the machine, and Hadoop's defaults, which would be a fifth
of each log. The class path is one jar that names Spark's jars. Rolled logs begin a new file where the
application asks for it: Spark itself does so every 10 MB at the least.

| log | Spark | kind | settings (spark.*) beside the script's | form | bytes |
| --- | --- | --- | --- | --- | --- |
{table}
"""
    (TARGET / "PROVENANCE.md").write_text(text)


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--work", type=Path, default=ROOT / "build/spark-logs", help="folder to work in")
    parser.add_argument("--again", default="", help="expression: logs to record again")
    options = parser.parse_args()
    work = options.work.resolve()
    work.mkdir(parents=True, exist_ok=True)
    for name in LOGS:
        if not (TARGET / name).exists() or (options.again and re.search(options.again, name)):
            record(work, name)
            write_provenance()
    return 0


if __name__ == "__main__":
    sys.exit(main())
