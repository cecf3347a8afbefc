#!/usr/bin/env python3
"""Measures the original Python simulator of the Decima paper beside ours, in one run.

    experiments/dag_scheduling/compare_decima.py PATH_TO_DECIMA_SIM

Both play the same job lists: a batch of 20 jobs of the profiles in PATH, 50 executors, moving delay
2 s, warm-up 1 s, the policy that shares executors fairly (dynamic_partition there, fair here). The
original plays a list once, ours as often as gives a measurable time; the rounds alternate. Both run
on one thread and are measured in processor time, which waiting for a busy machine does not change.
Writes the medians over the rounds to results/decima_speed.json. Needs build/release, and numpy and
networkx for the Python given by --python.

PATH is a checkout of hongzimao/decima-sim with its profiles in spark_env/tpch. Without it there is
nothing to compare with, and the script ends with status 3.
"""

import argparse
import json
import resource
import subprocess
import sys
import tempfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "scripts"))
import figures  # noqa: E402

DRIVER = Path(__file__).resolve().parent / "decima_driver.py"
SETTING = ("executors=50,arrival=file,arrivals={arrivals},workload={workload},semantics=compat,"
           "moving_delay_s=2,warmup_delay_s=1")
SKIPPED = 3


class Original:
    """The simulator of the paper, in a process of its own that stays up between rounds."""

    def __init__(self, python, path):
        self.process = subprocess.Popen([python, DRIVER, path], text=True,
                                        stdin=subprocess.PIPE, stdout=subprocess.PIPE)

    def play(self, seed):
        self.process.stdin.write(f"{seed}\n")
        self.process.stdin.flush()
        line = self.process.stdout.readline()
        if not line:
            raise SystemExit("the original simulator ended; its message is above")
        return json.loads(line)

    def close(self):
        self.process.stdin.close()
        self.process.wait()


def children_time():
    """Processor seconds of the processes that were started here and have ended."""
    usage = resource.getrusage(resource.RUSAGE_CHILDREN)
    return usage.ru_utime + usage.ru_stime


def play_ours(park, folder, workload, jobs, episodes):
    """The same list on ours; the figures of one episode."""
    arrivals = folder / "arrivals.csv"
    arrivals.write_text("time_s,job\n" + "".join(f"0,{job}\n" for job in jobs), encoding="utf-8")
    setting = SETTING.format(arrivals=arrivals, workload=workload)
    before = children_time()
    done = subprocess.run(
        [park, "run", f"dag_scheduling({setting})", "--policy", "fair", "--episodes",
         str(episodes), "--quiet", "--json"], check=True, capture_output=True, text=True)
    spent_s = children_time() - before
    result = json.loads(done.stdout)["results"][0]
    return {"decisions": result["decisions"] / episodes, "events": result["events"] / episodes,
            "time_s": spent_s / episodes, "avg_jct_s": result["metrics"]["avg_jct_s"]["mean"]}


def rounds(arguments, park, folder):
    """Pairs (original, ours), one per round; the seeds are those of data that others published."""
    workload = folder / "decima.park"
    subprocess.run([park, "workload", "import-decima", arguments.path / "spark_env/tpch", "--out",
                    workload], check=True, stdout=subprocess.DEVNULL)
    original = Original(arguments.python, arguments.path)
    pairs = []
    for number in range(arguments.rounds):
        theirs = original.play(1000 + number)
        ours = play_ours(park, folder, workload, theirs["jobs"], arguments.episodes)
        theirs["time_s"] = theirs["reset_s"] + theirs["play_s"]
        pairs.append((theirs, ours))
        print(f"round {number + 1}: {theirs['time_s']:.3f} s and {ours['time_s']:.6f} s an episode",
              file=sys.stderr)
    original.close()
    return pairs


def interpreter(python):
    """What the original runs on."""
    code = "import platform, numpy; print(platform.python_version(), 'with numpy', numpy.__version__)"
    return subprocess.run([python, "-c", code], check=True, capture_output=True,
                          text=True).stdout.strip()


def summarise(pairs):
    """Figures out of the pairs."""
    found = []
    for what in ("decisions", "events"):
        theirs = [a[what] / a["time_s"] for a, _ in pairs]
        ours = [b[what] / b["time_s"] for _, b in pairs]
        found += [figures.figure(f"original: {what} per second", "1/s", theirs),
                  figures.figure(f"park: {what} per second", "1/s", ours)]
    found += [
        figures.figure("original: time of an episode", "s", [a["time_s"] for a, _ in pairs]),
        figures.figure("park: time of an episode", "s", [b["time_s"] for _, b in pairs]),
        figures.figure("original / park: time of an episode", "1",
                       [a["time_s"] / b["time_s"] for a, b in pairs],
                       "per round, then the median"),
        figures.figure("original / park: time without preparing the episode", "1",
                       [a["play_s"] / b["time_s"] for a, b in pairs],
                       "preparing left out of the original only"),
        figures.figure("park / original: average job completion time", "1",
                       [b["avg_jct_s"] / a["avg_jct_s"] for a, b in pairs],
                       "the same lists, other draws of the durations"),
    ]
    return found


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("path", type=Path, help="checkout of decima-sim")
    parser.add_argument("--rounds", type=int, default=15, help="(%(default)s)")
    parser.add_argument("--episodes", type=int, default=100,
                        help="of ours in a round (%(default)s)")
    parser.add_argument("--python", default="/usr/bin/python3",
                        help="interpreter with numpy and networkx (%(default)s)")
    parser.add_argument("--out", type=Path, default=figures.ROOT / "results/decima_speed.json")
    arguments = parser.parse_args()
    shown = figures.command({str(arguments.path): "PATH_TO_DECIMA_SIM"})
    arguments.path = arguments.path.resolve()
    park = figures.ROOT / "build/release/bin/park"
    for needed in (arguments.path / "spark_env/env.py", arguments.path / "spark_env/tpch/2g", park):
        if not needed.exists():
            print(f"skipped: {needed} is not there; see --help", file=sys.stderr)
            return SKIPPED
    with tempfile.TemporaryDirectory() as folder:
        pairs = rounds(arguments, park, Path(folder))
    figures.write(
        arguments.out, "Speed beside the original simulator of Decima",
        shown, summarise(pairs),
        [f"{arguments.rounds} rounds; in each the original plays one list of 20 jobs once and ours "
         f"plays the same list {arguments.episodes} times; single thread each, one at a time.",
         "Times are processor time. The time of an episode holds all of it: preparing the jobs, "
         "events, observations and the policy; for ours also its share of the program's start and of "
         "reading the workload.",
         f"The original runs on Python {interpreter(arguments.python)}. Jobs are those of `decima-tpch`."],
        page=Path(__file__).resolve().parent.name)
    return 0


if __name__ == "__main__":
    sys.exit(main())
