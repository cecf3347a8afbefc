package org.apache.spark.scheduler.park

import java.util.concurrent.{LinkedBlockingQueue, TimeUnit}

import org.junit.jupiter.api.Assertions._
import org.junit.jupiter.api.{AfterEach, Test}

import org.apache.spark.{ExecutorAllocationClient, SparkConf, SparkContext}
import org.apache.spark.resource.ResourceProfile
import org.apache.spark.scheduler._
import org.apache.spark.scheduler.local.LocalSchedulerBackend

/** Applications whose executors are as many as the policy's decisions say, on a cluster that is
  * played.
  */
class SizedApplicationTest {
  private var context: SparkContext = _

  @AfterEach def end(): Unit = if (context != null) context.stop()

  private def start(settings: (String, String)*): SparkContext = {
    val conf = new SparkConf(false).setMaster("sized").setAppName("test")
      .set("spark.ui.enabled", "false").set("spark.driver.host", "127.0.0.1")
      .set("spark.plugins", "park.spark.ParkPlugin").set(Settings.Timeout, "20ms")
      .set(Settings.Agent, "tcp://127.0.0.1:1") // nobody is there
      .set(Settings.Sizes, "policy").set("spark.executor.instances", "2")
    context = new SparkContext(conf.setAll(settings))
    context
  }

  @Test def executorsThatTheClusterDoesNotTakeAreGivenBackLater(): Unit = {
    val sc = start(Settings.Idle -> "100ms")
    val scheduler = sc.taskScheduler.asInstanceOf[ParkTaskScheduler]
    scheduler.resourceOffers(IndexedSeq("a", "b").map(new WorkerOffer(_, "h", 1)), true)
    val backend = sc.schedulerBackend.asInstanceOf[SizedBackend]
    var all = List.empty[String]
    while (all.distinct.size == all.size) {
      val more = backend.givenBack.poll(120, TimeUnit.SECONDS)
      assertNotNull(more, () => s"each of $all once")
      all ++= more
    }
  }

  @Test def aBarrierJobGetsTheExecutorsThatSparkWaitsForBeforeItSubmitsTheJob(): Unit = {
    val sc = start("spark.scheduler.barrier.maxConcurrentTasksCheck.interval" -> "1s",
      "spark.scheduler.barrier.maxConcurrentTasksCheck.maxFailures" -> "60")
    val rows = sc.parallelize(0 until 10, 2).barrier().mapPartitions(rows => rows)
    assertEquals(10, rows.count())
    assertTrue(sc.dagScheduler.barrierJobIdToNumTasksCheckFailures.isEmpty)
  }

  @Test def aBarrierStageThatSparkHasSubmittedGetsAllExecutors(): Unit = {
    val sc = start("spark.executor.instances" -> "4")
    val backend = sc.schedulerBackend.asInstanceOf[SizedBackend]
    backend.slots = 3 // as if one went after Spark has counted them
    sc.parallelize(0 until 10, 3).barrier().mapPartitions(rows => rows).countAsync()
    assertEquals(4, backend.requested.poll(120, TimeUnit.SECONDS))
  }
}

/** It runs tasks in two slots, and says that it has what it was asked for last. */
private[spark] final class SizedBackend(conf: SparkConf, scheduler: TaskSchedulerImpl)
    extends LocalSchedulerBackend(conf, scheduler, 2) with ExecutorAllocationClient {
  /** Executors that were given back, each time. The cluster does not take them. */
  val givenBack = new LinkedBlockingQueue[Seq[String]]
  val requested = new LinkedBlockingQueue[Int]
  @volatile var slots = 1

  override def decommissionExecutors(
      executors: Array[(String, ExecutorDecommissionInfo)], adjust: Boolean,
      byExecutor: Boolean): Seq[String] = {
    givenBack.add(executors.map(_._1).toList)
    throw new IllegalStateException("the cluster is away")
  }
  override def maxNumConcurrentTasks(profile: ResourceProfile): Int = slots
  override def requestTotalExecutors(
      total: Map[Int, Int], tasks: Map[Int, Int], hosts: Map[Int, Map[String, Int]]): Boolean = {
    slots = total.values.sum
    requested.add(slots)
  }
  override def getExecutorIds(): Seq[String] = Nil
  override def isExecutorActive(id: String): Boolean = true
  override def requestExecutors(more: Int): Boolean = false
  override def killExecutors(
      ids: Seq[String], adjust: Boolean, count: Boolean, force: Boolean): Seq[String] = Nil
  override def killExecutorsOnHost(host: String): Boolean = false
  override def decommissionExecutorsOnHost(host: String): Boolean = false
}

private[spark] final class SizedManager extends ExternalClusterManager {
  override def canCreate(master: String): Boolean = master == "sized"
  override def createTaskScheduler(sc: SparkContext, master: String): TaskScheduler =
    new TaskSchedulerImpl(sc, 1, true)
  override def createSchedulerBackend(
      sc: SparkContext, master: String, scheduler: TaskScheduler): SchedulerBackend =
    new SizedBackend(sc.conf, scheduler.asInstanceOf[TaskSchedulerImpl])
  override def initialize(scheduler: TaskScheduler, backend: SchedulerBackend): Unit =
    scheduler.asInstanceOf[TaskSchedulerImpl].initialize(backend)
}
