package org.apache.spark.scheduler.park

import scala.util.Random

import org.junit.jupiter.api.Assertions.{assertEquals, assertFalse, assertTrue}
import org.junit.jupiter.api.Test

class JobLedgerTest {
  private val ledger = new JobLedger

  private def submitted(
      name: String, sparkJob: Int, query: Option[Long], now: Double,
      isOpen: OpenPart => Boolean = _ => true): LogicalJob =
    ledger.submitted(name, sparkJob, query, now, isOpen)

  @Test def aJobLastsFromItsFirstStageToItsEnd(): Unit = {
    submitted("a", 1, None, 2)
    assertEquals(3, ledger.jobSeconds(5), 1e-9)
    ledger.sparkJobEnded(1, 6, failed = false)
    assertEquals(4, ledger.jobSeconds(100), 1e-9)
    assertEquals(List(EndedJob(0, "a", 2, 6, failed = false, 0, 0)), ledger.unreported)
  }

  @Test def aQueryHoldsItsJobBetweenSparkJobs(): Unit = {
    ledger.queryStarted(7, 1)
    submitted("a", 1, Some(7L), 2)
    ledger.sparkJobEnded(1, 3, failed = false)
    assertEquals(1, ledger.live.size)
    submitted("a", 2, Some(7L), 5)
    ledger.sparkJobEnded(2, 6, failed = false)
    ledger.queryEnded(7, 7, failed = false)
    assertTrue(ledger.live.isEmpty)
    assertEquals(6, ledger.jobSeconds(9), 1e-9)
  }

  @Test def whatIsToldLateStillCounts(): Unit = {
    submitted("a", 1, Some(7L), 4)
    assertEquals(1, ledger.jobSeconds(5), 1e-9)
    ledger.queryStarted(7, 1)
    assertEquals(4, ledger.jobSeconds(5), 1e-9)
  }

  @Test def aQueryWithoutAStageIsNoJob(): Unit = {
    ledger.queryStarted(7, 1)
    ledger.queryEnded(7, 2, failed = false)
    assertEquals(0, ledger.jobSeconds(9), 1e-9)
    assertTrue(ledger.unreported.isEmpty)
  }

  @Test def whatAQueryLeavesBehindEndsWithItsSparkJob(): Unit = {
    submitted("a", 1, Some(7L), 0)
    ledger.queryEnded(7, 2, failed = true)
    submitted("a", 1, Some(7L), 3) // the next stage of a broadcast
    ledger.sparkJobEnded(1, 4, failed = false)
    assertTrue(ledger.live.isEmpty)
    assertEquals(List(EndedJob(0, "a", 0, 4, failed = true, 0, 0)), ledger.unreported)
    submitted("a", 2, Some(7L), 5) // a subquery that begins only now
    ledger.sparkJobEnded(2, 6, failed = false)
    assertEquals(5, ledger.jobSeconds(99), 1e-9)
  }

  @Test def queriesThatEndedAreRememberedUpToANumber(): Unit = {
    for (root <- 0L to JobLedger.MostOver) ledger.queryEnded(root, 1, failed = false)
    assertEquals(Set(SparkJob(1)), submitted("a", 1, Some(1L), 2).open.toSet)
    assertEquals(2, submitted("b", 2, Some(0L), 2).open.size)
  }

  @Test def aQueryWithWorkUnderSeveralNamesEndsInAll(): Unit = {
    for ((name, sparkJob) <- Seq("a" -> 1, "b" -> 2)) {
      submitted(name, sparkJob, Some(7L), 2)
      ledger.sparkJobEnded(sparkJob, 3, failed = false)
    }
    ledger.queryStarted(7, 1)
    ledger.queryEnded(7, 4, failed = false)
    assertTrue(ledger.live.isEmpty)
    assertEquals(6, ledger.jobSeconds(9), 1e-9)
  }

  @Test def aNameThatComesAgainIsAnotherJob(): Unit = {
    for (i <- 0 until 2) {
      submitted("a", i, None, 10 * i)
      ledger.sparkJobEnded(i, 10 * i + 1, failed = false)
    }
    assertEquals(List(0, 1), ledger.unreported.map(_.number))
    ledger.reported(1)
    assertEquals(List(1), ledger.unreported.map(_.number))
  }

  @Test def aNameWhoseWorkIsOverIsAnotherJobBeforeItsEndIsTold(): Unit = {
    submitted("a", 1, Some(7L), 0)
    val second = submitted("a", 2, None, 5, _ == SparkJob(2))
    assertEquals(List(second), ledger.live.toList)
    assertEquals(8, ledger.jobSeconds(8), 1e-9) // the first one's end is known to a bound
    ledger.sparkJobEnded(1, 3, failed = false)
    ledger.queryEnded(7, 4, failed = true)
    assertEquals(7, ledger.jobSeconds(8), 1e-9)
    ledger.sparkJobEnded(2, 8, failed = false)
    assertTrue(ledger.live.isEmpty)
    assertEquals(List(EndedJob(0, "a", 0, 4, failed = true, 0, 0),
      EndedJob(1, "a", 5, 8, failed = false, 0, 0)), ledger.unreported)
  }

  @Test def executionsOfOneNameAreJobsThatShareATitle(): Unit = {
    def named(run: String) = {
      val properties = new java.util.Properties
      properties.setProperty(Names.Tag, "report")
      properties.setProperty(Names.Run, run)
      Names.of(properties, 1)
    }
    val (one, two) = (submitted(named("1"), 1, None, 0), submitted(named("2"), 2, None, 1))
    assertEquals(2, ledger.live.size)
    assertEquals(List("report", "report"), List(one, two).map(_.title))
    ledger.sparkJobEnded(2, 3, failed = false)
    assertEquals(List(EndedJob(1, "report", 1, 3, failed = false, 0, 0)), ledger.unreported)
  }

  @Test def requestsOfSparkConnectAreJobsOfTheirOwn(): Unit = {
    def named(tags: String) = {
      val properties = new java.util.Properties
      properties.setProperty("spark.job.tags", tags)
      properties.setProperty("spark.sql.execution.root.id", "3")
      Names.of(properties, 1)
    }
    val operation = "SparkConnect_OperationTag_User_ann_Session_s-1_Operation_o-1"
    val tag = "SparkConnect_SessionTag_User_ann_Session_s-1_Tag_report"
    assertEquals("session s-1 operation o-1", named(operation))
    for (tags <- Seq(s"$tag,$operation", s"$operation,$tag"))
      assertEquals(s"report${Names.Mark}o-1", named(tags))
    assertEquals("query 3", named("a tag of another kind"))
  }

  @Test def aFailedPartOfAQueryThatSucceedsIsNoFailure(): Unit = {
    submitted("a", 1, Some(7L), 0)
    ledger.sparkJobEnded(1, 1, failed = true)
    ledger.queryEnded(7, 2, failed = false)
    submitted("b", 2, None, 3)
    ledger.sparkJobEnded(2, 4, failed = true)
    assertFalse(ledger.unreported.head.failed)
    assertTrue(ledger.unreported.last.failed)
  }

  @Test def theLongestChainCountsEachStageOnce(): Unit = {
    val job = submitted("a", 1, None, 0)
    def node(key: Int, mean: Double, parents: Node*): Node = {
      val node = new Node(key, job)
      node.measured = 2
      node.measuredS = 2 * mean
      node.parents = parents.toSet
      job.nodes(StageKey(key)) = node
      node
    }
    val scan = node(0, 1)
    val other = node(1, 4)
    node(2, 2, scan, other)
    assertEquals(6, job.chainS, 1e-9)
    assertEquals(14, job.workS, 1e-9)
  }

  @Test def theIntegralIsThatOfTheNumberOfJobs(): Unit = {
    val random = new Random(1)
    val spans = Seq.fill(50) {
      val arrival = random.nextDouble() * 100
      (arrival, arrival + random.nextDouble() * 30)
    }
    val events = spans.zipWithIndex.flatMap { case ((arrival, end), i) =>
      Seq((arrival, () => { submitted("job " + i, i, None, arrival); () }),
        (end, () => ledger.sparkJobEnded(i, end, failed = false)))
    }.sortBy(_._1)
    val step = 1e-3
    var at = 0.0
    var brute = 0.0
    events.foreach { case (time, happen) =>
      while (at < time) {
        brute += step * spans.count(s => s._1 <= at && at < s._2)
        at += step
      }
      happen()
    }
    assertEquals(brute, ledger.jobSeconds(200), brute * 1e-2)
    assertEquals(spans.map(s => s._2 - s._1).sum, ledger.jobSeconds(200), 1e-9)
  }
}
