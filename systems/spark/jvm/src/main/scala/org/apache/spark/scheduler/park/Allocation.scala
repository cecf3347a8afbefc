package org.apache.spark.scheduler.park

import java.util.concurrent.{Executors, TimeUnit}

import scala.util.control.NonFatal

import org.apache.spark.{ExecutorAllocationClient, SparkConf}
import org.apache.spark.internal.Logging
import org.apache.spark.scheduler.ExecutorDecommissionInfo

/** Asks the cluster for executors and gives them back, as Sizing or SharedSizing say. What a stage
  * has made moves to others before an executor goes.
  *
  * @param period in ms
  * @param look what is to change; called on a thread of its own, as are the others
  * @param failed the cluster was not told of so many executors, and those of the change stay
  * @param before comes first each time that a period is over
  */
private[park] final class Allocation(
    client: ExecutorAllocationClient, period: Long, look: () => Option[Change],
    failed: Change => Unit, before: () => Unit = () => ()) extends Logging {
  private val timer = Executors.newSingleThreadScheduledExecutor { (body: Runnable) =>
    val thread = new Thread(body, "park-executors")
    thread.setDaemon(true)
    thread
  }
  private var told = -1 // for the log: a request is made again until its executors are there

  def start(): Unit =
    timer.scheduleWithFixedDelay(
      () => caught { before(); change() }, period, period, TimeUnit.MILLISECONDS)
  /** Something is to change before the period is over. */
  def soon(): Unit = if (!timer.isShutdown) timer.execute(() => caught(change()))
  def close(): Unit = timer.shutdownNow()

  /** An error would end the timer in silence. */
  private def caught(body: => Unit): Unit =
    try body catch {
      case _: InterruptedException => // the end
      case e if NonFatal(e) => logWarning("Park: executors stay as they are", e)
    }

  private def change(): Unit = look().foreach { one =>
    try apply(one) catch {
      case e: Throwable =>
        failed(one)
        throw e
    }
  }

  private def apply(change: Change): Unit = {
    if (change.total != told || change.gone.nonEmpty) {
      logInfo(s"Park: ${change.total} executors are needed; ${change.gone.size} go")
    }
    told = change.total
    val profile = OpenStages.DefaultProfile
    // First, so that the cluster does not replace those that go.
    val heard = client.requestTotalExecutors(Map(profile -> change.total), Map(profile -> 0),
      Map(profile -> Map.empty[String, Int]))
    if (!heard) failed(Change(change.total, Nil))
    val info = ExecutorDecommissionInfo("Park gives it back", None)
    if (change.gone.nonEmpty) {
      client.decommissionExecutors(change.gone.map(_ -> info).toArray, false, false)
    }
  }
}

private[park] object Allocation {
  val Dynamic = "spark.dynamicAllocation.enabled"
  private val Most = "spark.dynamicAllocation.maxExecutors"
  private val Least = "spark.dynamicAllocation.minExecutors"
  private val Instances = "spark.executor.instances"
  private val Leave = "spark.decommission.enabled"
  private val Needed = Seq(Leave, "spark.storage.decommission.enabled",
    "spark.storage.decommission.shuffleBlocks.enabled",
    "spark.storage.decommission.rddBlocks.enabled")

  /** Why the policy cannot size the application. */
  def obstacle(conf: SparkConf): Option[String] =
    if (conf.getBoolean(Dynamic, false)) Some(s"$Dynamic: Spark sizes the application already")
    else if (most(conf).isEmpty) Some(s"neither $Most nor $Instances is set")
    else keeping(conf)

  /** Why no executor goes: it would get no more tasks, but Spark would keep it. */
  def keeping(conf: SparkConf): Option[String] =
    if (conf.getBoolean(Leave, true)) None
    else Some(s"$Leave: false keeps executors that are given back")

  def most(conf: SparkConf): Option[Int] =
    conf.getOption(Most).orElse(conf.getOption(Instances)).map(_.toInt)
  /** Without one nothing would be offered, and nothing decided. */
  def least(conf: SparkConf): Int = math.max(1, conf.getInt(Least, 1))

  /** Before executors ask for the settings. */
  def prepare(conf: SparkConf): Unit = Needed.foreach(conf.setIfMissing(_, "true"))
}
