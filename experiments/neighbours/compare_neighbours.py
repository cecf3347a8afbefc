#!/usr/bin/env python3
"""Measures Park beside its neighbours, in one run: vectors of CartPole (Gymnasium, EnvPool), and simulators
of which a checkout is named.

    experiments/neighbours/compare_neighbours.py [--spark-sched-sim PATH --tpch PATH] [--decima PATH]
        [--build build/release] [--out results/neighbours.json]

All sides take turns in each round. Vectors step CartPole with the same random actions; Park's is the plug-in
cart_pole.cc. Simulators of Spark play jobs of the same profiles under the policy that shares executors fairly;
their times are processor time. Needs a release build with its Python package (the target park_python). Packages come
from PyPI in the versions of requirements.txt into build/neighbours. docs/neighbours.md compares what figures do not say.
"""

import argparse
import json
import os
import resource
import subprocess
import sys
import tempfile
from pathlib import Path

HERE = Path(__file__).resolve().parent
ROOT = HERE.parents[1]
sys.path[:0] = [str(ROOT / "scripts"), str(HERE.parent / "dag_scheduling")]
import compare_decima  # noqa: E402
import figures  # noqa: E402

FOLDER = ROOT / "build/neighbours"
EXECUTORS, JOBS, INTERVAL_S = 10, 50, 25  # of spark-sched-sim's own example


def python():
    """The Python of build/neighbours with everything that is stepped there, but Park."""
    made = FOLDER / "bin/python"
    if not made.exists():
        subprocess.run([sys.executable, "-m", "venv", FOLDER], check=True)
    subprocess.run([made, "-m", "pip", "install", "--quiet", "--requirement", HERE / "requirements.txt"], check=True)
    return made


def plugin(build):
    """libcart_pole.so, as park_add_plugin of CMake would make it."""
    out = FOLDER / "libcart_pole.so"
    names = {"NAME": "cart_pole", "VERSION": "1", "LICENCE": "Apache-2.0"}
    subprocess.run(["g++", "-std=c++20", "-O3", "-DNDEBUG", "-fPIC", "-fvisibility=hidden", "-shared", f"-I{ROOT}",
                    *(f'-DPARK_PLUGIN_{key}="{value}"' for key, value in names.items()), HERE / "cart_pole.cc",
                    "-o", out, build / "lib/libpark_plugin_core.a", "-Wl,--exclude-libs,ALL",
                    f"-Wl,--version-script={ROOT / 'cmake/park_plugin.map'}"], check=True)
    return out


def vectors(arguments, interpreter):
    """Figures of CartPole."""
    done = subprocess.run([interpreter, HERE / "vectors.py", plugin(arguments.build), "--envs", str(arguments.envs),
                           "--seconds", str(arguments.seconds), "--rounds", str(arguments.rounds)],
                          check=True, stdout=subprocess.PIPE, text=True,
                          env={**os.environ, "PYTHONPATH": str(arguments.build.resolve() / "python")})
    return [figures.figure(f"CartPole, {arguments.envs} environments: {way}", "steps/s", rates)
            for way, rates in json.loads(done.stdout).items()]


class Simulator:
    """A simulator of others in a process of its own, which stays between rounds."""

    def __init__(self, interpreter, name, path, folder, *options):
        self.process = subprocess.Popen([interpreter, HERE / "simulators.py", name, path.resolve(), *options],
                                        cwd=folder, text=True, stdin=subprocess.PIPE, stdout=subprocess.PIPE)

    def play(self, seed):
        self.process.stdin.write(f"{seed}\n")
        self.process.stdin.flush()
        line = self.process.stdout.readline()
        if not line:
            raise SystemExit("the simulator ended; its message is above")
        return json.loads(line)

    def close(self):
        self.process.stdin.close()
        self.process.wait()


def children_s():
    usage = resource.getrusage(resource.RUSAGE_CHILDREN)
    return usage.ru_utime + usage.ru_stime


def play_park(park, workload, seed, episodes):
    """Episodes of the setting of spark-sched-sim's example; the figures of one."""
    env = (f"dag_scheduling(executors={EXECUTORS},jobs={JOBS},arrival=poisson,interval_s={INTERVAL_S},"
           f"workload={workload},semantics=compat,moving_delay_s=2,warmup_delay_s=1)")
    before = children_s()
    done = subprocess.run([park, "run", env, "--policy", "fair", "--episodes", str(episodes), "--seed", str(seed),
                           "--quiet", "--json"], check=True, capture_output=True, text=True)
    result = json.loads(done.stdout)["results"][0]
    return {"decisions": result["decisions"] / episodes, "time_s": (children_s() - before) / episodes,
            "avg_jct_s": result["metrics"]["avg_jct_s"]["mean"]}


def beside(name, pairs):
    """Figures of (theirs, ours), one pair per round."""
    return [figures.figure(f"{name}: decisions per second", "1/s", [a["decisions"] / a["time_s"] for a, _ in pairs]),
            figures.figure(f"Park beside {name}: decisions per second", "1/s",
                           [b["decisions"] / b["time_s"] for _, b in pairs]),
            figures.figure(f"{name} / Park: time of an episode", "1", [a["time_s"] / b["time_s"] for a, b in pairs],
                           "per round, then the median"),
            figures.figure(f"Park / {name}: average job completion time", "1",
                           [b["avg_jct_s"] / a["avg_jct_s"] for a, b in pairs],
                           "1 only where both play the same lists by the same rules")]


def spark_sched_sim(arguments, interpreter, park, folder):
    """Figures of spark-sched-sim beside Park."""
    (folder / "data").mkdir(parents=True)
    (folder / "data/tpch").symlink_to(arguments.tpch.resolve())
    workload = folder / "decima.park"
    subprocess.run([park, "data", "workload", "import", "decima", arguments.tpch, "--out", workload], check=True,
                   stdout=subprocess.DEVNULL)
    theirs = Simulator(interpreter, "spark-sched-sim", arguments.spark_sched_sim, folder, "--executors", str(EXECUTORS),
                       "--jobs", str(JOBS), "--interval-s", str(INTERVAL_S))
    pairs = [(theirs.play(1000 + k), play_park(park, workload, 1000 + k, arguments.episodes))
             for k in range(arguments.rounds)]
    theirs.close()
    return beside("spark-sched-sim", pairs)


def decima(arguments, park, folder):
    """Figures of the original simulator of Decima beside Park, by the script that compares the two."""
    ours = argparse.Namespace(python=arguments.decima_python, path=arguments.decima.resolve(), rounds=arguments.rounds,
                              episodes=arguments.episodes)
    pairs = compare_decima.rounds(ours, park, folder)
    return beside("decima-sim", pairs)


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    for name in ("spark-sched-sim", "tpch", "decima"):
        parser.add_argument(f"--{name}", type=Path, help="a checkout, or the folder of profiles")
    parser.add_argument("--decima-python", default="/usr/bin/python3",
                        help="for decima-sim: it needs numpy 1 and networkx 2 (%(default)s)")
    parser.add_argument("--build", type=Path, default=ROOT / "build/release")
    parser.add_argument("--envs", type=int, default=64)
    parser.add_argument("--seconds", type=float, default=2)
    parser.add_argument("--rounds", type=int, default=7)
    parser.add_argument("--episodes", type=int, default=50, help="of Park for one of a simulator in Python")
    parser.add_argument("--out", type=Path, default=ROOT / "results/neighbours.json")
    arguments = parser.parse_args()
    if arguments.spark_sched_sim and not arguments.tpch:
        parser.error("--spark-sched-sim needs --tpch: the folder of profiles, spark_env/tpch of decima-sim")
    interpreter, park = python(), (arguments.build / "bin/park").resolve()
    found = vectors(arguments, interpreter)
    with tempfile.TemporaryDirectory() as name:
        if arguments.spark_sched_sim:
            found += spark_sched_sim(arguments, interpreter, park, Path(name) / "spark-sched-sim")
        if arguments.decima:
            found += decima(arguments, park, Path(name))
    notes = [f"{arguments.rounds} rounds of {arguments.seconds:g} s for each vector; in a round all sides take turns.",
             "CartPole has the same equations everywhere, and the same random actions.",
             "Times of simulators are processor time, those of vectors are of the clock."]
    figures.write(arguments.out, "Speed beside neighbours", figures.command(), found, notes)
    return 0


if __name__ == "__main__":
    sys.exit(main())
