package org.apache.spark.scheduler.park

import java.util.concurrent.{Callable, Executors, TimeUnit}

import org.junit.jupiter.api.Assertions.{assertEquals, assertTrue}
import org.junit.jupiter.api.{AfterEach, Test}

import org.apache.spark.{SparkConf, SparkContext}
import org.apache.spark.sql.SparkSession

/** Small applications on local[2], with and without an agent. */
class LocalSparkTest {
  private var session: SparkSession = _

  @AfterEach def end(): Unit = stop()

  private def stop(): Unit = {
    if (session != null) session.stop()
    session = null
  }

  private def start(agent: Option[String], settings: (String, String)*): SparkContext = {
    val conf = new SparkConf(false).setMaster("local[2]").setAppName("test")
      .set("spark.ui.enabled", "false").set("spark.driver.host", "127.0.0.1")
      .set("spark.sql.shuffle.partitions", "4").set("spark.plugins", "park.spark.ParkPlugin")
      .set("spark.sql.warehouse.dir", System.getProperty("java.io.tmpdir"))
      .set(Settings.Timeout, "2s") // a busy machine is no miss
    agent.foreach(conf.set(Settings.Agent, _))
    session = SparkSession.builder().config(conf.setAll(settings)).getOrCreate()
    session.sparkContext
  }

  /** Queries side by side; their results. */
  private def queries(n: Int): Seq[String] = {
    val threads = Executors.newFixedThreadPool(n)
    val all = (0 until n).map { i =>
      threads.submit(new Callable[String] {
        override def call(): String = session.range(0, 1000 * (i + 1), 1, 6)
          .selectExpr("id % 7 as k", "id as v").groupBy("k").sum("v").orderBy("k").collect()
          .mkString(",")
      })
    }
    try all.map(_.get(120, TimeUnit.SECONDS)) finally threads.shutdownNow()
  }

  @Test def withoutAnAgentItIsPlainSpark(): Unit = {
    val sc = start(None)
    assertEquals("local[2]", sc.master)
    assertEquals("org.apache.spark.scheduler.TaskSchedulerImpl", sc.taskScheduler.getClass.getName)
    assertEquals(10, sc.parallelize(1 to 10, 4).count())
  }

  @Test def anAgentDecidesAndTheResultsAreTheSame(): Unit = {
    start(None)
    val plain = queries(4)
    stop()
    val agent = new AgentProcess("fair")
    try {
      val sc = start(Some(agent.file.toString))
      assertEquals("local[2]", sc.master)
      assertTrue(sc.taskScheduler.isInstanceOf[ParkTaskScheduler])
      assertEquals(plain, queries(4))
      stop()
      val result = agent.result()
      assertTrue(agent.number(result, "decisions") > 10, result)
      assertEquals(4, agent.number(result, "jobs_done"), result)
      assertTrue(agent.number(result, "avg_jct_s") > 0, result)
    } finally agent.close()
  }

  @Test def anAgentThatIsNotThereCostsItsTimeoutsOnly(): Unit = {
    start(Some("tcp://127.0.0.1:1"), Settings.Timeout -> "20ms")
    assertEquals(4, queries(4).size)
  }

  @Test def anAgentThatDiesLeavesSparkToItself(): Unit = {
    val agent = new AgentProcess("fifo")
    try {
      val sc = start(Some(agent.file.toString), Settings.Timeout -> "100ms")
      val before = queries(2)
      agent.send("KILL")
      assertEquals(before, queries(2))
      assertTrue(sc.taskScheduler.asInstanceOf[ParkTaskScheduler].fallbacks > 0)
    } finally agent.close()
  }
}
