#!/usr/bin/env python3
"""Runs benchmark programs and writes results/NAME.json with the median of their repetitions.

    scripts/record_bench.py                      all programs bench_* of build/release
    scripts/record_bench.py bench_core           this one

A program whose figures depend on the vector instructions of networks runs once for each set that the
processor has (docs/training.md); the set stands behind the names of its figures.

The repetitions of a program's benchmarks are interleaved, so that a busy moment of the machine
does not fall on one of them alone. Build first: cmake --preset release && cmake --build --preset
release --target all benchmarks.
"""

import argparse
import json
import os
import re
import subprocess
import sys
from pathlib import Path

import figures

# What Google Benchmark adds by itself to each run; the rest are counters of the program.
OWN = {"name", "family_index", "per_family_instance_index", "run_name", "run_type", "repetitions",
       "repetition_index", "threads", "iterations", "real_time", "cpu_time", "time_unit", "label"}
UNITS = {"bytes_per_second": "B/s", "_per_second": "1/s", "_bytes": "B", "_us": "us",
         "time_per_decision": "s"}


# What restricts Park's kernels, LibTorch and OpenBLAS to a set of vector instructions.
SETS = {"x86-64-v4": {"PARK_INSTRUCTION_SET": "avx512"},
        "x86-64-v3": {"PARK_INSTRUCTION_SET": "avx2", "ATEN_CPU_CAPABILITY": "avx2",
                      "OPENBLAS_CORETYPE": "Haswell"},
        "x86-64-v2": {"PARK_INSTRUCTION_SET": "sse4", "ATEN_CPU_CAPABILITY": "default",
                      "OPENBLAS_CORETYPE": "Nehalem"}}
BY_SET = ("bench_networks", "bench_training")  # bench_kernels changes the set by itself
# Products of other libraries beside Park's, all with AVX2 (scripts/setup.sh compare, target compare_products).
COMPARED = {"compare_products": {**SETS["x86-64-v3"], "DNNL_MAX_CPU_ISA": "AVX2", "LIBXSMM_TARGET": "hsw",
                                 "OMP_NUM_THREADS": "1"}}

# It prints a table, which a script of its environment in experiments/ records.
PLAIN = {"bench_placement_twin"}


def sets_of(name):
    """The sets to run a program with: those of the processor, or none."""
    if name in COMPARED:
        return {"": COMPARED[name]}
    best = figures.instruction_set()
    if name not in BY_SET or best not in SETS:
        return {"": {}}
    known = list(SETS)
    return {set_: SETS[set_] for set_ in known[known.index(best):]}


def run(program, repetitions, seconds, environment):
    """The runs of a program, in Google Benchmark's form."""
    command = [program, "--benchmark_format=json", f"--benchmark_repetitions={repetitions}",
               f"--benchmark_min_time={seconds}", "--benchmark_enable_random_interleaving=true"]
    done = subprocess.run(command, check=True, capture_output=True, text=True,
                          env=os.environ | environment)
    return json.loads(done.stdout)["benchmarks"]


def unit_of(counter):
    """The unit of a counter, which its name ends with."""
    return next((unit for end, unit in UNITS.items() if counter.endswith(end)), "1")


def collect(runs, behind):
    """Figures of the runs in the order of the program: of each benchmark the time, which says what
    its label says, and the counters. `behind` ends their names."""
    values, labels = {}, {}
    for item in sorted(runs, key=lambda r: (r["family_index"], r["per_family_instance_index"])):
        if item.get("error_occurred"):
            raise SystemExit(f"{item['name']}: {item['error_message']}")
        if item["run_type"] != "iteration":
            continue
        name = item["run_name"]
        values.setdefault((name, "time", item["time_unit"]), []).append(item["real_time"])
        labels[name, "time"] = item.get("label", "")
        for key in item.keys() - OWN:
            values.setdefault((name, key, unit_of(key)), []).append(item[key])
    return [figures.figure(f"{name} {what}{behind}", unit, of, labels.get((name, what), ""))
            for (name, what, unit), of in values.items()]


def source(program):
    """The program's source among the tests of an environment, or None."""
    return next((figures.ROOT / "tests/envs").glob(f"*/**/{program}.cc"), None)


def page(program):
    """The environment whose tests have the program's source, or the common page."""
    found = source(program)
    return found.relative_to(figures.ROOT / "tests/envs").parts[0] if found else figures.COMMON


def data_notes(program):
    """A note of the sets of reference data that the program's source names."""
    found = source(program)
    sets = re.findall(r'reference_data\("([\w-]+)"\)', found.read_text(encoding="utf-8")) if found else []
    return ["on " + ", ".join(f"`{name}`" for name in sorted(set(sets)))] if sets else []


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("programs", nargs="*", metavar="PROGRAM")
    parser.add_argument("--build", default="build/release", help="build folder (%(default)s)")
    parser.add_argument("--repetitions", type=int, default=9, help="(%(default)s)")
    parser.add_argument("--seconds", type=float, default=0.5,
                        help="least time of one repetition (%(default)s)")
    parser.add_argument("--out", default=str(figures.ROOT / "results"), help="folder")
    arguments = parser.parse_args()
    folder = figures.ROOT / arguments.build / "bin"
    built = {path.name for path in folder.glob("bench_*") if not path.name.endswith("_test")} - PLAIN
    names = arguments.programs or sorted(built)
    missing = [name for name in names if not (folder / name).is_file()]
    if missing or not names:
        print(f"no {', '.join(missing) or 'bench_*'} in {arguments.build}/bin; build it first",
              file=sys.stderr)
        return 2
    for name in names:
        found = []
        for set_, environment in sets_of(name).items():
            runs = run(folder / name, arguments.repetitions, arguments.seconds, environment)
            found += collect(runs, f" ({set_})" if set_ else "")
        out = Path(arguments.out) / f"{name}.json"
        command = (f"scripts/record_bench.py {name} --repetitions {arguments.repetitions} "
                   f"--seconds {arguments.seconds:g}")
        if arguments.build != parser.get_default("build"):
            command += f" --build {arguments.build}"
        figures.write(out, f"Benchmark {name}", command, found,
                      [f"{arguments.repetitions} interleaved repetitions of at least "
                       f"{arguments.seconds} s each; time is the wall time of one iteration.",
                       *data_notes(name)],
                      page=page(name))
        print(f"{out.name}: {len(found)} figures")
    return 0


if __name__ == "__main__":
    sys.exit(main())
