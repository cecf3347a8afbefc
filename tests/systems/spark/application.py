"""An application in Python, as a user writes it: tests/systems/spark/pyspark_test.py runs it."""

import sys

from pyspark.sql import SparkSession

master, jar, agent = sys.argv[1:]
builder = SparkSession.builder.master(master).appName("python").config("spark.jars", jar)
builder = builder.config("spark.plugins", "park.spark.ParkPlugin")
builder = builder.config("spark.park.agent", agent).config("spark.executor.cores", "1")
builder = builder.config("spark.executor.memory", "512m").config("spark.ui.enabled", "false")
builder = builder.config("spark.driver.host", "127.0.0.1")
builder = builder.config("spark.park.decision.timeout", "10s")  # a busy machine is no miss
spark = builder.config("spark.sql.shuffle.partitions", "4").getOrCreate()
rows = spark.range(0, 1000, 1, 6).selectExpr("id % 7 as k", "id as v").groupBy("k").sum("v")
print("sum", sum(row["sum(v)"] for row in rows.collect()), flush=True)
print("squares", spark.sparkContext.parallelize(range(10), 3).map(lambda x: x * x).sum(), flush=True)
spark.stop()
