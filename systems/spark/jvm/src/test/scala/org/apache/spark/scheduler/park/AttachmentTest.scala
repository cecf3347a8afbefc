package org.apache.spark.scheduler.park

import org.junit.jupiter.api.Assertions._
import org.junit.jupiter.api.Test

import org.apache.spark.SparkConf
import org.apache.spark.scheduler.TaskSchedulerImpl

class AttachmentTest {
  private def conf(pairs: (String, String)*) =
    new SparkConf(false).setAll(pairs :+ (Settings.Agent -> "tcp://127.0.0.1:5570"))

  private def refusal(pairs: (String, String)*): String =
    assertThrows(classOf[IllegalArgumentException], () => Settings.read(conf(pairs: _*))).getMessage

  @Test def settingsHaveDefaults(): Unit = {
    val settings = Settings.read(conf()).get
    assertEquals(50, settings.timeout.toMillis)
    assertEquals(3, settings.misses)
    assertEquals(100, settings.settle.toMillis)
    assertEquals(None, Settings.read(new SparkConf(false)))
  }

  @Test def whatIsNotAllowedIsToldInOneLine(): Unit = {
    assertEquals("spark.park.decision.timeout: soon is not allowed; it is a time of 1ms to 10000ms",
      refusal(Settings.Timeout -> "soon"))
    assertEquals("spark.park.misses: 0 is not allowed; it is 1 to 1000",
      refusal(Settings.Misses -> "0"))
    assertEquals("spark.park.decision.mode: later is not allowed; it is wait or async",
      refusal(Settings.Mode -> "later"))
    assertTrue(refusal("spark.park.agnet" -> "x").startsWith("spark.park.agnet: no such setting"))
  }

  @Test def mastersAreMarkedAndRestored(): Unit = {
    for (master <- Seq("spark://h:7077", "spark://h:1,i:2", "local", "local[4]", "local[*, 3]")) {
      assertTrue(ParkMaster.isServed(master), master)
      assertFalse(ParkMaster.isMarked(master), master)
      assertTrue(ParkMaster.isMarked(ParkMaster.mark(master)), master)
      assertEquals(master, ParkMaster.unmark(ParkMaster.mark(master)))
    }
    assertEquals("spark://h:7077", ParkMaster.unmark("spark+park://h:7077"))
    for (master <- Seq("yarn", "k8s://h", "local-cluster[1,1,512]", "park://h:1")) {
      assertFalse(ParkMaster.isServed(master), master)
      assertFalse(ParkMaster.isMarked(master), master)
    }
    assertEquals((4, 1), ParkMaster.threads("local[4]"))
    assertEquals((2, 5), ParkMaster.threads("local[2, 5]"))
    assertArrayEquals(Array[AnyRef]("spark://h:1", "spark://i:2"),
      ParkMaster.addresses("spark://h:1,i:2").get.asInstanceOf[Array[AnyRef]])
  }

  @Test def theMembersOfSparkAreThereAndAMissingOneIsNamed(): Unit = {
    assertEquals(Nil, Hooks.missing())
    assertEquals(Seq("TaskSchedulerImpl.offerResources/2", "TaskSchedulerImpl.submitTasks/2"),
      Hooks.missing(Seq((classOf[TaskSchedulerImpl], "offerResources", 2),
        (classOf[TaskSchedulerImpl], "submitTasks", 1),
        (classOf[TaskSchedulerImpl], "submitTasks", 2))))
  }
}
