package org.apache.spark.scheduler.park

import org.junit.jupiter.api.Assertions._
import org.junit.jupiter.api.Test

import org.apache.spark.SparkConf

import SharedSizing.Rule

class SharedSizingTest {
  private val second = 1000L * 1000 * 1000
  private val most = 8
  private val none = Own(some = false, together = false, Set.empty)
  private val some = none.copy(some = true)
  private val sizing = new SharedSizing(most, 5 * second, 0)

  private def of(busy: String, idle: String = ""): Map[String, Boolean] =
    (busy.map(_.toString -> true) ++ idle.map(_.toString -> false)).toMap

  /** The agent has just said so. */
  private def look(
      at: Double, working: Map[String, Boolean], executors: Int,
      own: Own = none): Option[Change] = {
    val now = (at * second).toLong
    sizing.look(now, working, Some(Said(executors, now)), own)
  }

  private def later(
      seconds: Int, working: Map[String, Boolean], said: Option[Said]): Option[Change] =
    sizing.look(seconds * second, working, said, none)

  @Test def whatTheAgentSaysIsAskedForOnce(): Unit = {
    assertEquals(None, later(0, of(""), None)) // the cluster gives none at first
    assertEquals(Some(Change(2, Nil)), look(1, of(""), 2))
    assertEquals(2, sizing.target)
    assertEquals(None, look(2, of("1"), 2))
    assertEquals(Some(Change(3, Nil)), look(3, of("1", "2"), 3))
    assertEquals(Some(Change(1, Nil)), look(4, of("1"), 1)) // two have not come yet
    assertEquals(None, look(33, of("1"), 1))
    assertEquals(Some(Change(1, Nil)), look(34, of("1"), 1)) // for a master that is new
    sizing.failed(34 * second)
    assertEquals(None, look(38, of("1"), 1))
    assertEquals(Some(Change(1, Nil)), look(39, of("1"), 1))
    assertEquals(None, look(45, of("1"), 1))
  }

  @Test def whatIsIdleLongestGoesFirstThenWhatWorks(): Unit = {
    look(0, of("12", "9"), 5)
    look(1, of("12", "349"), 5)
    assertEquals(Some(Change(4, List("9"))), look(2, of("12", "349"), 4))
    assertEquals(Some(Change(1, List("3", "4", "2"))), look(3, of("12", "34"), 1))
    assertEquals(None, look(4, of("1"), 1)) // those that go are not shown any more
    assertEquals(Some(Change(0, List("1"))), look(5, of("1"), 0))
  }

  @Test def ofThoseThatWorkTheLatestGoesFirst(): Unit = {
    look(0, Map("9" -> true, "10" -> true, "2" -> true), 3)
    assertEquals(Some(Change(1, List("10", "9"))),
      look(1, Map("9" -> true, "10" -> true, "2" -> true), 1))
  }

  @Test def executorsWithoutATaskForAWhileAreRested(): Unit = {
    look(0, of("1", "23"), 3)
    assertEquals(Nil, sizing.rested(4 * second))
    assertEquals(List("2", "3"), sizing.rested(5 * second))
    look(6, of("12", "3"), 3)
    assertEquals(List("3"), sizing.rested(6 * second))
    look(7, of("1", "2"), 3) // 3 is lost
    assertEquals(Nil, sizing.rested(11 * second))
  }

  @Test def withoutAnAnswerAllAreAskedForAndNoneGoes(): Unit = {
    assertEquals(None, later(4, of(""), None))
    assertEquals(Some(Change(most, Nil)), later(5, of(""), None))
    assertEquals(Rule.Silence, sizing.rule)
    val said = Some(Said(1, 6 * second))
    assertEquals(Some(Change(1, List("2"))), later(7, of("1", "2"), said))
    assertEquals(Rule.Agent, sizing.rule)
    assertEquals(None, later(10, of("1"), said))
    assertEquals(Some(Change(most, Nil)), later(11, of("1"), said))
    assertEquals(Rule.Silence, sizing.rule)
  }

  @Test def anAgentThatDoesNotSayLeavesAll(): Unit = {
    assertEquals(Some(Change(most, Nil)), look(0, of(""), -1))
    assertEquals(Rule.NoWord, sizing.rule)
    assertEquals(None, look(1, of("123456789"), -1))
    assertEquals(Some(Change(2, Nil)), look(2, of("12"), 2))
    assertEquals(Rule.Agent, sizing.rule)
  }

  @Test def afterADefectAllAreAskedForOnce(): Unit = {
    look(0, of(""), 1)
    assertEquals(Some(Change(most, Nil)), sizing.all(second))
    assertEquals(None, sizing.all(2 * second))
    assertEquals(Some(Change(most, Nil)), sizing.all(31 * second))
  }

  @Test def workThatTheAgentIsNotToldOfHasOneExecutor(): Unit = {
    assertEquals(Some(Change(1, Nil)), look(0, of(""), 0, some))
    assertEquals(None, look(1, of("1"), 0, some))
    assertEquals(None, look(2, of("1"), 1, some))
    assertEquals(Some(Change(0, List("1"))), look(3, of("", "1"), 0))
  }

  @Test def tasksThatStartTogetherBringAllAndNoneIsForOthers(): Unit = {
    look(0, of("", "12"), 2)
    assertEquals(Some(Change(most, Nil)), look(6, of("", "12"), 0, none.copy(together = true)))
    assertEquals(Rule.Together, sizing.rule)
    assertEquals(Nil, sizing.rested(6 * second))
    assertEquals(None, look(7, of("", "1234"), 0, none.copy(together = true)))
    assertEquals(Some(Change(1, List("1", "2", "3"))), look(8, of("", "1234"), 1))
    assertEquals(Rule.Agent, sizing.rule)
  }

  @Test def executorsOfTasksThatStartedTogetherStay(): Unit = {
    val own = some.copy(bound = Set("1", "3"))
    look(0, of("123", "4"), 4, own)
    assertEquals(Some(Change(2, List("4", "2"))), look(1, of("123", "4"), 0, own))
    assertEquals(None, look(2, of("13"), 1, own))
    assertEquals(Some(Change(1, List("3"))), look(3, of("13"), 1, none))
  }

  @Test def whatIsInTheWayIsTold(): Unit = {
    val url = "spark://h:7077"
    val conf = new SparkConf(false)
    assertTrue(Sharing.obstacle(conf, url).exists(_.contains("spark.executor.cores is not set")))
    conf.set("spark.executor.cores", "2")
    assertTrue(Sharing.obstacle(conf, url).exists(_.contains("spark.task.cpus is 1")))
    conf.set("spark.task.cpus", "2")
    assertEquals(None, Sharing.obstacle(conf, url))
    conf.set("spark.decommission.enabled", "false")
    assertTrue(Sharing.obstacle(conf, url).exists(_.startsWith("spark.decommission.enabled: f")))
    conf.remove("spark.decommission.enabled")
    for (master <- Seq("local[2]", "yarn", "k8s://h"))
      assertTrue(Sharing.obstacle(conf, master).exists(_.startsWith(master)), master)
    conf.set("spark.dynamicAllocation.enabled", "true")
    assertTrue(Sharing.obstacle(conf, url).exists(_.contains("already")))
  }
}
