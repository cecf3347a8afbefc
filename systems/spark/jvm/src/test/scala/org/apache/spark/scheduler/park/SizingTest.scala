package org.apache.spark.scheduler.park

import org.junit.jupiter.api.Assertions._
import org.junit.jupiter.api.Test

import org.apache.spark.SparkConf

class SizingTest {
  private val second = 1000L * 1000 * 1000
  private val jobs = Set(1, 2)

  private def of(busy: String, idle: String = ""): Map[String, Boolean] =
    (busy.map(_.toString -> true) ++ idle.map(_.toString -> false)).toMap

  private def look(
      sizing: Sizing, now: Long, busy: Map[String, Boolean], left: Int,
      among: Set[Int] = jobs, together: Boolean = false): Option[Change] =
    sizing.look(now, busy, left, among, together)

  @Test def anExecutorWithoutATaskGoesAfterAWhile(): Unit = {
    val sizing = new Sizing(1, 8, 1, 5 * second)
    assertEquals(None, look(sizing, 0, of("a", "bc"), 0, jobs))
    assertEquals(None, look(sizing, 4 * second, of("ab", "c"), 0, jobs))
    assertEquals(Some(Change(2, List("c"))), look(sizing, 5 * second, of("ab", "c"), 0, jobs))
    assertEquals(None, look(sizing, 6 * second, of("a", "bc"), 0, jobs)) // it has not gone yet
    assertEquals(Some(Change(1, List("b"))), look(sizing, 11 * second, of("a", "b"), 0, jobs))
    for (time <- Seq(99, 200)) // the last one stays
      assertEquals(None, look(sizing, time * second, of("", "a"), 0, jobs))
  }

  @Test def tasksThatWaitBringMore(): Unit = {
    val sizing = new Sizing(1, 6, 2, 5 * second)
    assertEquals(None, look(sizing, 0, of("a"), 100, jobs))
    assertEquals(Some(Change(2, Nil)), look(sizing, second, of("a"), 100, jobs))
    assertEquals(None, look(sizing, second + 1, of("a"), 100, jobs))
    assertEquals(Some(Change(4, Nil)), look(sizing, 2 * second, of("ab"), 100, jobs))
    assertEquals(Some(Change(6, Nil)), look(sizing, 3 * second, of("abcd"), 100, jobs))
    assertEquals(None, look(sizing, 4 * second, of("abcdef"), 100, jobs)) // no more are allowed
  }

  @Test def noMoreThanTheTasksNeed(): Unit = {
    val sizing = new Sizing(1, 8, 2, 5 * second)
    look(sizing, 0, of("a"), 3, jobs)
    look(sizing, second, of("a"), 3, jobs)
    assertEquals(Some(Change(3, Nil)), look(sizing, 2 * second, of("a"), 3, jobs))
    assertEquals(Some(Change(3, Nil)), look(sizing, 3 * second, of("a"), 3, jobs))
  }

  @Test def whatThePolicyHoldsBackBringsNoneUntilTheJobsChange(): Unit = {
    val sizing = new Sizing(1, 4, 1, second)
    assertEquals(None, look(sizing, 0, of("ab", "c"), 10, jobs))
    assertEquals(Some(Change(2, List("c"))), look(sizing, second, of("ab", "c"), 10, jobs))
    for (time <- 2 to 9) assertEquals(None, look(sizing, time * second, of("ab"), 10, jobs))
    assertEquals(None, look(sizing, 10 * second, of("ab"), 10, jobs + 3))
    assertEquals(Some(Change(3, Nil)), look(sizing, 11 * second, of("ab"), 10, jobs + 3))
  }

  @Test def tasksThatStartTogetherBringAllAndNoneGoes(): Unit = {
    val sizing = new Sizing(1, 4, 1, second)
    def together(at: Long, idle: String) =
      look(sizing, at * second, of("", idle), 0, jobs, together = true)
    assertEquals(None, look(sizing, 0, of("", "ab"), 0, jobs))
    assertEquals(Some(Change(4, Nil)), together(1, "ab"))
    assertEquals(None, look(sizing, second + 1, of("", "ab"), 0, jobs, together = true))
    assertEquals(Some(Change(4, Nil)), together(2, "ab")) // they have not come yet
    for (time <- 3 to 5) assertEquals(None, together(time, "abcd"))
    assertEquals(None, look(sizing, 6 * second - 1, of("", "abcd"), 0, jobs))
    assertEquals(Some(3), look(sizing, 7 * second, of("a", "bcd"), 0, jobs).map(_.gone.size))
  }

  @Test def whatAnApplicationBeginsWithBeyondTheMostGoes(): Unit = {
    val sizing = new Sizing(1, 2, 1, 5 * second)
    assertEquals(Some(Change(2, List("d", "c"))), look(sizing, 0, of("abc", "d"), 9))
    assertEquals(None, look(sizing, 1, of("abc", "d"), 9)) // they have not gone yet
    assertEquals(Some(Change(2, List("e"))), look(sizing, 2, of("abe"), 9)) // it came late
    for (time <- 1 to 9) assertEquals(None, look(sizing, time * second, of("ab"), 9, jobs + time))
  }

  @Test def whatTheClusterIsNotToldOfGoesLater(): Unit = {
    val sizing = new Sizing(1, 8, 1, second)
    look(sizing, 0, of("a", "b"), 0, jobs)
    assertEquals(Some(Change(1, List("b"))), look(sizing, second, of("a", "b"), 0, jobs))
    sizing.failed(Change(1, List("b")))
    assertEquals(None, look(sizing, 2 * second, of("a", "b"), 0, jobs))
    assertEquals(Some(Change(1, List("b"))), look(sizing, 3 * second, of("a", "b"), 0, jobs))
  }

  @Test def whatIsInTheWayIsTold(): Unit = {
    val conf = new SparkConf(false)
    assertTrue(Allocation.obstacle(conf).exists(_.contains("spark.executor.instances")))
    conf.set("spark.executor.instances", "3")
    assertEquals(None, Allocation.obstacle(conf))
    assertEquals(Some(3), Allocation.most(conf))
    assertEquals(1, Allocation.least(conf))
    conf.set("spark.decommission.enabled", "false")
    Allocation.prepare(conf) // what a user sets stays
    assertTrue(Allocation.obstacle(conf).exists(_.startsWith("spark.decommission.enabled: false")))
    Allocation.prepare(conf.remove("spark.decommission.enabled"))
    assertEquals(None, Allocation.obstacle(conf))
    conf.set("spark.dynamicAllocation.enabled", "true")
    assertTrue(Allocation.obstacle(conf).exists(_.contains("already")))
  }
}
