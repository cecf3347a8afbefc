package org.apache.spark.scheduler.park

import java.time.Duration

import org.apache.spark.SparkConf
import org.apache.spark.network.util.JavaUtils

/** What a user sets. A value that is not allowed is told in one line and ends the start.
  *
  * @param agents one at least; the first that answers decides
  */
private[spark] case class Settings(
    agents: Seq[String], timeout: Duration, async: Boolean, misses: Int, retry: Duration,
    settle: Duration, key: Option[String], loopback: Boolean, sizes: Sized, idle: Duration)

/** Who says how many executors an application has. */
private[spark] sealed abstract class Sized(val name: String)
private[spark] object Sized {
  case object BySpark extends Sized("spark")
  /** The limits of the policy's decisions. */
  case object ByPolicy extends Sized("policy")
  /** The agent, which shares those of a cluster over several applications. */
  case object Shared extends Sized("shared")
  val all: Seq[Sized] = Seq(BySpark, ByPolicy, Shared)
}

private[spark] object Settings {
  val Agent = "spark.park.agent"
  val Timeout = "spark.park.decision.timeout"
  val Mode = "spark.park.decision.mode"
  val Misses = "spark.park.misses"
  val Retry = "spark.park.retry"
  val Settle = "spark.park.settle"
  val Key = "spark.park.key"
  val OnLoopback = "spark.park.loopback"
  val Sizes = "spark.park.executors"
  val Idle = "spark.park.executors.idle"
  private val Prefix = "spark.park."
  private val Known = Seq(Agent, Timeout, Mode, Misses, Retry, Settle, Key, OnLoopback, Sizes, Idle)

  /** None where no agent is set, in the settings or as PARK_AGENT in the environment. */
  def read(conf: SparkConf): Option[Settings] = {
    conf.getAll.map(_._1).filter(k => k.startsWith(Prefix) && !Known.contains(k)).foreach { key =>
      throw new IllegalArgumentException(
        s"$key: no such setting; allowed are ${Known.mkString(", ")}")
    }
    val agents = conf.getOption(Agent).orElse(sys.env.get("PARK_AGENT")).toSeq
      .flatMap(_.split(',')).map(_.trim).filter(_.nonEmpty)
    if (agents.isEmpty) None
    else Some(Settings(
      oneIfShared(conf, agents),
      timeout = milliseconds(conf, Timeout, 50, 1, 10000),
      async = oneOf(conf, Mode, "wait", "async") == "async",
      misses = number(conf, Misses, 3, 1, 1000),
      retry = milliseconds(conf, Retry, 1000, 10, 600000),
      settle = milliseconds(conf, Settle, 100, 0, 1000),
      key = conf.getOption(Key).orElse(sys.env.get("PARK_KEY")).map(_.trim).filter(_.nonEmpty),
      loopback = oneOf(conf, OnLoopback, "false", "true") == "true",
      sizes = sized(conf),
      idle = milliseconds(conf, Idle, 5000, 100, 600000)))
  }

  /** A pool has one agent: another one would promise the same executors to other applications. */
  private def oneIfShared(conf: SparkConf, agents: Seq[String]): Seq[String] = {
    if (agents.size > 1 && sized(conf) == Sized.Shared)
      wrong(Agent, agents.mkString(", "), s"one agent where $Sizes is shared")
    agents
  }

  private def sized(conf: SparkConf): Sized = {
    val text = oneOf(conf, Sizes, Sized.all.map(_.name): _*)
    Sized.all.find(_.name == text).get
  }

  /** @param allowed first the default */
  private def oneOf(conf: SparkConf, key: String, allowed: String*): String = {
    val text = conf.get(key, allowed.head)
    if (!allowed.contains(text))
      wrong(key, text, allowed.init.mkString(", ") + " or " + allowed.last)
    text
  }

  private def milliseconds(conf: SparkConf, key: String, default: Long, least: Long, most: Long) = {
    val text = conf.get(key, s"${default}ms")
    val value = try JavaUtils.timeStringAsMs(text) catch { case _: NumberFormatException => -1L }
    if (value < least || value > most) wrong(key, text, s"a time of ${least}ms to ${most}ms")
    Duration.ofMillis(value)
  }

  private def number(conf: SparkConf, key: String, default: Int, least: Int, most: Int): Int = {
    val text = conf.get(key, default.toString)
    val value = try text.toInt catch { case _: NumberFormatException => least - 1 }
    if (value < least || value > most) wrong(key, text, s"$least to $most")
    value
  }

  private def wrong(key: String, text: String, allowed: String): Nothing =
    throw new IllegalArgumentException(s"$key: $text is not allowed; it is $allowed")
}
