package org.apache.spark.scheduler.park

import org.apache.spark.SparkContext
import org.apache.spark.internal.Logging

/** Has Spark look for our task scheduler: before it makes one, the master's text gets a prefix that
  * only ParkClusterManager takes, which restores what the user wrote.
  */
object Attachment extends Logging {
  val Master = "spark.master"
  private val ExecutorCores = "spark.executor.cores"

  def attach(sc: SparkContext): Unit = {
    val master = sc.conf.get(Master)
    if (ParkMaster.isMarked(master)) {
      return // by its text: spark+park://
    }
    if (Host.of(master).isEmpty && Settings.read(sc.conf).nonEmpty) {
      logWarning(s"Park: $master is not supported; this is plain Spark. Allowed are spark://, "
        + "local, local[N] and local[N,F], and yarn and k8s:// where Spark has them")
    } else if (settings(sc).nonEmpty) {
      // Some versions read the marked text and take the default of one core, others all of them.
      if (ParkMaster.isCluster(master) && !sc.conf.contains(ExecutorCores)) {
        sc.conf.set(ExecutorCores, "1")
        logInfo(s"Park: $ExecutorCores is not set; it is 1")
      }
      sc.conf.set(Master, ParkMaster.mark(master))
    }
  }

  /** What is set, where an agent can take the decisions; else the log says why this is plain Spark.
    */
  def settings(sc: SparkContext): Option[Settings] = {
    val found = Settings.read(sc.conf)
    if (found.isEmpty)
      logInfo(s"Park: no agent is set (${Settings.Agent}, or PARK_AGENT); this is plain Spark")
    val missing = Hooks.missing()
    val problem =
      if (missing.isEmpty) found.flatMap(Reach.problem(sc, _))
      else Some(s"Spark ${sc.version} has no ${missing.mkString(", no ")}")
    if (found.nonEmpty) problem.foreach(why => logWarning(s"Park: $why; this is plain Spark"))
    found.filter(_ => problem.isEmpty)
  }
}

/** The texts of masters that are ours. */
private[spark] object ParkMaster {
  private val Mark = "park+"
  private val Url = "spark+park://"
  private val Cluster = "spark://(.+)".r
  private val Local = """local(?:\[(\d+|\*)(?:\s*,\s*(\d+))?\])?""".r

  def isCluster(master: String): Boolean = Cluster.pattern.matcher(master).matches
  /** Spark itself makes their backends; for others an ExternalClusterManager does. */
  def isOwn(master: String): Boolean =
    isCluster(master) || Local.pattern.matcher(master).matches
  def isMarked(master: String): Boolean = master.startsWith(Url) || master.startsWith(Mark)
  def mark(master: String): String = Mark + master
  def unmark(master: String): String =
    if (master.startsWith(Url)) "spark://" + master.substring(Url.length)
    else master.substring(Mark.length)

  /** The addresses of masters. */
  def addresses(master: String): Option[Array[String]] = master match {
    case Cluster(hosts) => Some(hosts.split(",").map("spark://" + _))
    case _ => None
  }

  /** Threads, and how often a task may fail. */
  def threads(master: String): (Int, Int) = master match {
    case Local(n, failures) =>
      val threads = n match {
        case null => 1
        case "*" => Runtime.getRuntime.availableProcessors
        case _ => n.toInt
      }
      (threads, Option(failures).map(_.toInt).getOrElse(1))
  }
}
