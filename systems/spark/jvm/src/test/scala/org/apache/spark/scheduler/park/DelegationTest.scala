package org.apache.spark.scheduler.park

import org.junit.jupiter.api.Assertions._
import org.junit.jupiter.api.{AfterEach, Test}

import org.apache.spark.{SparkConf, SparkContext}
import org.apache.spark.scheduler._
import org.apache.spark.scheduler.local.LocalSchedulerBackend

/** A cluster manager of another name, behind which Spark is local: what its scheduler adds has to
  * come through ours.
  */
class DelegationTest {
  private var context: SparkContext = _

  @AfterEach def end(): Unit = {
    if (context != null) context.stop()
    Elsewhere.hooked = 0
  }

  private def start(master: String, settings: (String, String)*): SparkContext = {
    val conf = new SparkConf(false).setMaster(master).setAppName("test")
      .set("spark.ui.enabled", "false").set("spark.driver.host", "127.0.0.1")
      .set("spark.plugins", "park.spark.ParkPlugin").set(Settings.Timeout, "20ms")
      .set(Settings.Agent, "tcp://127.0.0.1:1") // nobody is there
    context = new SparkContext(conf.setAll(settings))
    context
  }

  @Test def whatTheManagersSchedulerAddsComesThrough(): Unit = {
    val sc = start("elsewhere://h")
    assertEquals("elsewhere://h", sc.master)
    val tasks = sc.taskScheduler.asInstanceOf[ParkTaskScheduler]
    assertEquals(3, tasks.maxTaskFailures)
    assertEquals(Some("/default"), tasks.defaultRackValue)
    assertEquals(Seq(Some("/rack of a"), Some("/rack of b")), tasks.getRacksForHosts(Seq("a", "b")))
    assertEquals(Some("/rack of a"), tasks.getRackForHost("a"))
    assertEquals(1, Elsewhere.hooked)
    assertEquals(10, sc.parallelize(1 to 10, 4).count())
  }

  @Test def aSchedulerWithMoreOfItsOwnStays(): Unit = {
    val sc = start("elsewhere+more://h")
    assertEquals(classOf[MoreScheduler], sc.taskScheduler.getClass)
    assertEquals(10, sc.parallelize(1 to 10, 4).count())
  }

  @Test def aMasterOfNobodyIsSparksToRefuse(): Unit =
    assertTrue(assertThrows(classOf[Exception], () => {
      start("nowhere://h")
      ()
    }).getMessage.contains("nowhere://h"))

  @Test def profilesAreThoseOfTheUsersMaster(): Unit = {
    val manager = classOf[org.apache.spark.resource.ResourceProfileManager]
    val sc = start("elsewhere://h")
    val master = manager.getDeclaredField("master")
    master.setAccessible(true)
    assertEquals(Some("elsewhere://h"), master.get(sc.resourceProfileManager))
    assertEquals(0, sc.resourceProfileManager.defaultResourceProfile.id)
  }
}

private[spark] object Elsewhere {
  @volatile var hooked = 0
}

/** As YARN's. */
private[spark] class ElsewhereScheduler(sc: SparkContext) extends TaskSchedulerImpl(sc, 3, true) {
  override val defaultRackValue: Option[String] = Some("/default")
  override def getRacksForHosts(hosts: Seq[String]): Seq[Option[String]] =
    hosts.map(host => Some("/rack of " + host))
  override def postStartHook(): Unit = {
    Elsewhere.hooked += 1
    super.postStartHook()
  }
}

private[spark] class MoreScheduler(sc: SparkContext) extends ElsewhereScheduler(sc) {
  override def defaultParallelism(): Int = 7
}

private[spark] class ElsewhereManager extends ExternalClusterManager {
  override def canCreate(master: String): Boolean = master.startsWith("elsewhere")
  override def createTaskScheduler(sc: SparkContext, master: String): TaskScheduler =
    if (master.startsWith("elsewhere+more")) new MoreScheduler(sc) else new ElsewhereScheduler(sc)
  override def createSchedulerBackend(
      sc: SparkContext, master: String, scheduler: TaskScheduler): SchedulerBackend =
    new LocalSchedulerBackend(sc.conf, scheduler.asInstanceOf[TaskSchedulerImpl], 2)
  override def initialize(scheduler: TaskScheduler, backend: SchedulerBackend): Unit =
    scheduler.asInstanceOf[TaskSchedulerImpl].initialize(backend)
}
