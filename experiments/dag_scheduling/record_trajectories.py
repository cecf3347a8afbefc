#!/usr/bin/env python3
"""Plays whole episodes on the original simulator of the Decima paper, and writes what the test
decima_trajectories_test expects of ours.

    experiments/dag_scheduling/record_trajectories.py PATH_TO_DECIMA_SIM            writes the file
    experiments/dag_scheduling/record_trajectories.py PATH_TO_DECIMA_SIM --check    compares with it

The jobs are those of the test (class Lcg and function job there): a task takes a fixed time per wave,
so that nothing is left to chance. Ten executors, moving delay 2000 ms, warm-up 1000 ms. The agents for
fifo and fair are those of the original; the other policies are written here from their definitions in
park/envs/dag_scheduling/policies.cc. PATH is a checkout of hongzimao/decima-sim at commit c010dd7. Needs
numpy and networkx.
"""

import argparse
import math
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
FILE = ROOT / "tests/envs/dag_scheduling/decima_trajectories.csv"
COMMAND = "experiments/dag_scheduling/record_trajectories.py PATH_TO_DECIMA_SIM"
EXECUTORS = 10
LEVEL = 5  # executors at which durations are known


class Lcg:
    """The generator of the test."""

    def __init__(self, seed):
        self.state = seed

    def below(self, n):
        self.state = (self.state * 1103515245 + 12345) % 2147483648
        return (self.state >> 16) % n


def batch():
    return 1, [0] * 10


def stream():
    """Three at once, then seventeen one by one."""
    draw, times = Lcg(77), [0, 0, 0]
    for _ in range(17):
        times.append(times[-1] + 1 + draw.below(6000))
    return 101, times


ARRIVALS = {"batch": batch, "stream": stream}


class Original:
    """The modules of the simulator, whose parameters are read from the command line on import."""

    def __init__(self, path):
        sys.argv = ["decima", "--exec_cap", str(EXECUTORS), "--moving_delay", "2000",
                    "--warmup_delay", "1000"]
        sys.path.insert(0, str(path))
        import numpy
        from heuristic_agent import DynamicPartitionAgent
        from spark_agent import SparkAgent
        from spark_env import env, job_dag, job_generator, node, task
        from utils import OrderedSet
        self.numpy, self.env, self.job_generator = numpy, env, job_generator
        self.Job, self.Node, self.Task, self.OrderedSet = job_dag.JobDAG, node.Node, task.Task, OrderedSet
        self.agents = {"fifo": lambda: SparkAgent(exec_cap=EXECUTORS), "fair": DynamicPartitionAgent}

    def job(self, number, wall_time, np_random):
        """As `job` of the test makes it."""
        draw = Lcg(number)
        count = 1 + draw.below(8)
        nodes, edges = [], self.numpy.zeros((count, count))
        for s in range(count):
            for p in range(s):
                edges[p, s] = draw.below(3) == 0
            tasks = 1 + draw.below(40)
            ms = 100 + draw.below(2000)
            waves = {"first_wave": {LEVEL: [ms + 300]}, "rest_wave": {LEVEL: [ms]},
                     "fresh_durations": {LEVEL: [ms + 700] if s % 2 == 1 else []}}
            known = [d for wave in waves.values() for d in wave[LEVEL]]
            rough = sum(known) / len(known)
            nodes.append(self.Node(s, [self.Task(i, rough, wall_time) for i in range(tasks)], waves, wall_time,
                                   np_random))
            nodes[s].mean_ms = rough
        for p in range(count):
            for s in range(count):
                if edges[p, s]:
                    nodes[p].child_nodes.append(nodes[s])
                    nodes[s].parent_nodes.append(nodes[p])
        for node in nodes:
            if not node.parent_nodes:
                node.descendant_nodes = self.job_generator.recursive_find_descendant(node)
        return self.Job(nodes, edges, f"job{number}")

    def play(self, arrivals, agent):
        """The sum of the completion times and the end of the last job, in milliseconds."""
        first, times = arrivals

        def generate(np_random, timeline, wall_time):
            present = self.OrderedSet()
            for i, time in enumerate(times):
                dag = self.job(first + i, wall_time, np_random)
                dag.start_time = time
                if time == 0:
                    dag.arrived = True
                    present.add(dag)
                else:
                    timeline.push(time, dag)
            return present

        self.env.generate_jobs = generate
        environment = self.env.Environment()
        environment.seed(1)
        environment.reset()
        observation, done = environment.observe(), False
        while not done:
            observation, _, done = environment.step(*agent.get_action(observation))
        finished = list(environment.finished_job_dags)
        assert len(finished) == len(times)
        return (round(sum(dag.completion_time - dag.start_time for dag in finished)),
                round(max(dag.completion_time for dag in finished)))


class View:
    """An observation of the original in the terms of ClusterView."""

    def __init__(self, observation):
        (self.jobs, source, self.executors, frontier, _, self.commit, self.moving, _) = observation
        self.source = source if source in self.jobs else None  # its last task may just have ended
        self.legal = list(frontier)
        self.live = [job for job in self.jobs if any(self.demand(node) > 0 for node in job.nodes)]
        self.committed = {}
        for source, targets in self.commit.commit.items():
            own = getattr(source, "job_dag", source)
            for node, amount in targets.items():
                if node is not None and node.job_dag != own:
                    self.committed[node.job_dag] = self.committed.get(node.job_dag, 0) + amount

    def demand(self, node):
        return node.num_tasks - node.next_task_idx - self.commit.node_commit[node] - self.moving.count(node)

    def held(self, job):
        moving = sum(node.job_dag == job for node in self.moving.moving_executors.values())
        return len(job.executors) + moving + self.committed.get(job, 0)

    def kept(self, job):
        return self.held(job) - (self.executors if job == self.source else 0)

    @staticmethod
    def work(job):
        return sum(node.num_tasks * node.mean_ms for node in job.nodes) / 1000

    @staticmethod
    def work_left(job):
        return sum((node.num_tasks - node.next_task_idx) * node.mean_ms for node in job.nodes) / 1000

    def critical_path(self, node):
        below = max((self.critical_path(child) for child in node.child_nodes), default=0)
        return node.num_tasks * node.mean_ms / 1000 + below

    def pick(self, job, key=lambda node: 0):
        """The legal stage with the smallest key, runnable ones first."""
        found = [node for node in self.legal if job in (None, node.job_dag)]
        return min(found, key=lambda node: (node not in node.job_dag.frontier_nodes, key(node)), default=None)

    def pick_critical(self, job):
        return self.pick(job, lambda node: -self.critical_path(node))

    def give(self, node, room=math.inf):
        return node, int(min(self.demand(node), room, self.executors))

    def first(self, jobs, key, pick, room=lambda job: math.inf):
        """What the first job by the key gets that has room and a legal stage."""
        for job in sorted(jobs, key=key):  # stable: ties by arrival
            if room(job) > 0 and (node := pick(job)) is not None:
                return self.give(node, room(job))
        return None


class Policy:
    """A transcription; `decide` answers a View, or nothing."""

    def get_action(self, observation):
        view = View(observation)
        made = self.decide(view)
        if made is None and view.legal:
            made = view.give(view.pick(None))
        return made or (None, view.executors)


class SjfCp(Policy):
    def decide(self, view):
        return view.first(view.live, view.work, view.pick_critical)


class WeightedFair(Policy):
    def __init__(self, alpha):
        self.alpha = alpha

    def decide(self, view):
        weights = {job: view.work(job) ** self.alpha for job in view.live}
        unit = EXECUTORS / sum(weights.values()) * (1 - 1e-12) if weights else 0
        share = {job: math.ceil(unit * weights.get(job, 0)) for job in view.jobs}
        if view.source is not None and view.held(view.source) <= share[view.source]:
            if (node := view.pick(view.source)) is not None:
                return view.give(node)
        below = [job for job in view.jobs if share[job] > 0]
        return (view.first(below, lambda job: view.held(job) / share[job], view.pick,
                           lambda job: share[job] - view.kept(job))
                or view.first(view.live, view.work, view.pick))


class SrptCapped(Policy):
    C, S, SCALE_S = 8, 0.9, 500

    def cap(self, view, job):
        return max(1, math.ceil(self.C * (view.work(job) / self.SCALE_S) ** self.S))

    def decide(self, view):
        own = view.pick_critical(view.source) if view.source is not None else None
        if own is not None and view.held(view.source) <= self.cap(view, view.source):
            return view.give(own)
        return (view.first(view.live, view.work_left, view.pick_critical,
                           lambda job: self.cap(view, job) - view.kept(job))
                or (view.give(own) if own is not None else None)
                or view.first(view.live, view.work_left, view.pick_critical))


def rows(original):
    """Episode, policy as ours is called, sum and end in milliseconds."""
    players = {
        "fifo": original.agents["fifo"], "fair": original.agents["fair"], "sjf_cp": SjfCp,
        "weighted_fair": lambda: WeightedFair(-1), "naive_weighted_fair": lambda: WeightedFair(1),
        "srpt_capped": SrptCapped}
    for episode, arrivals in ARRIVALS.items():
        for policy, make in players.items():
            # The count of the original's own agent never goes down, which shows where jobs go on coming.
            name = "fifo(compat=true)" if (episode, policy) == ("stream", "fifo") else policy
            yield [episode, name, *map(str, original.play(arrivals(), make()))]


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("path", type=Path, help="checkout of decima-sim")
    parser.add_argument("--check", action="store_true", help="write nothing")
    arguments = parser.parse_args()
    if not (arguments.path / "spark_env/env.py").exists():
        parser.error(f"{arguments.path}: there is no spark_env/env.py")
    lines = [f"# Recorded by {COMMAND}", "episode,policy,sum_ms,end_ms"]
    lines += [",".join(row) for row in rows(Original(arguments.path.resolve()))]
    text = "\n".join(lines) + "\n"
    if not arguments.check:
        FILE.write_text(text, encoding="utf-8")
        return 0
    there = FILE.read_text(encoding="utf-8")
    for old, new in zip(there.splitlines(), lines):
        if old != new:
            print(f"recorded {old}, the original gives {new}")
    print("the same" if text == there else "not the same")
    return int(text != there)


if __name__ == "__main__":
    sys.exit(main())
