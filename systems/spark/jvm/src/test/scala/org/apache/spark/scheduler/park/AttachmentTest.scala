package org.apache.spark.scheduler.park

import java.nio.file.Files

import org.junit.jupiter.api.Assertions._
import org.junit.jupiter.api.Test

import org.apache.spark.{SPARK_VERSION, SparkConf}
import org.apache.spark.scheduler.TaskSchedulerImpl

import _root_.park.spark.ParkPlugin.otherLine

class AttachmentTest {
  private def conf(pairs: (String, String)*) =
    new SparkConf(false).setAll(pairs :+ (Settings.Agent -> "tcp://127.0.0.1:5570"))

  private def refusal(pairs: (String, String)*): String =
    assertThrows(classOf[IllegalArgumentException],
      () => Settings.read(conf().setAll(pairs))).getMessage

  @Test def settingsHaveDefaults(): Unit = {
    val settings = Settings.read(conf()).get
    assertEquals(50, settings.timeout.toMillis)
    assertEquals(3, settings.misses)
    assertEquals(100, settings.settle.toMillis)
    assertEquals(Sized.BySpark, settings.sizes)
    assertEquals(None, Settings.read(new SparkConf(false)))
  }

  @Test def whoSizesTheApplicationIsSet(): Unit =
    for (sized <- Sized.all)
      assertEquals(sized, Settings.read(conf(Settings.Sizes -> sized.name)).get.sizes)

  @Test def aBeginTellsThatExecutorsAreShared(): Unit =
    for (shares <- Seq(true, false)) {
      val snapshot = new Snapshot(
        new DagTracker(new DriverClock(0)), new SlotTable, 0, Counts(0, 0))
      val bytes = snapshot.begin(Application("id", "name", SPARK_VERSION, shares), fresh = true)
      assertEquals(shares, Snapshot.read(bytes).getBegin.getShares)
    }

  @Test def aDecisionMaySayHowManyExecutors(): Unit = {
    for (executors <- Seq(0, 3)) {
      val bytes = Snapshot.bytes(_.initDecision().setExecutors(executors))
      assertEquals(Some(executors), Snapshot.decision(bytes).map(_.executors))
    }
    val late = Snapshot.bytes(_.initDecision().setLate(true))
    assertTrue(Snapshot.flaw(late).startsWith("late"))
    assertEquals("", Snapshot.flaw("no message".getBytes)) // what reads it counts it
    val silent = Snapshot.bytes { message => message.initDecision(); () }
    assertEquals(Some(Decision(Nil, declined = false, -1)), Snapshot.decision(silent))
    assertEquals("", Snapshot.flaw(silent))
  }

  @Test def whatIsNotAllowedIsToldInOneLine(): Unit = {
    assertEquals("spark.park.decision.timeout: soon is not allowed; it is a time of 1ms to 10000ms",
      refusal(Settings.Timeout -> "soon"))
    assertEquals("spark.park.misses: 0 is not allowed; it is 1 to 1000",
      refusal(Settings.Misses -> "0"))
    assertEquals("spark.park.decision.mode: later is not allowed; it is wait or async",
      refusal(Settings.Mode -> "later"))
    assertEquals("spark.park.executors: some is not allowed; it is spark, policy or shared",
      refusal(Settings.Sizes -> "some"))
    assertTrue(refusal("spark.park.agnet" -> "x").startsWith("spark.park.agnet: no such setting"))
  }

  @Test def executorsThatAreSharedHaveOneAgent(): Unit = {
    def of(agents: String, sizes: String) = Seq(Settings.Agent -> agents, Settings.Sizes -> sizes)
    assertEquals("spark.park.agent: a.json, tcp://h:1 is not allowed; it is one agent where "
      + "spark.park.executors is shared", refusal(of("a.json,tcp://h:1", "shared"): _*))
    for ((agents, sizes) <- Seq("a.json" -> "shared", "a.json,tcp://h:1" -> "policy"))
      assertTrue(Settings.read(conf().setAll(of(agents, sizes))).nonEmpty)
  }

  @Test def mastersAreMarkedAndRestored(): Unit = {
    for (master <- Seq("spark://h:7077", "spark://h:1,i:2", "local", "local[4]", "local[*, 3]")) {
      assertTrue(ParkMaster.isOwn(master), master)
      assertFalse(ParkMaster.isMarked(master), master)
      assertTrue(ParkMaster.isMarked(ParkMaster.mark(master)), master)
      assertEquals(master, ParkMaster.unmark(ParkMaster.mark(master)))
    }
    assertEquals("spark://h:7077", ParkMaster.unmark("spark+park://h:7077"))
    for (master <- Seq("yarn", "k8s://h", "local-cluster[1,1,512]", "park://h:1")) {
      assertFalse(ParkMaster.isOwn(master), master)
      assertFalse(ParkMaster.isMarked(master), master)
      assertEquals(master, ParkMaster.unmark(ParkMaster.mark(master)))
      assertTrue(new ParkClusterManager().canCreate(ParkMaster.mark(master)), master)
      assertFalse(new ParkClusterManager().canCreate(master), master)
    }
    assertTrue(new ParkClusterManager().canCreate("spark+park://h:7077"))
    assertEquals((4, 1), ParkMaster.threads("local[4]"))
    assertEquals((2, 5), ParkMaster.threads("local[2, 5]"))
    assertArrayEquals(Array[AnyRef]("spark://h:1", "spark://i:2"),
      ParkMaster.addresses("spark://h:1,i:2").get.asInstanceOf[Array[AnyRef]])
  }

  @Test def aMasterThatNoClusterManagerTakesHasNoHost(): Unit = {
    assertEquals(None, Host.of("yarn")) // this class path has its backend not
    assertEquals(None, Host.of("nowhere://h"))
    assertTrue(Host.of("local[2]").exists(_.isInstanceOf[OwnHost]))
  }

  private def reach(agent: String, elsewhere: Boolean, more: (String, String)*): Option[String] =
    Reach.problem(
      Settings.read(conf(more: _*).set(Settings.Agent, agent)).get, elsewhere)

  @Test def anAgentThatTheDriverCannotReachIsTold(): Unit = {
    assertEquals(None, reach("tcp://127.0.0.1:5570", false))
    for (local <- Seq("tcp://127.0.0.1:5570", "tcp://localhost:1", "tcp://0.0.0.0:1")) {
      assertTrue(reach(local, true).exists(_.contains("own container")), local)
      assertEquals(None, reach(local, true, Settings.OnLoopback -> "true"))
    }
    assertEquals(None, reach("tcp://10.0.0.7:5570", true))
    assertTrue(reach("tcp://10.0.0.7:5570, tcp://localhost:1", true).exists(_.contains("://l")))
    assertTrue(reach("http://h:1", false).exists(_.startsWith("spark.park.agent: ")))
    assertEquals(None, reach("/not/there", false)) // it may come later
    assertTrue(reach("/not/there", true).exists(_.contains("--files brings it there")))
    assertTrue(reach("tcp://h:1", false, Settings.Key -> "/not/there")
      .exists(_.contains("/not/there cannot be read")))
    val key = Files.createTempFile("agent", ".key")
    val umlauts = "\u00e4" * 40
    Files.write(key, s"""{"schema":"park.key","public":"$umlauts","secret":"$umlauts"}"""
      .getBytes("UTF-8"))
    assertTrue(reach("tcp://h:1", false, Settings.Key -> key.toString)
      .exists(_.contains("none of Z85")))
    Files.delete(key)
  }

  @Test def anEndpointFileTellsTheAddressInAContainer(): Unit = {
    val file = Files.createTempFile("endpoint", ".json")
    for ((address, reached) <- Seq("tcp://127.0.0.1:5" -> false, "tcp://10.0.0.7:5" -> true)) {
      Files.write(file, s"""{"schema":"park.endpoint","endpoint":"$address"}""".getBytes)
      assertEquals(reached, reach(file.toString, true).isEmpty, address)
    }
    Files.write(file, "no file of ours".getBytes)
    for (elsewhere <- Seq(true, false))
      assertTrue(reach(file.toString, elsewhere).exists(_.contains("is not a file of park")))
    Files.delete(file)
  }

  @Test def driversOfClusterModeAndInPodsAreElsewhere(): Unit = {
    assertFalse(Reach.isElsewhere(conf()))
    assertFalse(Reach.isElsewhere(conf("spark.submit.deployMode" -> "client")))
    assertTrue(Reach.isElsewhere(conf("spark.submit.deployMode" -> "cluster")))
    assertTrue(Reach.isElsewhere(conf("spark.kubernetes.submitInDriver" -> "true")))
  }

  @Test def aJarOfAnotherLineIsTold(): Unit = {
    val version = util.Properties.versionNumberString
    assertEquals("", otherLine(SPARK_VERSION, version))
    assertTrue(otherLine("2.4.8", version).contains("this is Spark 2.4.8"))
    assertTrue(otherLine(SPARK_VERSION, "2.11.12").contains("with Scala 2.11.12"))
  }

  @Test def whatASchedulerHasOfItsOwnIsFound(): Unit = {
    assertEquals(Set.empty[String], Twin.overridden(classOf[TaskSchedulerImpl]))
    val ours = Twin.overridden(classOf[ParkTaskScheduler])
    assertTrue(Twin.Asked.subsetOf(ours), ours.toString)
    assertTrue(ours("resourceOffers"), ours.toString)
  }

  @Test def theMembersOfSparkAreThereAndAMissingOneIsNamed(): Unit = {
    assertEquals(Nil, Hooks.missing())
    assertEquals(Seq("TaskSchedulerImpl.offerResources/2", "TaskSchedulerImpl.submitTasks/2"),
      Hooks.missing(Seq((classOf[TaskSchedulerImpl], "offerResources", 2),
        (classOf[TaskSchedulerImpl], "submitTasks", 1),
        (classOf[TaskSchedulerImpl], "submitTasks", 2))))
  }
}
