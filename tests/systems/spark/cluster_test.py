#!/usr/bin/env python3
"""Queries on a real cluster, with and without an agent; the agent, executors and workers fail.

    tests/systems/spark/cluster_test.py PARK LINE [UNITTEST_OPTION...]

77 where there is no Spark; scripts/spark.sh sets it up.
"""

import hashlib
import json
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))
import event_log  # noqa: E402
import summary_line  # noqa: E402
from cluster import Child, Cluster, executors_of  # noqa: E402
from garbage import FIGURES, Garbage  # noqa: E402

ROOT = Path(__file__).resolve().parents[3]
BUILD = ROOT / "build/spark"
TPCH = BUILD / "tpch"
PLUGIN = "park.spark.ParkPlugin"
FEW = (3, 6, 12, 14)
ALL = range(1, 23)
LIMIT_S = 1800
# One task of it is far slower than the others.
SLOW = """select max(coalesce(slept, '')) is not null from (
  select reflect('java.lang.Thread', 'sleep', if(id = 0, 30000L, 1L)) as slept
  from range(0, 6, 1, 6))"""
SLEPT = hashlib.sha256(b"[true]\n").hexdigest()  # what it gives
SHORT = {"spark.park.decision.timeout": "100ms"}


class Agent:
    """`park`, which takes decisions for some applications."""

    def __init__(self, park, folder, policy="fair", applications=1, endpoint=None, share=0):
        self.folder = Path(tempfile.mkdtemp(dir=folder))
        self.file = endpoint or self.folder / "endpoint"
        self.child = Child(
            "agent", [park, "spark", "attach", "--policy", policy, "--endpoint",
                      "tcp://127.0.0.1:*", "--endpoint-file", self.file, "--applications",
                      applications, "--share", share, "--json"], self.folder)  # fmt: skip
        until = time.monotonic() + 30
        while not self.file.exists():
            if self.child.process.poll() is not None or time.monotonic() > until:
                raise AssertionError(self.child.text())
            time.sleep(0.02)

    @property
    def endpoint(self):
        return json.loads(self.file.read_text())["endpoint"]

    def result(self, limit=30):
        if self.child.wait(limit) != 0:
            raise AssertionError(self.child.text())
        text = self.child.text()
        return json.loads(text[text.index("{"):])["results"][0]

    def close(self):
        self.child.kill()


class ClusterCase(unittest.TestCase):
    park, line, queries = None, "4", FEW
    known = {}  # digests of what queries give without an agent, of all cases

    @classmethod
    def setUpClass(cls):
        cls.scratch = tempfile.TemporaryDirectory(prefix="park-spark-")
        cls.folder = Path(cls.scratch.name)
        cls.cluster = cls.make_cluster()
        if unknown := [query for query in cls.queries if f"q{query}" not in cls.known]:
            jobs = cls.run_queries("plain", unknown)
            cls.known.update((job["job"], job["digest"]) for job in jobs)
        cls.plain = {f"q{query}": cls.known[f"q{query}"] for query in cls.queries}

    @classmethod
    def make_cluster(cls):
        return Cluster(BUILD / f"spark-{cls.line}", cls.folder)

    @classmethod
    def tearDownClass(cls):
        cls.cluster.close()
        cls.scratch.cleanup()

    @classmethod
    def start_queries(cls, name, queries, agent=None, conf=None, texts=TPCH / "queries", gap_s=0,
                      warm=(), **keywords):  # fmt: skip
        """gap_s: time from one arrival to the next; none: each comes when the one before has
        ended. `warm` come before all, and are no jobs."""
        arrivals = cls.folder / f"{name}.csv"
        times = ["after" if gap_s is None else i * gap_s for i in range(len(queries))]
        arrivals.write_text(
            "time_s,job\n" + "".join(f"-1,q{q}\n" for q in warm)
            + "".join(f"{t},q{q}\n" for t, q in zip(times, queries)))
        settings = dict(conf or {})
        jar = BUILD / f"park-spark-{cls.line}.jar"
        if agent:
            where = agent if isinstance(agent, str) else agent.file
            settings |= {"spark.plugins": PLUGIN, "spark.park.agent": str(where)}
            settings.setdefault("spark.park.decision.timeout", "10s")  # a busy machine is no miss
        return cls.cluster.submit(
            name, jar, "park.spark.Workload", TPCH / "sf0.01", texts, arrivals,
            cls.folder / f"{name}.json", conf=settings, **keywords)  # fmt: skip

    @classmethod
    def finish_queries(cls, name, driver):
        status = driver.wait(LIMIT_S)
        if status != 0:
            raise AssertionError(f"{name} ended with {status}:\n{driver.text()[-6000:]}")
        return json.loads((cls.folder / f"{name}.json").read_text())["jobs"]

    @classmethod
    def run_queries(cls, name, queries, agent=None, conf=None, **keywords):
        return cls.finish_queries(name, cls.start_queries(name, queries, agent, conf, **keywords))

    @classmethod
    def run_logged(cls, name, queries, agent, conf=None, **keywords):
        """The jobs, and the event log."""
        logs = cls.folder / f"{name}.events"
        jobs = cls.run_queries(
            name, queries, agent, event_log.settings(logs) | (conf or {}), **keywords)  # fmt: skip
        return jobs, event_log.EventLog(next(logs.iterdir()))

    def check_results(self, jobs, queries, what=None):
        """Each run of each query, in the order of their arrivals, gave what it gives without an
        agent: those that a fault met are not those that came after it."""
        expected = [(f"q{query}", self.plain[f"q{query}"]) for query in queries]
        self.assertEqual([(job["job"], job["digest"]) for job in jobs], expected, what)

    def agent(self, **keywords):
        agent = Agent(self.park, self.folder, **keywords)
        self.addCleanup(agent.close)
        return agent

    def lose_a_worker(self):
        """The one that is there for the longest time; another one takes its place."""
        worker = self.cluster.workers.pop(0)
        for executor in executors_of(worker):
            os.kill(executor, signal.SIGKILL)
        worker.kill()
        self.cluster.add_worker()

    def counts(self, name):
        text = self.cluster.named[name].text()
        found = summary_line.counts(text)
        self.assertIsNotNone(found, text[-4000:])
        return found


class AgentTest(ClusterCase):
    """An agent decides, and changes no result."""

    def test_a_tree_decides_and_the_results_are_the_same(self):
        tree = self.folder / "my.tree"
        subprocess.run(
            [self.park, "distill", "dag_scheduling(executors=2,jobs=6)", "--teacher", "fair",
             "--leaves", "12", "--rounds", "1", "--episodes", "4", "--validation-episodes", "1",
             "--out", tree], check=True, capture_output=True)  # fmt: skip
        agent = self.agent(policy=f'tree(file="{tree}")')
        jobs, log = self.run_logged("tree", self.queries, agent)
        self.check_results(jobs, self.queries)
        result = agent.result()
        counts = self.counts("tree")
        self.assertGreater(counts.by_agent, 10)
        self.assertEqual(counts[1:], (0, 0, 0, 0))
        self.assertEqual(result["metrics"]["jobs_done"]["mean"], len(self.queries))
        by_log = sum(query.took_s for query in log.queries)
        by_rewards = -result["metrics"]["reward"]["mean"]
        print(f"integral: {by_log:.3f} s by the log, {by_rewards:.3f} s by the rewards")
        self.assertAlmostEqual(by_rewards / by_log, 1, delta=0.01)


class ResultsTest(AgentTest):
    """The same for all queries."""

    queries = ALL


class LearnTest(ClusterCase):
    """From the event log of a user's own jobs to a policy that was trained on them, attached."""

    def run_park(self, *words):
        done = subprocess.run([self.park, *map(str, words)], capture_output=True, text=True)
        self.assertEqual(done.returncode, 0, done.stderr)
        return done.stdout

    def test_from_an_event_log_to_the_policy_that_was_trained_on_it(self):
        logs = self.folder / "events"
        logs.mkdir()
        # Whatever form this Spark gives its logs.
        self.run_queries("recorded", self.queries, conf={
            "spark.eventLog.enabled": "true", "spark.eventLog.dir": f"file:{logs}"})  # fmt: skip
        jobs, mine = self.folder / "jobs.park", self.folder / "mine"
        self.run_park("workload", "import-spark", *logs.iterdir(), "--out", jobs)
        shown = json.loads(self.run_park("workload", "describe", jobs, "--json"))
        print(shown)
        env = (f'dag_scheduling(workload="{jobs}",executors=2,jobs={len(self.queries)},'
               "moving_delay_s=0)")  # fmt: skip
        self.run_park("train", env, "--algo", "ppo(sequences=2,rollouts=2)", "--iterations", 2,
                      "--validation-episodes", 2, "--out", mine)  # fmt: skip
        agent = self.agent(policy=str(mine))
        results = self.run_queries("learned", self.queries, agent)
        self.check_results(results, self.queries)
        self.assertGreater(agent.result()["decisions"], 10)
        self.assertEqual(self.counts("learned").by_spark, 0)


class KillTest(ClusterCase):
    """The faults in short: one application loses its agent, an executor and a worker."""

    def test_an_application_loses_its_agent_an_executor_and_a_worker(self):
        first = self.agent()
        logs = self.folder / "kills.events"
        # On any machine it lasts longer than an agent takes to start.
        driver = self.start_queries("kills", FEW * 4, first, SHORT | event_log.settings(logs), gap_s=3)
        driver.wait_for("the agent decides")
        first.close()
        driver.wait_for("Spark's own order decides")
        second = self.agent(endpoint=first.file)
        driver.wait_for("(?s)Spark's own order decides.*the agent decides", LIMIT_S)
        os.kill(executors_of(self.cluster.workers[0])[0], signal.SIGKILL)
        driver.wait_for("(?s)the agent decides.*Lost executor", LIMIT_S)
        self.lose_a_worker()
        self.assertIsNone(driver.process.poll(), "it ended before all was lost")
        self.check_results(self.finish_queries("kills", driver), FEW * 4)
        lost = event_log.EventLog(next(logs.iterdir())).lost
        print(f"{len(lost)} executors lost: {lost}")
        self.assertGreaterEqual(len(lost), 2)
        self.assertGreater(second.result()["decisions"], 0)


class DynamicTest(ClusterCase):
    """Spark's dynamic allocation: executors go where nothing is to do, and come back."""

    def test_executors_come_and_go_under_an_agent(self):
        agent = self.agent()
        logs = self.folder / "dynamic.events"
        jobs = self.finish_queries("dynamic", self.start_queries(
            "dynamic", FEW, agent, event_log.settings(logs) | {
                "spark.dynamicAllocation.enabled": "true",
                "spark.dynamicAllocation.shuffleTracking.enabled": "true",
                # Else what a stage has made keeps its executor.
                "spark.dynamicAllocation.shuffleTracking.timeout": "2s",
                "spark.dynamicAllocation.minExecutors": "0",
                "spark.dynamicAllocation.executorIdleTimeout": "2s",
                "spark.dynamicAllocation.cachedExecutorIdleTimeout": "2s",
            }, gap_s=40))  # fmt: skip
        self.check_results(jobs, FEW)
        lost = event_log.EventLog(next(logs.iterdir())).lost
        print(f"{len(lost)} executors went: {lost}; {self.counts('dynamic')}")
        self.assertNotEqual(lost, [])
        self.assertGreater(self.counts("dynamic").by_agent, 0)
        self.assertEqual(agent.result()["metrics"]["jobs_done"]["mean"], len(FEW))

    def test_executors_come_and_go_by_the_policy(self):
        agent = self.agent()
        logs = self.folder / "sized.events"
        jobs = self.finish_queries("sized", self.start_queries(
            "sized", FEW, agent, event_log.settings(logs) | {
                "spark.park.executors": "policy", "spark.park.executors.idle": "2s",
                "spark.dynamicAllocation.maxExecutors": "2",
            }, gap_s=40))  # fmt: skip
        self.check_results(jobs, FEW)
        lost = event_log.EventLog(next(logs.iterdir())).lost
        print(f"{len(lost)} executors went: {lost}; {self.counts('sized')}")
        self.assertNotEqual(lost, [])
        self.assertIn("executors are needed", self.cluster.named["sized"].text())
        self.assertEqual(agent.result()["metrics"]["jobs_done"]["mean"], len(FEW))


class SharingTest(ClusterCase):
    """One agent shares both executors of the cluster over two applications."""

    @classmethod
    def setUpClass(cls):
        """q1 has tasks that sleep, so that it lasts on any machine."""
        super().setUpClass()
        cls.plain["q1"] = SLEPT
        cls.texts = cls.folder / "texts"
        shutil.copytree(TPCH / "queries", cls.texts)
        (cls.texts / "q1.sql").write_text(SLOW.replace("if(id = 0, 30000L, 1L)", "2000L"))

    def start_sharing(self, name, queries, agent, conf=None, **keywords):
        """One after the other."""
        settings = {"spark.park.executors": "shared", "spark.park.executors.idle": "2s"}
        settings |= event_log.settings(self.folder / f"{name}.events")
        return self.start_queries(
            name, queries, agent, settings | (conf or {}), texts=self.texts, gap_s=None,
            **keywords)  # fmt: skip

    def log_of(self, name):
        return event_log.EventLog(next((self.folder / f"{name}.events").iterdir()))

    def test_an_executor_moves_to_the_application_that_comes(self):
        agent = self.agent(share=2)  # to which both are one cluster
        stays = self.start_sharing("stays", FEW + 8 * (1,), agent)
        stays.wait_for("(?s)(Granted executor.*?){2}", LIMIT_S)
        comes = self.start_sharing("comes", FEW + 2 * (1,), agent)
        self.check_results(self.finish_queries("stays", stays), FEW + 8 * (1,))
        self.check_results(self.finish_queries("comes", comes), FEW + 2 * (1,))
        stays, comes = self.log_of("stays"), self.log_of("comes")
        print(f"executors from, to: {stays.spans}, {comes.spans}")
        moved_s = min(begin for begin, _ in comes.spans.values())
        before = [begin for begin, _ in stays.spans.values() if begin < moved_s]
        self.assertEqual(max(map(stays.executors_at, before)), 2)
        self.assertEqual((stays.executors_at(moved_s), comes.executors_at(moved_s)), (1, 1))
        self.assertTrue(any("decommission" in reason.lower() for reason in stays.lost), stays.lost)
        for name in ("stays", "comes"):
            self.assertGreater(self.counts(name).by_agent, 10)
            self.assertEqual(self.counts(name).by_spark, 0)
        jobs = agent.result()["metrics"]["jobs_done"]["mean"]
        self.assertEqual(jobs, 2 * len(FEW) + 8 + 2)

    def test_both_go_on_without_the_agent(self):
        agent = self.agent(share=2)
        queries = FEW + 3 * (1,)
        drivers = {name: self.start_sharing(name, queries, agent, SHORT)
                   for name in ("one", "other")}  # fmt: skip
        for driver in drivers.values():
            driver.wait_for("Granted executor", LIMIT_S)
        agent.child.send(signal.SIGKILL)
        for driver in drivers.values():
            driver.wait_for("the agent is silent; the application asks for all", LIMIT_S)
        for name, driver in drivers.items():
            self.check_results(self.finish_queries(name, driver), queries, name)

    def test_an_agent_that_shares_none_leaves_the_application_all(self):
        agent = self.agent()
        driver = self.start_sharing("alone", FEW + (1,), agent)
        self.check_results(self.finish_queries("alone", driver), FEW + (1,))
        self.assertIn("the agent shares no executors; the application asks for all", driver.text())
        self.assertEqual(agent.result()["metrics"]["jobs_done"]["mean"], len(FEW) + 1)

    def test_work_that_is_no_job_has_an_executor_and_an_agent_comes_back(self):
        first = self.agent(share=2)
        driver = self.start_sharing("warm", FEW + 3 * (1,), first, SHORT, warm=(6,))
        driver.wait_for("Granted executor", LIMIT_S)  # the agent knows of no job so far
        driver.wait_for("Park: 2 executors are needed", LIMIT_S)
        first.close()
        driver.wait_for("the agent is silent; the application asks for all", LIMIT_S)
        second = self.agent(endpoint=first.file, share=2)
        driver.wait_for("the agent shares the executors again", LIMIT_S)
        self.check_results(self.finish_queries("warm", driver), FEW + 3 * (1,))
        self.assertGreater(second.result()["decisions"], 0)


class FaultTest(ClusterCase):
    def test_the_agent_dies_and_another_one_takes_over(self):
        first = self.agent()
        driver = self.start_queries("dies", FEW * 2, first, SHORT)
        driver.wait_for("the agent decides")
        first.close()
        driver.wait_for("Spark's own order decides")
        second = self.agent(endpoint=first.file)
        driver.wait_for("(?s)Spark's own order decides.*the agent decides", LIMIT_S)
        self.check_results(self.finish_queries("dies", driver), FEW * 2)
        self.assertGreater(second.result()["decisions"], 0)

    def test_a_stopped_agent_costs_its_timeouts_and_comes_back(self):
        agent = self.agent()
        driver = self.start_queries("stops", FEW * 2, agent, SHORT)
        driver.wait_for("the agent decides")
        agent.child.send(signal.SIGSTOP)
        driver.wait_for("Spark's own order decides")
        agent.child.send(signal.SIGCONT)
        driver.wait_for("(?s)Spark's own order decides.*the agent decides", LIMIT_S)
        self.check_results(self.finish_queries("stops", driver), FEW * 2)
        result = agent.result()
        self.assertGreater(result["decisions"], 0)
        self.assertEqual(result["metrics"]["jobs_done"]["mean"], 2 * len(FEW))

    def test_an_executor_dies(self):
        agent = self.agent()
        driver = self.start_queries("executor", FEW, agent)
        driver.wait_for("the agent decides")
        victim = executors_of(self.cluster.workers[0])[0]
        os.kill(victim, signal.SIGKILL)
        self.check_results(self.finish_queries("executor", driver), FEW)
        self.assertEqual(agent.result()["metrics"]["jobs_done"]["mean"], len(FEW))

    def test_a_worker_dies_with_what_its_tasks_had_made(self):
        agent = self.agent()
        logs = self.folder / "worker.events"
        driver = self.start_queries("worker", FEW * 2, agent, event_log.settings(logs))
        for stages in (1, 4, 7):  # what a stage has made may have been read by then
            driver.wait_for(rf"(?s)(ShuffleMapStage \d+ [^\n]* finished.*?){{{stages}}}", LIMIT_S)
            self.lose_a_worker()
        self.check_results(self.finish_queries("worker", driver), FEW * 2)
        again = event_log.EventLog(next(logs.iterdir())).again
        print(f"stages (id, attempt) whose output was lost and made again: {again}")
        self.assertNotEqual(again, [])
        self.assertEqual(agent.result()["metrics"]["jobs_done"]["mean"], 2 * len(FEW))

    def test_what_the_agent_says_arrives_spoilt(self):
        agent = self.agent(applications=10000)  # each session that breaks off ends one
        garbage = Garbage(agent.endpoint)
        self.addCleanup(garbage.close)
        jobs = self.run_queries("garbage", FEW * 2, garbage.endpoint, SHORT)
        self.check_results(jobs, FEW * 2)
        counts = self.counts("garbage")
        print(f"{garbage.spoilt} answers spoilt, {counts}")
        self.assertGreater(garbage.spoilt, 0)
        self.assertGreater(counts.by_agent, 0)
        self.assertGreater(counts.by_spark, 0)

    def test_what_the_agent_gives_is_of_no_use(self):
        agent = self.agent(policy="fifo")
        garbage = Garbage(agent.endpoint, kinds=(FIGURES,), part=1)
        self.addCleanup(garbage.close)
        jobs = self.run_queries("useless", FEW, garbage.endpoint)
        self.check_results(jobs, FEW)
        counts = self.counts("useless")
        print(f"{garbage.spoilt} answers spoilt, {counts}")
        self.assertGreater(counts.useless, 0)
        self.assertGreater(counts.stuck, 0)

    def test_copies_of_slow_tasks(self):
        slow = self.folder / "slow"
        slow.mkdir()
        (slow / "q1.sql").write_text(SLOW)
        agent = self.agent()
        jobs, log = self.run_logged("copies", (1,), agent, {
            "spark.speculation": "true", "spark.speculation.quantile": "0.1",
            "spark.speculation.multiplier": "1.01", "spark.speculation.interval": "10ms",
            "spark.speculation.minTaskRuntime": "0ms",
            # A copy needs the other executor.
            "spark.cores.max": "2", "spark.scheduler.minRegisteredResourcesRatio": "1.0",
            "spark.scheduler.maxRegisteredResourcesWaitingTime": "600s",
        }, texts=slow)  # fmt: skip
        self.assertEqual([job["digest"] for job in jobs], [SLEPT])
        print(f"{log.copies} copies")
        self.assertGreater(log.copies, 0)
        self.assertEqual(agent.result()["metrics"]["jobs_done"]["mean"], 1)

    def test_two_applications_have_one_agent(self):
        """Of which one is attached by the master's URL and the environment."""
        agent = self.agent(applications=2)
        half = {"spark.cores.max": "1", "spark.park.decision.timeout": "10s"}
        one = self.start_queries("one", FEW, agent, half)
        two = self.start_queries("two", FEW, conf=half, url=self.cluster.url.replace(
            "spark://", "spark+park://"), variables={"PARK_AGENT": str(agent.file)})  # fmt: skip
        for name, driver in (("one", one), ("two", two)):
            self.check_results(self.finish_queries(name, driver), FEW, name)
            self.assertGreater(self.counts(name).by_agent, 10)
        self.assertEqual(agent.result()["metrics"]["jobs_done"]["mean"], len(FEW))


def skip_without_spark(line):
    for needed in (BUILD / f"park-spark-{line}.jar", BUILD / f"spark-{line}/complete",
                   TPCH / "sf0.01"):  # fmt: skip
        if not needed.exists():
            print(f"skipped: {needed.relative_to(ROOT)} is not there; "
                  f"scripts/spark.sh {line} tpch makes it")
            sys.exit(77)


def main():
    if len(sys.argv) < 3:
        sys.exit(__doc__)
    ClusterCase.park, ClusterCase.line = os.path.abspath(sys.argv[1]), sys.argv[2]
    skip_without_spark(ClusterCase.line)
    unittest.main(argv=[sys.argv[0], *sys.argv[3:]])


if __name__ == "__main__":
    main()
