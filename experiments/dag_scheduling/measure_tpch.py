#!/usr/bin/env python3
"""Measure the TPC-H queries on a stock Apache Spark and reduce its event logs to Park profiles.

    experiments/dag_scheduling/measure_tpch.py                 do everything that is not done yet
    experiments/dag_scheduling/measure_tpch.py --reduce-only   no measuring: reduce the logs that are there and merge
    touch build/tpch/PAUSE                  pause before the next unit; remove the file to go on

A unit of work is one Spark application: all queries one after another at one scale factor, on one
or two one-core executors. A finished unit leaves build/tpch/logs/UNIT.log.gz and UNIT.json; a unit
whose log is there is skipped, so an interrupted run is resumed by starting it again.

Needs Python 3.10 or newer with venv, JDK 17, Maven, and the package registries of PyPI and Maven.
"""

import argparse
import ctypes
import fcntl
import gzip
import hashlib
import json
import os
import re
import shutil
import signal
import statistics
import subprocess
import sys
import tempfile
import time
import zipfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
HELPERS = Path(__file__).resolve().parent / "measure_tpch"
SPARK_TESTS = "org.apache.spark:spark-sql_2.13:4.1.3:jar:tests"
QUERIES = list(range(1, 23))
FIXTURE_QUERY = 6
FIXTURE = ROOT / "tests/data/spark/1g-6.log.gz"
FIXTURE_LIMIT = 1_000_000
WORKLOADS = ROOT / "data/workloads/tpch"
PRIORITY = -15
EXECUTOR_MEMORY = 3072

# Files per table at scale factor 1, chosen for about 2 MB a file; one file is one scan task.
# nation and region have a fixed size.
PARTS = {"lineitem": 120, "orders": 32, "partsupp": 24, "customer": 7, "part": 4, "supplier": 1}
FIXED_TABLES = ("nation", "region")

SPARK_CONF = {
    "spark.app.name": "park-tpch",
    "spark.sql.adaptive.enabled": "false",
    "spark.sql.autoBroadcastJoinThreshold": "-1",
    "spark.sql.shuffle.partitions": "200",
    "spark.sql.files.maxPartitionBytes": "4m",
    "spark.sql.files.openCostInBytes": "4m",
    "spark.locality.wait": "0s",
    "spark.executor.cores": "1",
    "spark.executor.memory": f"{EXECUTOR_MEMORY}m",
    # A JVM that believes it has one core: one thread each for collecting and compiling.
    "spark.executor.extraJavaOptions": "-XX:ActiveProcessorCount=1",
    "spark.driver.memory": "2g",
    "spark.driver.extraJavaOptions": "-XX:+UseSerialGC",
    "spark.driver.host": "127.0.0.1",
    "spark.driver.bindAddress": "127.0.0.1",
    "spark.ui.enabled": "false",
    "spark.ui.showConsoleProgress": "false",
    "spark.eventLog.enabled": "true",
    "spark.eventLog.compress": "false",
    "spark.eventLog.rolling.enabled": "false",
    # Spark's default, widened by what tells about the machine and its user.
    "spark.redaction.regex": "(?i)secret|password|token|access[.]?key|api[.]?key"
    r"|os\.version|user\.(name|home|dir)|sun\.java\.command",
}


def say(*words):
    print(time.strftime("%H:%M:%S"), *words, file=sys.stderr, flush=True)


def run_checked(command, **keywords):
    result = subprocess.run([str(word) for word in command], **keywords)
    if result.returncode != 0:
        raise SystemExit(f"failed ({result.returncode}): {' '.join(map(str, command))}")


# ---------------------------------------------------------------------------------------------
# Preparing: Spark, the queries, the data


def prepare_venv(work):
    python = work / "venv/bin/python"
    requirements = HELPERS / "requirements.txt"
    stamp = work / "venv/requirements.done"
    if stamp.exists() and stamp.read_text() == requirements.read_text():
        return python
    say("installing Spark and the data generator")
    if not python.exists():
        run_checked([sys.executable, "-m", "venv", work / "venv"])
    run_checked([python, "-m", "pip", "install", "-q", "-r", requirements], stdout=sys.stderr)
    stamp.write_text(requirements.read_text())
    return python


def prepare_queries(work):
    folder = work / "queries"
    if all((folder / f"q{query}.sql").exists() for query in QUERIES):
        return folder
    say("fetching the queries:", SPARK_TESTS)
    jars = work / "dl"
    jars.mkdir(parents=True, exist_ok=True)
    run_checked(
        ["mvn", "-q", "-B", "dependency:copy", f"-Dartifact={SPARK_TESTS}",
         f"-DoutputDirectory={jars}", "-Dmdep.useBaseVersion=true"], stdout=sys.stderr)  # fmt: skip
    _, name, version, _, classifier = SPARK_TESTS.split(":")
    folder.mkdir(exist_ok=True)

    with zipfile.ZipFile(jars / f"{name}-{version}-{classifier}.jar") as jar:
        for query in QUERIES:
            (folder / f"q{query}.sql").write_bytes(jar.read(f"tpch/q{query}.sql"))
    return folder


def prepare_data(work, scale):
    """Parquet files of one scale factor; `scale` may be a fraction."""
    folder = work / f"data/sf{scale}"
    if folder.exists():
        return folder
    say(f"generating data, scale factor {scale}")
    temporary = work / f"data/sf{scale}.part"
    shutil.rmtree(temporary, ignore_errors=True)
    for table in (*PARTS, *FIXED_TABLES):
        parts = max(1, round(PARTS.get(table, 0) * scale))
        run_checked(
            [work / "venv/bin/tpchgen-cli", "parquet", "-q", "-s", scale, "-T", table,
             "-p", parts, "-o", temporary])  # fmt: skip
    temporary.rename(folder)
    return folder


# ---------------------------------------------------------------------------------------------
# Units


class Unit:
    def __init__(self, scale, executors, repetition, fixture=False):
        self.scale, self.executors, self.repetition = scale, executors, repetition
        self.fixture = fixture
        if fixture:
            self.name, self.queries = "fixture", [FIXTURE_QUERY]
        else:
            self.name = f"sf{scale}-e{executors}-r{repetition}"
            self.queries = [q for q in QUERIES if scale != 1 or q != FIXTURE_QUERY]
            if repetition % 2 == 0:
                # The other way round: what runs early finds a virtual machine less warm.
                self.queries.reverse()

    def profile(self):
        return WORKLOADS / "profiles" / ("1g-6.park" if self.fixture else f"{self.name}.park")

    def expected_seconds(self):
        """A first guess; the estimate of the time left scales it with what units really took."""
        if self.fixture:
            return 90.0
        fixed, variable = 300.0, 240.0 * self.scale
        return 90.0 + (fixed + variable) * (1.6 if self.executors == 1 else 1.0)


def plan(scales, executors):
    units = [Unit(1, 2, 1, fixture=True)]
    for scale in scales:
        for repetition in range(1, 3 if scale < 5 else 2):
            units += [Unit(scale, number, repetition) for number in executors]
    return units


def summarize(log):
    """What the event log (a gzipped one) says, read by this script itself as a check on the rest.

    Counts the tasks of measured jobs only, not those of warm-up and set-up.
    """
    digest = hashlib.sha256()
    job_of_stage, tasks_of_stage, shuffles = {}, {}, set()
    run, cpu, garbage, failed, count, jobs, version = 0, 0, 0, 0, 0, set(), ""
    first, last = None, None
    with gzip.open(log, "rb") as file:
        for line in file:
            digest.update(line)
            head = line[:80]
            if b"SparkListenerLogStart" in head:
                version = json.loads(line)["Spark Version"]
            elif b"SparkListenerJobStart" in head:
                event = json.loads(line)
                job = event["Properties"].get("park.job", "")
                for stage in event["Stage IDs"]:
                    job_of_stage[stage] = job
            elif b"SparkListenerTaskEnd" in head:
                event = json.loads(line)
                stage = event["Stage ID"]
                job = job_of_stage.get(stage, "")
                if job in ("", "setup", "warmup"):
                    continue
                jobs.add(job)
                if event["Task End Reason"]["Reason"] != "Success":
                    failed += 1
                    continue
                metrics, info = event["Task Metrics"], event["Task Info"]
                count += 1
                tasks_of_stage[stage] = tasks_of_stage.get(stage, 0) + 1
                run += metrics["Executor Run Time"]
                cpu += metrics["Executor CPU Time"]
                garbage += metrics["JVM GC Time"]
                read = metrics["Shuffle Read Metrics"]
                if (
                    read["Remote Blocks Fetched"] + read["Local Blocks Fetched"] > 0
                    or event["Task Type"] == "ShuffleMapTask"
                ):
                    shuffles.add(stage)
                begin, end = info["Launch Time"], info["Finish Time"]
                first = begin if first is None else min(first, begin)
                last = end if last is None else max(last, end)
    return {
        "spark": version,
        "jobs": len(jobs),
        "stages": len(tasks_of_stage),
        "tasks": count,
        "failed_tasks": failed,
        "median_tasks_of_shuffle_stages": statistics.median(
            [tasks_of_stage[stage] for stage in shuffles] or [0]
        ),
        "span_seconds": round(((last or 0) - (first or 0)) / 1e3, 1),
        "run_seconds": round(run / 1e3, 1),
        "cpu_seconds": round(cpu / 1e9, 1),
        "gc_seconds": round(garbage / 1e3, 1),
        "run_per_cpu": round(run / 1e3 / (cpu / 1e9), 3) if cpu else None,
        "log_sha256": digest.hexdigest(),
    }


def check(unit, summary):
    """A unit whose log fails this is not kept."""
    problems = []
    if summary["jobs"] != len(unit.queries):
        problems.append(f"{summary['jobs']} jobs, wanted {len(unit.queries)}")
    if summary["failed_tasks"]:
        problems.append(f"{summary['failed_tasks']} failed tasks")
    if not unit.fixture and summary["median_tasks_of_shuffle_stages"] < 100:
        problems.append(
            f"the median shuffle stage has {summary['median_tasks_of_shuffle_stages']} tasks (< 100)"
        )
    return problems


def raise_priority():
    """Before the child's program starts. Kernels that group tasks by session weigh whole sessions
    against each other, so the session's own weight is raised too. Also: die with the parent."""
    ctypes.CDLL(None).prctl(1, signal.SIGTERM)  # PR_SET_PDEATHSIG
    try:
        os.nice(PRIORITY)
        with open("/proc/self/autogroup", "w") as file:
            file.write(str(PRIORITY))
    except OSError:
        pass


def compress(source, target):
    """Gzip with no name and no time in it, so equal logs give equal files."""
    temporary = target.with_name(target.name + ".part")
    with open(source, "rb") as plain, open(temporary, "wb") as raw:
        with gzip.GzipFile(filename="", mode="wb", compresslevel=9 if source.stat().st_size
                           < 50_000_000 else 6, fileobj=raw, mtime=0) as packed:  # fmt: skip
            shutil.copyfileobj(plain, packed, 1 << 20)
    return temporary


def measure(work, unit, options):
    # The log names the folders it was made in: use ones that tell nothing.
    scratch = Path(tempfile.mkdtemp(prefix="park-tpch-"))
    spark_home = next((work / "venv/lib").glob("python3*/site-packages/pyspark"))
    local = work / "tmp"
    shutil.rmtree(local, ignore_errors=True)
    local.mkdir()
    child = None
    try:
        for name, target in {
            "spark": spark_home,
            "data": prepare_data(work, unit.scale),
            "warmup": prepare_data(work, 0.1),
            "queries": work / "queries",
            "local": local,
        }.items():
            (scratch / name).symlink_to(target)
        for name in ("events", "warehouse", "home"):
            (scratch / name).mkdir()
        conf = dict(SPARK_CONF)
        conf["spark.master"] = f"local-cluster[{unit.executors},1,{EXECUTOR_MEMORY}]"
        conf["spark.eventLog.dir"] = f"file:{scratch}/events"
        conf["spark.sql.warehouse.dir"] = f"file:{scratch}/warehouse"
        conf["spark.local.dir"] = f"{scratch}/local"
        environment = {
            key: value for key, value in os.environ.items() if not key.startswith(("SPARK", "PYSPARK"))
        }
        environment |= {
            "SPARK_HOME": f"{scratch}/spark",
            "SPARK_LOCAL_IP": "127.0.0.1",
            "SPARK_LOCAL_HOSTNAME": "localhost",
            "SPARK_WORKER_DIR": f"{scratch}/home/work",
        }
        command = [
            work / "venv/bin/python", HELPERS / "application.py",
            "--conf", json.dumps(conf), "--kind", "fixture" if unit.fixture else "measure",
            "--scale", unit.scale, "--executors", unit.executors, "--repetition", unit.repetition,
            "--only", ",".join(map(str, unit.queries)), "--queries", f"{scratch}/queries",
            "--data", f"{scratch}/data", "--warmup-data", f"{scratch}/warmup",
            "--warmup-seconds", options.warmup_seconds,
            "--deadline", options.deadline * max(1, unit.scale),
        ]  # fmt: skip
        start = time.monotonic()
        child = subprocess.Popen(
            [str(word) for word in command], cwd=scratch / "home", env=environment,
            start_new_session=True, preexec_fn=raise_priority)  # fmt: skip
        code = child.wait(timeout=options.unit_deadline * max(1, unit.scale))
        seconds = time.monotonic() - start
        events = [path for path in (scratch / "events").iterdir() if not path.name.startswith(".")]
        if code != 0 or len(events) != 1 or events[0].name.endswith(".inprogress"):
            raise RuntimeError(f"{unit.name}: exit status {code}, logs: {len(events)}")
        target = work / f"logs/{unit.name}.log.gz"
        temporary = compress(events[0], target)
        summary = {"unit": unit.name, "wall_seconds": round(seconds, 1), **summarize(temporary)}
        summary |= {"bytes": events[0].stat().st_size, "gzip_bytes": temporary.stat().st_size}
        summary["load_average_after"] = [round(value, 2) for value in os.getloadavg()]
        problems = check(unit, summary)
        if unit.fixture and temporary.stat().st_size >= FIXTURE_LIMIT:
            problems.append(f"{temporary.stat().st_size} bytes (limit {FIXTURE_LIMIT})")
        if problems:
            temporary.rename(target.with_name(f"{unit.name}.bad.gz"))
            raise RuntimeError(f"{unit.name}: {'; '.join(problems)}: {summary}")
        (work / f"logs/{unit.name}.json").write_text(json.dumps(summary, indent=2) + "\n")
        temporary.rename(target)
        return summary
    finally:
        if child is not None:
            try:
                os.killpg(child.pid, signal.SIGKILL)
            except ProcessLookupError:
                pass
            child.wait()
        shutil.rmtree(scratch, ignore_errors=True)
        shutil.rmtree(local, ignore_errors=True)


# ---------------------------------------------------------------------------------------------
# Reducing logs to profiles


def reduce_pending(work, units, park):
    """Profiles for the logs that have none, the merged workload, and the provenance."""
    done = [unit for unit in units if (work / f"logs/{unit.name}.log.gz").exists()]
    if not done:
        return
    fixture_log = work / "logs/fixture.log.gz"
    if fixture_log.exists() and not FIXTURE.exists():
        FIXTURE.parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(fixture_log, FIXTURE)
    WORKLOADS.mkdir(parents=True, exist_ok=True)
    write_provenance(work, done)
    if not park.exists():
        say("no park binary yet: the logs are kept and reduced by a later call")
        return
    (WORKLOADS / "profiles").mkdir(exist_ok=True)
    for unit in done:
        log, profile = work / f"logs/{unit.name}.log.gz", unit.profile()
        if profile.exists():
            continue
        command = [park, "workload", "import-spark", log, "--exclude", "warmup,setup", "--out"]
        if not reduce_one(command, profile):
            say(f"could not reduce {unit.name}; a later call tries again")
    profiles = [unit.profile() for unit in done if unit.profile().exists()]
    if profiles and len(profiles) == len(done):
        reduce_one([park, "workload", "merge", *profiles, "--out"], WORKLOADS / "tpch.park")


def reduce_one(command, target):
    temporary = target.with_name(f"part-{target.name}")
    command = [str(word) for word in (*command, temporary)]
    try:
        code = subprocess.run(command, stdout=sys.stderr, timeout=600).returncode
    except (OSError, subprocess.TimeoutExpired) as error:
        say(error)
        code = 1
    if code != 0 or not temporary.exists():
        temporary.unlink(missing_ok=True)
        return False
    temporary.rename(target)
    return True


def machine_class():
    """The class of the machine, without names: cores, processor, memory."""
    text = Path("/proc/cpuinfo").read_text()
    model = re.search(r"model name\s*:\s*(.*)", text)
    memory = int(re.search(r"MemTotal:\s*(\d+)", Path("/proc/meminfo").read_text())[1])
    return (
        f"{os.cpu_count()} virtual cores ({model[1].strip() if model else os.uname().machine}),"
        f" {memory / 2**20:.0f} GiB memory, Linux, JDK 17"
    )


def write_provenance(work, done):
    rows = []
    for unit in done:
        entry = json.loads((work / f"logs/{unit.name}.json").read_text())
        rows.append(
            "| {unit} | {jobs} | {tasks} | {median_tasks_of_shuffle_stages:g} | {wall_seconds:.0f}"
            " | {run_seconds} | {cpu_seconds} | {run_per_cpu} | `{log_sha256}` |".format(**entry)
        )
        version = entry["spark"]
    settings = "\n".join(
        f"    {key}={value}"
        for key, value in sorted(SPARK_CONF.items())
        if key != "spark.redaction.regex"
    )
    parts = ", ".join(f"{table} {number}" for table, number in PARTS.items())
    text = f"""# Where these profiles come from

Generated by `experiments/dag_scheduling/measure_tpch.py`; do not edit. The profiles are measurements of the TPC-H
queries on a stock Apache Spark {version}, reduced by `park workload import-spark`. They hold durations of
one and two executors; what an environment plays above that is extrapolated (`docs/workload-format.md`).

- Machine: {machine_class()}.
- Data: `tpchgen-cli` 4.0.0, Parquet, files per table at scale factor 1: {parts}; the number grows
  with the scale factor, so a file keeps about 2 MB and is one scan task, as a block is on a cluster.
- Queries: q1 to q22 as Spark's own tests hold them (`{SPARK_TESTS}`), unchanged.
- One unit is one Spark application on one or two one-core executors
  (`local-cluster[N,1,{EXECUTOR_MEMORY}]`). After a warm-up on scale factor 0.1, which is not part
  of the profiles, the queries run one after another (in even repetitions from the last to the
  first), each to its end, with `write.format("noop")`. A job's name is `<scale>g:<query>`.
- Job `1g:6` comes from the unit `fixture` alone, whose log is `tests/data/spark/1g-6.log.gz`: two
  runs on two executors, then one executor is taken away, then two runs on the one left.
- The Spark processes ran at a raised priority ({PRIORITY}) because the machine did other work at times. *Run
  per CPU* is the tasks' executor run time divided by their executor CPU time: 1 means that a
  task never waited, be it for a core or for a disk. Judge the durations by it.
- Check: in every unit the median number of tasks over the stages that write or read a shuffle is
  at least 100 (the fixture, a single query with one scan and one final task, is exempt).

To measure again: `experiments/dag_scheduling/measure_tpch.py`; each unit it finds done is skipped. The logs are large and not kept in
the repository; the digest is that of the uncompressed log.

| unit | jobs | tasks | median tasks | wall s | run s | CPU s | run per CPU | SHA-256 of the log |
| --- | --- | --- | --- | --- | --- | --- | --- | --- |
{chr(10).join(rows)}

Spark's settings:

{settings}
"""
    target = WORKLOADS / "PROVENANCE.md"
    if not target.exists() or target.read_text() != text:
        target.write_text(text)


# ---------------------------------------------------------------------------------------------


def numbers(text):
    return [int(word) for word in text.split(",")]


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--scales", type=numbers, default=[1, 2, 5], help="such as 1,2,5,10")
    parser.add_argument("--executors", type=numbers, default=[1, 2])
    parser.add_argument("--units", default="", help="only units whose name matches this expression")
    parser.add_argument("--work", type=Path, default=ROOT / "build/tpch", help="folder to work in")
    parser.add_argument("--park", type=Path, default=ROOT / "build/release/bin/park")
    parser.add_argument("--warmup-seconds", type=float, default=75.0)
    parser.add_argument("--deadline", type=float, default=300.0, help="s per query, times the scale")
    parser.add_argument("--unit-deadline", type=float, default=2700.0, help="s, times the scale")
    parser.add_argument("--reduce-only", action="store_true", help="measure nothing")
    parser.add_argument("--remeasure-fixture", action="store_true", help="replace the test log too")
    options = parser.parse_args()

    work = options.work.resolve()
    (work / "logs").mkdir(parents=True, exist_ok=True)
    units = plan(options.scales, options.executors)
    if options.reduce_only:
        reduce_pending(work, units, options.park)
        return 0
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    lock = open(work / "lock", "w")
    try:
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        raise SystemExit("another measurement is running here")
    if options.remeasure_fixture:
        FIXTURE.unlink(missing_ok=True)
        (work / "logs/fixture.log.gz").unlink(missing_ok=True)
        Unit(1, 2, 1, fixture=True).profile().unlink(missing_ok=True)

    prepare_venv(work)
    prepare_queries(work)
    for path in (*work.glob("data/*.part"), *work.glob("logs/*.part")):
        shutil.rmtree(path) if path.is_dir() else path.unlink()
    reduce_pending(work, units, options.park)

    pending = [
        unit
        for unit in units
        if re.search(options.units, unit.name)
        and not (work / f"logs/{unit.name}.log.gz").exists()
    ]
    say(f"{len(pending)} units to do:", " ".join(unit.name for unit in pending))
    spent, expected, failures = 0.0, 0.0, []
    for index, unit in enumerate(pending):
        if (work / "PAUSE").exists():
            say("paused: remove", work / "PAUSE", "to go on")
            while (work / "PAUSE").exists():
                time.sleep(2.0)
        left = sum(other.expected_seconds() for other in pending[index:])
        left *= spent / expected if spent else 1.0
        finish = time.strftime("%H:%M", time.localtime(time.time() + left))
        say(f"unit {unit.name} ({index + 1} of {len(pending)}); all done in about"
            f" {left / 60:.0f} min, at {finish}")  # fmt: skip
        try:
            summary = measure(work, unit, options)
        except (RuntimeError, subprocess.TimeoutExpired) as error:
            say("FAILED:", error)
            failures.append(unit.name)
            continue
        if not unit.fixture:
            spent += summary["wall_seconds"]
            expected += unit.expected_seconds()
        say(
            "unit {unit} done in {wall_seconds:.0f} s: {jobs} jobs, {stages} stages, {tasks} tasks,"
            " median {median_tasks_of_shuffle_stages:g} tasks per shuffle stage, run {run_seconds} s"
            " / CPU {cpu_seconds} s = {run_per_cpu}, GC {gc_seconds} s, log sha256"
            " {log_sha256}".format(**summary)
        )
        reduce_pending(work, units, options.park)
    if failures:
        say("failed units (start again to retry):", " ".join(failures))
    return 1 if failures else 0


if __name__ == "__main__":
    try:
        sys.exit(main())
    except KeyboardInterrupt:
        sys.exit(130)
