#!/usr/bin/env python3
"""Imports a large log from a pipe and checks the memory that it takes.

    tests/envs/dag_scheduling/workload/large_log.py PARK [BYTES]

BYTES: size of the log (default 1e9), of at least 10 000 jobs at that size.
"""

import json
import os
import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path

HERE = Path(__file__).resolve().parent
LIMIT_MB = 200


def with_small_quarantine():
    """The environment, where a build with the address sanitizer keeps little of what is freed."""
    options = os.environ.get("ASAN_OPTIONS", "")
    return {**os.environ, "ASAN_OPTIONS": f"{options}:quarantine_size_mb=8"}


def main():
    park, size = sys.argv[1], float(sys.argv[2]) if len(sys.argv) > 2 else 1e9
    jobs = int(10_500 * size / 1e9)
    with tempfile.TemporaryDirectory() as folder:
        log = subprocess.Popen(
            [HERE / "generate_spark_log.py", "--bytes", str(size), "--jobs", str(jobs)],
            stdout=subprocess.PIPE)  # fmt: skip
        start = time.monotonic()
        made = subprocess.run(
            [park, "workload", "import-spark", "/dev/stdin", "--quiet", "--json", "--out",
             f"{folder}/large.park"], stdin=log.stdout, stdout=subprocess.PIPE, check=True,
            env=with_small_quarantine())  # fmt: skip
        seconds = time.monotonic() - start
        log.stdout.close()
        if log.wait() != 0:
            raise SystemExit("the generator failed")
    # Of the largest child: the generator is counted too, and takes less.
    peak_mb = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss / 1024
    report = json.loads(made.stdout)["report"]
    dropped = sum(one["count"] for one in report["dropped"] if one["what"] == "job")
    print(f"{size / 1e6:.0f} MB, {report['jobs']} jobs and {dropped} left out, {report['samples']} samples,"
          f" {peak_mb:.0f} MB of memory at most, {seconds:.0f} s with the generator")  # fmt: skip
    if report["jobs"] + dropped < jobs or report["jobs"] < 0.95 * jobs:
        raise SystemExit(f"{jobs} jobs were written")
    if peak_mb > LIMIT_MB:
        raise SystemExit(f"at most {LIMIT_MB} MB are allowed")


if __name__ == "__main__":
    main()
