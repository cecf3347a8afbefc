"""A client of Spark Connect, as a user writes it: tests/systems/spark/connect_test.py runs it."""

import sys

from pyspark.sql import SparkSession

url, tag, queries = sys.argv[1], sys.argv[2], int(sys.argv[3])
spark = SparkSession.builder.remote(url).getOrCreate()
spark.addTag(tag)
for i in range(queries):
    rows = spark.range(0, 1000 * (i + 1), 1, 6).selectExpr("id % 7 as k", "id as v")
    print("sum", sum(row[1] for row in rows.groupBy("k").sum("v").collect()), flush=True)
spark.stop()
