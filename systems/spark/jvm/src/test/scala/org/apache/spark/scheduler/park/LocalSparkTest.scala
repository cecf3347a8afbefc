package org.apache.spark.scheduler.park

import java.nio.file.Files
import java.util.concurrent.{Callable, CountDownLatch, Executors, TimeUnit}

import org.junit.jupiter.api.Assertions.{assertEquals, assertFalse, assertThrows, assertTrue}
import org.junit.jupiter.api.{AfterEach, Test}

import org.apache.spark.{BarrierTaskContext, SparkConf, SparkContext, SparkException, TaskContext}
import org.apache.spark.rdd.RDD
import org.apache.spark.resource.{ResourceProfileBuilder, TaskResourceRequests}
import org.apache.spark.scheduler.{SparkListener, SparkListenerJobStart}
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
      .set(Settings.Timeout, "10s") // a busy machine is no miss
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
    try all.map(_.get(600, TimeUnit.SECONDS)) finally threads.shutdownNow()
  }

  @Test def withoutAnAgentItIsPlainSpark(): Unit = {
    val sc = start(None)
    assertEquals("local[2]", sc.master)
    assertEquals("org.apache.spark.scheduler.TaskSchedulerImpl", sc.taskScheduler.getClass.getName)
    assertEquals(10, sc.parallelize(1 to 10, 4).count())
  }

  @Test def anAgentThatCannotBeAskedLeavesPlainSparkUnderAMasterOfOursToo(): Unit = {
    val sc = start(None)
    for ((key, value) <- Seq(Settings.Agent -> "ipc:///x", Settings.Key -> "/not/there")) {
      sc.conf.set(Settings.Agent, "tcp://127.0.0.1:1").set(key, value)
      val scheduler = new ParkClusterManager().createTaskScheduler(sc, "spark+park://h:1")
      assertEquals("org.apache.spark.scheduler.TaskSchedulerImpl", scheduler.getClass.getName, key)
    }
  }

  @Test def anAgentDecidesAndTheResultsAreTheSame(): Unit = {
    start(None)
    val plain = queries(4)
    stop()
    for (mode <- Seq("wait", "async")) {
      val agent = new AgentProcess("fair")
      try {
        val sc = start(Some(agent.file.toString), Settings.Mode -> mode)
        assertEquals("local[2]", sc.master)
        assertTrue(sc.taskScheduler.isInstanceOf[ParkTaskScheduler])
        assertEquals(plain, queries(4), mode)
        stop()
        val result = agent.result()
        assertTrue(agent.number(result, "decisions") > 10, result)
        assertEquals(4, agent.number(result, "jobs_done"), result)
        assertTrue(agent.number(result, "avg_jct_s") > 0, result)
      } finally agent.close()
    }
  }

  @Test def anAgentWithKeysDecidesForDriversThatItKnows(): Unit = {
    val folder = Files.createTempDirectory("keys")
    def keyFile(name: String) = folder.resolve(name + ".key")
    val known = AgentProcess.newKeys(keyFile("known"))
    Seq("agent", "stranger").foreach(name => AgentProcess.newKeys(keyFile(name)))
    Files.write(folder.resolve("allowed"), (known + "\n").getBytes)
    start(None)
    val plain = queries(2)
    stop()
    for (key <- Seq("stranger", "known")) {
      val agent = new AgentProcess("fair", "key" -> keyFile("agent").toString,
        "allow" -> folder.resolve("allowed").toString)
      try {
        // A stranger gets no answer, which is not waited for.
        val timeout = if (key == "known") "10s" else "20ms"
        val sc = start(Some(agent.file.toString), Settings.Key -> keyFile(key).toString,
          Settings.Timeout -> timeout)
        assertEquals(plain, queries(2), key)
        val fallbacks = sc.taskScheduler.asInstanceOf[ParkTaskScheduler].fallbacks
        stop()
        if (key == "known") {
          assertEquals(0, fallbacks)
          assertEquals(2, agent.number(agent.result(), "jobs_done"))
        } else {
          assertTrue(fallbacks > 0)
        }
      } finally agent.close()
    }
  }

  @Test def executorsThatCannotBeSharedStay(): Unit = {
    val agent = new AgentProcess("fair")
    val result = withAgent(agent, Settings.Sizes -> "shared") { sc =>
      assertTrue(!sc.taskScheduler.asInstanceOf[ParkTaskScheduler].shares)
      assertEquals(2, queries(2).size)
    }
    assertEquals(2, agent.number(result, "jobs_done"), result)
  }

  /** Of the scheduler, which keeps it to itself. */
  private def field[T](sc: SparkContext, name: String): T = {
    val field = classOf[ParkTaskScheduler].getDeclaredField(name)
    field.setAccessible(true)
    field.get(sc.taskScheduler).asInstanceOf[T]
  }

  @Test def anAgentThatIsNotThereCostsItsTimeoutsOnly(): Unit = {
    val sc = start(Some("tcp://127.0.0.1:1"), Settings.Timeout -> "2s", Settings.Misses -> "3")
    assertEquals(4, queries(4).size)
    val offers = sc.taskScheduler.asInstanceOf[ParkTaskScheduler].fallbacks
    assertTrue(offers > 10, s"$offers offers") // 20 s and more, if each waited
    val waitedS = field[Agent](sc, "agent").waits.totalNs / 1e9
    assertTrue(waitedS < 15, s"$waitedS s") // three times, and on a busy machine
  }

  @Test def anAgentThatDiesOrStandsStillLeavesSparkToItself(): Unit =
    for ((signal, mode) <- Seq("KILL" -> "wait", "STOP" -> "async")) {
      val agent = new AgentProcess("fifo")
      try {
        val sc = start(Some(agent.file.toString), Settings.Timeout -> "100ms",
          Settings.Mode -> mode)
        val before = queries(2)
        agent.send(signal)
        assertEquals(before, queries(2))
        assertTrue(sc.taskScheduler.asInstanceOf[ParkTaskScheduler].fallbacks > 0, signal)
        stop()
      } finally agent.close()
    }

  @Test def theSecondAgentTakesOverWithinTheDeadline(): Unit = {
    val first, second = new AgentProcess("fair")
    try {
      val sc = start(Some(s"${first.file}, ${second.file}"))
      val before = queries(2)
      first.send("KILL")
      assertEquals(before, queries(2))
      assertEquals(0, sc.taskScheduler.asInstanceOf[ParkTaskScheduler].fallbacks)
      stop()
      val result = second.result()
      assertTrue(second.number(result, "decisions") > 2, result)
      assertEquals(2, second.number(result, "jobs_done"), result)
    } finally Seq(first, second).foreach(_.close())
  }

  @Test def everyAgentThatKnowsOfTheApplicationIsToldOfItsEnd(): Unit = {
    val logs = Seq("first", "second").map(Files.createTempFile(_, ".jsonl"))
    val agents = logs.map(log => new AgentProcess("fair", "log" -> log.toString))
    try {
      start(Some(agents.map(_.file).mkString(",")), Settings.Timeout -> "4s")
      val before = queries(1)
      agents.head.send("STOP")
      assertEquals(before, queries(1)) // the second one takes over
      agents.head.send("CONT")
      stop()
      agents.foreach(_.result())
      for (log <- logs) {
        val text = new String(Files.readAllBytes(log))
        assertTrue(text.contains("application_ended"), text)
        Files.delete(log)
      }
    } finally agents.foreach(_.close())
  }

  /** An application with an agent; what the agent tells of it. */
  private def withAgent(agent: AgentProcess, settings: (String, String)*)(
      body: SparkContext => Unit): String =
    try {
      body(start(Some(agent.file.toString), settings: _*))
      stop()
      agent.result()
    } finally agent.close()

  @Test def plansThatGrowAndPlansThatAreWhole(): Unit = {
    val results = for (adaptive <- Seq("true", "false")) yield {
      val agent = new AgentProcess("sjf_cp")
      var rows = Seq.empty[String]
      val result = withAgent(agent, "spark.sql.adaptive.enabled" -> adaptive) { _ =>
        rows = queries(3)
      }
      assertEquals(3, agent.number(result, "jobs_done"), result)
      rows
    }
    assertEquals(results.head, results.last)
  }

  @Test def aTaskThatFailsIsTriedAgain(): Unit = {
    val agent = new AgentProcess("fifo")
    val result = withAgent(agent, "spark.master" -> "local[2,3]") { sc =>
      assertEquals(45, sc.parallelize(0 until 10, 5).map(Tasks.failFirst).sum())
    }
    assertEquals(1, agent.number(result, "jobs_done"), result)
  }

  @Test def whatSetsUpIsNoJob(): Unit = {
    val agent = new AgentProcess("fair")
    val result = withAgent(agent) { sc =>
      sc.setLocalProperty("park.setup", "true")
      queries(2)
      assertEquals(4, sc.parallelize(0 until 4, 4).map(Tasks.sleepShort).count())
      sc.setLocalProperty("park.setup", null)
      assertEquals(10, sc.parallelize(0 until 10, 2).count())
    }
    assertEquals(1, agent.number(result, "jobs_done"), result)
    assertTrue(agent.number(result, "utilisation") <= 1, result)
  }

  @Test def actionsOfOneNameOneAfterTheOtherAreJobsOfTheirOwn(): Unit = {
    val agent = new AgentProcess("fair")
    val result = withAgent(agent) { sc =>
      val done = new CountDownLatch(1)
      // In the plugin's queue, so that no end is told before all is done.
      sc.listenerBus.addToQueue(new SparkListener {
        override def onJobStart(start: SparkListenerJobStart): Unit =
          assertTrue(done.await(120, TimeUnit.SECONDS))
      }, "park")
      sc.setLocalProperty(Names.Tag, "report")
      for (_ <- 0 until 2) {
        assertEquals(10, sc.parallelize(0 until 10, 2).count())
        session.range(0, 10, 1, 2).selectExpr("id % 3 as k").groupBy("k").count().collect()
      }
      done.countDown()
    }
    assertEquals(4, agent.number(result, "jobs_done"), result)
  }

  @Test def tasksOfABarrierStartTogether(): Unit = {
    val agent = new AgentProcess("fair")
    val result = withAgent(agent) { sc =>
      val pairs = sc.parallelize(0 until 10, 5).map(i => (i % 2, i)).reduceByKey(_ + _, 2)
      assertEquals(2, pairs.barrier().mapPartitions(Tasks.together).count())
    }
    assertEquals(1, agent.number(result, "jobs_done"), result)
  }

  @Test def aStageWithResourcesOfItsOwnIsNotHeldBackByOthers(): Unit = {
    System.setProperty("spark.testing", "true") // else a local master refuses it
    val agent = new AgentProcess("fifo")
    try withAgent(agent) { sc =>
      val tasks = new ResourceProfileBuilder().require(new TaskResourceRequests().cpus(1)).build()
      val stage = sc.parallelize(0 until 20, 20).withResources(tasks).map(Tasks.sleepShortly)
      val others = (0 until 3).map(_ => sc.parallelize(0 until 40, 40).map(Tasks.sleepShortly))
      assertEquals(0, endsBefore(stage, others)) // of the others
    } finally System.clearProperty("spark.testing")
  }

  /** How many of some jobs end before another one that begins a little later. */
  private def endsBefore(one: RDD[Int], others: Seq[RDD[Int]]): Int = {
    val threads = Executors.newFixedThreadPool(others.size)
    try {
      val all = others.map(rdd => threads.submit(new Callable[Long] {
        override def call(): Long = rdd.count()
      }))
      val until = System.nanoTime + TimeUnit.SECONDS.toNanos(120)
      while (one.sparkContext.statusTracker.getActiveStageIds().length < others.size
        && System.nanoTime < until) Thread.sleep(5)
      one.count()
      val ended = all.count(_.isDone)
      all.foreach(_.get(120, TimeUnit.SECONDS))
      ended
    } finally threads.shutdownNow()
  }

  @Test def aQueryThatFailsLeavesAndDoesNotCount(): Unit = {
    val agent = new AgentProcess("fair")
    val result = withAgent(agent) { _ =>
      assertThrows(classOf[Exception], () => {
        session.range(0, 10, 1, 4).selectExpr("raise_error(concat('row ', id))").collect()
        ()
      })
      assertEquals(2, queries(2).size)
    }
    assertEquals(2, agent.number(result, "jobs_done"), result)
  }

  @Test def aDefectOfThePluginLeavesPlainSpark(): Unit = {
    val agent = new AgentProcess("fair")
    try {
      val sc = start(Some(agent.file.toString))
      val before = queries(2)
      val slots = classOf[ParkTaskScheduler].getDeclaredField("slots")
      slots.setAccessible(true)
      assertFalse(field[Boolean](sc, "broken"))
      slots.set(sc.taskScheduler, null) // from now on a hook fails
      assertEquals(before, queries(2))
      assertTrue(field[Boolean](sc, "broken"))
      stop()
      agent.result() // the agent hears that the application has gone
    } finally agent.close()
  }

  @Test def aCancelledJobDoesNotCount(): Unit = {
    val agent = new AgentProcess("fair")
    val result = withAgent(agent) { sc =>
      val slow = new Thread(() => {
        sc.setJobGroup("slow", "slow", interruptOnCancel = true)
        assertThrows(classOf[SparkException],
          () => { sc.parallelize(0 until 4, 4).map(Tasks.sleepLong).count(); () })
        ()
      })
      slow.start()
      val until = System.nanoTime + TimeUnit.SECONDS.toNanos(120)
      while (sc.statusTracker.getActiveStageIds().isEmpty && System.nanoTime < until) Thread.sleep(20)
      sc.cancelJobGroup("slow")
      slow.join(120000)
      assertTrue(!slow.isAlive)
      assertEquals(10, sc.parallelize(0 until 10, 1).count())
    }
    assertEquals(1, agent.number(result, "jobs_done"), result)
  }
}

/** What runs in tasks. */
private object Tasks {
  def failFirst(i: Int): Int =
    if (TaskContext.get().attemptNumber() == 0 && i == 3) throw new IllegalStateException("once")
    else i

  def together(rows: Iterator[(Int, Int)]): Iterator[(Int, Int)] = {
    BarrierTaskContext.get().barrier()
    rows
  }

  def sleepShort(i: Int): Int = {
    Thread.sleep(500)
    i
  }

  def sleepShortly(i: Int): Int = {
    Thread.sleep(50)
    i
  }

  def sleepLong(i: Int): Int = {
    Thread.sleep(60000)
    i
  }
}
