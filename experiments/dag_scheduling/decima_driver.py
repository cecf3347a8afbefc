#!/usr/bin/env python3
"""Plays episodes on the original Python simulator of the Decima paper, for compare_decima.py.

    experiments/dag_scheduling/decima_driver.py PATH_TO_DECIMA_SIM [--executors 50] [--jobs 20]

Reads seeds from standard input, one per line, and plays one batch of jobs for each with the
simulator's own policy `dynamic_partition`. Prints one JSON object per seed: the jobs as
size:query in their order, decisions, events of the timeline, seconds of processor time for preparing
the episode and for playing it, and the average job completion time. Needs numpy and networkx.
"""

import argparse
import json
import sys
import time
from pathlib import Path


def load(path, executors, jobs):
    """The simulator and its policy; its parameters are read from the command line on import."""
    sys.argv = ["decima", "--exec_cap", str(executors), "--num_init_dags", str(jobs),
                "--num_stream_dags", "0", "--moving_delay", "2000", "--warmup_delay", "1000",
                "--job_folder", str(path / "spark_env" / "tpch") + "/"]
    sys.path.insert(0, str(path))
    from heuristic_agent import DynamicPartitionAgent
    from spark_env.env import Environment
    return Environment(), DynamicPartitionAgent()


def job_name(dag):
    """size:query of a job named tpch-SIZE-QUERY."""
    _, size, query = dag.name.split("-")
    return f"{size}:{query}"


def play(environment, agent, seed):
    """One episode; the figures of it."""
    # Task durations are drawn from numpy's global generator.
    sys.modules["numpy"].random.seed(seed)
    start = time.process_time()
    environment.seed(seed)
    environment.reset()
    ready = time.process_time()
    jobs = [job_name(dag) for dag in environment.job_dags]
    observation = environment.observe()
    decisions, done = 0, False
    while not done:
        stage, executors = agent.get_action(observation)
        observation, _, done = environment.step(stage, executors)
        decisions += 1
    end = time.process_time()
    finished = environment.finished_job_dags
    completion = [dag.completion_time - dag.start_time for dag in finished]
    return {"jobs": jobs, "decisions": decisions, "events": next(environment.timeline.counter),
            "reset_s": ready - start, "play_s": end - ready,
            "avg_jct_s": sum(completion) / len(completion) / 1000}


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("path", type=Path, help="checkout of decima-sim")
    parser.add_argument("--executors", type=int, default=50)
    parser.add_argument("--jobs", type=int, default=20)
    arguments = parser.parse_args()
    environment, agent = load(arguments.path.resolve(), arguments.executors, arguments.jobs)
    for line in sys.stdin:
        print(json.dumps(play(environment, agent, int(line))), flush=True)


if __name__ == "__main__":
    main()
