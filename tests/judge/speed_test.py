#!/usr/bin/env python3
"""Judges expressions of ten lines on batches of 20 jobs, two at a time: at least 50 in a minute.

    speed_test.py PARK
"""
import concurrent.futures
import pathlib
import subprocess
import sys
import tempfile
import time

CANDIDATES = 60
LEAST_PER_MINUTE = 50
TEXT = """# shortest remaining work first, with a cap
left = job.work_left_s / 1000
path = stage.critical_path_s / 1000
waiting = stage.tasks_left - stage.committed - stage.moving
stage = job.source
stage = -left
stage = path - {weight} * waiting
total = cluster.executors#sum
cap = max(1, {share} * total)
limit = min(cap, job.demand)
"""


def judge(park, path):
    run = subprocess.run([park, "judge", str(path), "--env", "dag_scheduling(arrival=batch,jobs=20)", "--set",
                          "validation", "--json"], capture_output=True, text=True, timeout=300)
    if run.returncode != 0:
        sys.exit(run.stderr)
    return '"verdict": "valid"' in run.stdout


def main():
    with tempfile.TemporaryDirectory() as folder:
        paths = []
        for number in range(CANDIDATES):
            paths.append(pathlib.Path(folder) / f"{number}.expr")
            paths[-1].write_text(TEXT.format(weight=number / 1000, share=0.3 + 0.01 * number))
        begin = time.monotonic()
        with concurrent.futures.ThreadPoolExecutor(2) as two:
            valid = list(two.map(lambda path: judge(sys.argv[1], path), paths))
        rate = CANDIDATES * 60 / (time.monotonic() - begin)
    print(f"{rate:.0f} candidates a minute, {sum(valid)} of {CANDIDATES} valid")
    sys.exit(not (all(valid) and rate >= LEAST_PER_MINUTE))


if __name__ == "__main__":
    main()
