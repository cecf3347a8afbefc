# One Spark application: one unit of work of measure_tpch.py, which starts this file inside its
# virtual environment. Not meant to be started by hand.
"""Run TPC-H queries one after another on a stock Spark and leave an event log behind.

Every query is tagged with the local properties ``park.job`` (for example ``1g:6``; ``setup`` and
``warmup`` mark work that is not to be counted) and ``park.run`` (which repetition it is).
"""

import argparse
import json
import os
import sys
import threading
import time

SCHEMAS = {
    "lineitem": "l_orderkey bigint, l_partkey bigint, l_suppkey bigint, l_linenumber int,"
    " l_quantity decimal(15,2), l_extendedprice decimal(15,2), l_discount decimal(15,2),"
    " l_tax decimal(15,2), l_returnflag string, l_linestatus string, l_shipdate date,"
    " l_commitdate date, l_receiptdate date, l_shipinstruct string, l_shipmode string,"
    " l_comment string",
    "orders": "o_orderkey bigint, o_custkey bigint, o_orderstatus string,"
    " o_totalprice decimal(15,2), o_orderdate date, o_orderpriority string, o_clerk string,"
    " o_shippriority int, o_comment string",
    "partsupp": "ps_partkey bigint, ps_suppkey bigint, ps_availqty int,"
    " ps_supplycost decimal(15,2), ps_comment string",
    "customer": "c_custkey bigint, c_name string, c_address string, c_nationkey bigint,"
    " c_phone string, c_acctbal decimal(15,2), c_mktsegment string, c_comment string",
    "part": "p_partkey bigint, p_name string, p_mfgr string, p_brand string, p_type string,"
    " p_size int, p_container string, p_retailprice decimal(15,2), p_comment string",
    "supplier": "s_suppkey bigint, s_name string, s_address string, s_nationkey bigint,"
    " s_phone string, s_acctbal decimal(15,2), s_comment string",
    "nation": "n_nationkey bigint, n_name string, n_regionkey bigint, n_comment string",
    "region": "r_regionkey bigint, r_name string, r_comment string",
}


def say(*words):
    print(time.strftime("%H:%M:%S"), *words, file=sys.stderr, flush=True)


class Application:
    def __init__(self, arguments):
        from pyspark import SparkConf, SparkContext
        from pyspark.sql import SparkSession

        self.arguments = arguments
        conf = SparkConf(loadDefaults=False)
        for key, value in json.loads(arguments.conf).items():
            conf.set(key, value)
        self.context = SparkContext(conf=conf)
        self.context.setLogLevel("ERROR")
        self.session = SparkSession(self.context)
        self.tag("setup", 0)
        self.wait_for_executors(arguments.executors)

    def tag(self, job, run):
        self.context.setLocalProperty("park.job", job)
        self.context.setLocalProperty("park.run", str(run))

    def executor_ids(self):
        """Identifiers of the registered executors (the driver is not one of them)."""
        ids = self.context._jsc.sc().getExecutorIds()
        return sorted(ids.apply(i) for i in range(ids.size()))

    def wait_for_executors(self, number, limit=90.0):
        start = time.monotonic()
        while len(self.executor_ids()) != number:
            if time.monotonic() - start > limit:
                raise TimeoutError(f"{self.executor_ids()} executors, wanted {number}")
            time.sleep(0.2)

    def use(self, data):
        for table, schema in SCHEMAS.items():
            frame = self.session.read.schema(schema).parquet(os.path.join(data, table))
            frame.createOrReplaceTempView(table)

    def run(self, query, job, run):
        """Run one query to its end; cancel it at its deadline."""
        with open(os.path.join(self.arguments.queries, f"q{query}.sql")) as file:
            text = file.read()
        self.tag(job, run)
        expired = threading.Event()

        def cancel():
            expired.set()
            self.context.cancelAllJobs()

        timer = threading.Timer(self.arguments.deadline, cancel)
        timer.daemon = True
        timer.start()
        start = time.monotonic()
        try:
            self.session.sql(text).write.format("noop").mode("overwrite").save()
        except Exception:
            if expired.is_set():
                raise TimeoutError(f"query {query} ran past {self.arguments.deadline} s") from None
            raise
        finally:
            timer.cancel()
            self.tag("setup", 0)
        return time.monotonic() - start

    def warm_up(self):
        """All code paths, on little data, until the time for it is over (one pass at least)."""
        arguments = self.arguments
        start = time.monotonic()
        self.session.conf.set("spark.sql.shuffle.partitions", "8")
        self.use(arguments.warmup_data)
        passes = 0
        while passes < 4:
            for query in arguments.query_list:
                self.run(query, "warmup", passes)
                if passes >= 1 and time.monotonic() - start > arguments.warmup_seconds:
                    break
            else:
                passes += 1
                if time.monotonic() - start <= arguments.warmup_seconds:
                    continue
            break
        self.session.conf.unset("spark.sql.shuffle.partitions")
        say(f"  warm-up: {time.monotonic() - start:.0f} s, {passes} full passes")

    def measure(self):
        arguments = self.arguments
        self.warm_up()
        self.use(arguments.data)
        for query in arguments.query_list:
            seconds = self.run(query, f"{arguments.scale}g:{query}", arguments.repetition)
            say(f"  {arguments.scale}g:{query}: {seconds:.1f} s")

    def fixture(self):
        """One query: two runs on two executors, then two runs on the one that is left."""
        arguments = self.arguments
        (query,) = arguments.query_list
        job = f"{arguments.scale}g:{query}"
        self.use(arguments.data)
        # Driver and executors compile themselves for some 20 s; with it on the same cores, tasks
        # take twice as long. Each run adds some 40 kB to the log, which has a limit.
        for run in range(12):
            say(f"  warm-up: {self.run(query, 'warmup', run):.1f} s")
        time.sleep(5.0)
        for run in (1, 2):
            say(f"  {job} on 2 executors: {self.run(query, job, run):.1f} s")
        scheduler = self.context._jsc.sc()
        scheduler.killExecutor(self.executor_ids()[-1])
        self.wait_for_executors(1)
        time.sleep(3.0)
        self.wait_for_executors(1)
        for run in (3, 4):
            say(f"  {job} on 1 executor: {self.run(query, job, run):.1f} s")
        if len(self.executor_ids()) != 1:
            raise RuntimeError("the executor taken away came back")


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--conf", required=True)
    parser.add_argument("--kind", choices=("measure", "fixture"), required=True)
    parser.add_argument("--scale", type=int, required=True)
    parser.add_argument("--executors", type=int, required=True)
    parser.add_argument("--repetition", type=int, required=True)
    parser.add_argument("--only", required=True, help="query numbers, comma-separated")
    parser.add_argument("--queries", required=True)
    parser.add_argument("--data", required=True)
    parser.add_argument("--warmup-data", required=True)
    parser.add_argument("--warmup-seconds", type=float, required=True)
    parser.add_argument("--deadline", type=float, required=True)
    arguments = parser.parse_args()
    arguments.query_list = [int(word) for word in arguments.only.split(",")]
    application = Application(arguments)
    try:
        application.fixture() if arguments.kind == "fixture" else application.measure()
    finally:
        application.context.stop()


if __name__ == "__main__":
    main()
