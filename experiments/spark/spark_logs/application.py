# One small Spark application: one log of record_spark_logs.py, which starts this file inside its
# virtual environment. Not meant to be started by hand.
"""Run jobs of one kind on a stock Spark, so that its event log holds the cases an importer meets."""

import argparse
import glob
import json
import os
import shutil
import threading
import time


class Application:
    def __init__(self, arguments):
        from pyspark import SparkConf, SparkContext
        from pyspark.sql import SparkSession

        self.arguments = arguments
        conf = SparkConf(loadDefaults=False)
        for key, value in json.loads(arguments.conf).items():
            conf.set(key, value)
        self.context = SparkContext(conf=conf)
        self.context.setLogLevel("OFF")
        self.session = SparkSession(self.context)

    def tag(self, job=None, run=None):
        self.context.setLocalProperty("park.job", job)
        self.context.setLocalProperty("park.run", run)

    def group(self, name):
        self.context.setLocalProperty("spark.jobGroup.id", name)

    def roll(self):
        """Begin the next file of a rolled log, as Spark does when one is full."""
        if self.arguments.rolled:
            time.sleep(1.0)  # the log's own thread is done with what was posted
            self.context._jsc.sc().eventLogger().get().logWriter().rollEventLogFile()

    def attempt(self, call):
        """What Spark reports of jobs that are meant to fail; the log has it too."""
        try:
            call()
        except Exception as error:
            return str(error).splitlines()[0][:120]
        raise RuntimeError("a job that had to fail did not")

    def later(self, seconds, call):
        timer = threading.Timer(seconds, call)
        timer.daemon = True
        timer.start()
        return timer

    def tables(self):
        facts = self.session.range(0, 2000, 1, 3).selectExpr("id", "id % 20 as k", "id * 0.5 as v")
        facts.createOrReplaceTempView("facts")
        names = self.session.range(0, 20, 1, 2).selectExpr("id as k", "id % 5 as name")
        names.createOrReplaceTempView("names")

    def query(self, text):
        self.session.sql(text).write.format("noop").mode("overwrite").save()

    def sql(self):
        """A broadcast join with a sort, two runs of a merge join, a query that fails."""
        self.tables()
        self.query("select name, sum(v) s from facts join names using (k) group by name order by s")
        self.roll()
        for number in ("1", "2"):
            self.tag("tagged", number)
            self.query("select /*+ merge(names) */ name, count(*) n from facts join names using (k)"
                       " group by name")  # fmt: skip
        self.tag()
        self.roll()
        self.attempt(lambda: self.query(
            "select sum(if(id = 1500, raise_error('no'), v)) from facts"))  # fmt: skip

    def classic(self):
        """A join with a sort, and a limit that takes several Spark jobs."""
        self.tables()
        self.query("select name, sum(v) s from facts join names using (k) group by name order by s")
        self.roll()
        self.session.sql("select k, v from facts where v > 900 limit 5").collect()

    def rdd(self):
        """Retries, a failed job, a cancelled one, skipped stages, lost shuffle files."""
        from pyspark import TaskContext

        context = self.context

        def keyed(rows):
            return ((row % 7, 1) for row in rows)

        def fails_once(index, rows):
            if index == 1 and TaskContext.get().attemptNumber() == 0:
                raise ValueError("the first attempt")
            return keyed(rows)

        def fails(rows):
            raise ValueError("every attempt")

        def sleeps(rows):
            time.sleep(60)
            return rows

        add = int.__add__
        self.group("words")
        counts = context.parallelize(range(700), 4).mapPartitions(keyed).reduceByKey(add, 3)
        counts.collect()
        counts.mapValues(str).count()  # its first stage is skipped
        self.group(None)
        context.parallelize(range(70), 3).mapPartitionsWithIndex(fails_once).count()
        self.roll()
        self.tag("failed", "1")
        self.attempt(context.parallelize(range(70), 2).mapPartitions(fails).count)
        self.tag("cancelled", "1")
        self.later(3.0, context.cancelAllJobs)
        self.attempt(context.parallelize(range(70), 2).mapPartitions(sleeps).count)
        self.roll()
        self.tag("lost", "1")
        local = self.arguments.local

        def loses_files(index, rows):
            rows = list(rows)
            if index == 0:
                for file in glob.glob(f"{local}/**/shuffle_*", recursive=True):
                    os.remove(file)
            return rows

        # The other two tasks cannot fetch; the first stage runs again, and then these two.
        counts = context.parallelize(range(900), 4).mapPartitions(keyed).reduceByKey(add, 3)
        counts.mapPartitionsWithIndex(loses_files).count()
        self.tag()

    def cluster(self):
        """Speculative copies, and an executor that goes with what it has computed."""
        context = self.context
        from pyspark import TaskContext

        deadline = time.monotonic() + 90
        while context._jsc.sc().getExecutorIds().size() < 2 and time.monotonic() < deadline:
            time.sleep(0.2)

        def straggles(index, rows):
            first = TaskContext.get().attemptNumber() == 0
            time.sleep(20 if index == 2 and first else 0.5)
            return rows

        def slow(rows):
            time.sleep(1.5)
            return ((row % 5, 1) for row in rows)

        def lose_one():
            """Once both executors have finished some tasks of the stage."""
            tracker = context.statusTracker()
            while True:
                stages = [tracker.getStageInfo(stage) for stage in tracker.getActiveStageIds()]
                if any(stage and stage.numCompletedTasks >= 4 for stage in stages):
                    return context._jsc.sc().killExecutor("1")
                time.sleep(0.1)

        context.parallelize(range(60), 6).count()
        self.tag("straggler", "1")
        context.parallelize(range(60), 6).mapPartitionsWithIndex(straggles).count()
        self.roll()
        self.tag("lost", "1")
        thread = threading.Thread(target=lose_one)
        thread.start()
        context.parallelize(range(60), 8).mapPartitions(slow).reduceByKey(int.__add__, 2).count()
        thread.join()
        self.tag()


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--conf", required=True)
    parser.add_argument("--kind", choices=("sql", "classic", "rdd", "cluster"), required=True)
    parser.add_argument("--local", required=True, help="Spark's local folder")
    parser.add_argument("--rolled", action="store_true")
    parser.add_argument("--snapshot", help="copy the log here before the application ends")
    arguments = parser.parse_args()
    application = Application(arguments)
    try:
        getattr(application, arguments.kind)()
        if arguments.snapshot:
            time.sleep(2.0)
            folder = json.loads(arguments.conf)["spark.eventLog.dir"].removeprefix("file:")
            shutil.copytree(folder, arguments.snapshot)
    finally:
        application.context.stop()


if __name__ == "__main__":
    main()
