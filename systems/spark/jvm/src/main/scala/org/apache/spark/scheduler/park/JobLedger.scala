package org.apache.spark.scheduler.park

import scala.collection.mutable

/** A stage of a logical job, under whatever id Spark submits it. Times are in seconds. */
private[park] final class Node(val id: Int, val job: LogicalJob) {
  var stages = Set.empty[Int] // what Spark calls it, now and before
  var parents = Set.empty[Node]
  var tasks = 0
  var done = false
  var measured = 0
  var measuredS = 0.0
  var lastS = 0.0
  var readyS = -1.0
  var place = -1 // in the snapshot that is being written

  def meanS: Double = if (measured == 0) 0 else measuredS / measured
}

/** A query, or what the application tagged as one job. */
private[park] final class LogicalJob(val number: Int, val name: String, var arrivalS: Double) {
  val title: String = name.takeWhile(_ != Names.Mark) // which other executions may have too
  val nodes = mutable.LinkedHashMap.empty[NodeKey, Node]
  val open = mutable.Set.empty[OpenPart] // it is in the system while one of them is
  var failed = false
  var endS = Double.PositiveInfinity // at the latest, where its end has not been told

  def workS: Double = nodes.valuesIterator.map(_.measuredS).sum
  /** The longest chain of stages with one mean task each. */
  def chainS: Double = {
    val known = mutable.HashMap.empty[Node, Double]
    def chain(node: Node): Double = known.getOrElseUpdate(node,
      node.meanS + node.parents.iterator.map(chain).foldLeft(0.0)(math.max))
    nodes.valuesIterator.map(chain).foldLeft(0.0)(math.max)
  }
}

/** What is left of a job that has ended. */
private[park] case class EndedJob(number: Int, title: String, arrivalS: Double, endS: Double,
    failed: Boolean, workS: Double, chainS: Double)

/** What makes a stage the same one under another id: its shuffle; else its id. */
private[park] sealed trait NodeKey
private[park] case class ShuffleKey(shuffle: Int) extends NodeKey
private[park] case class StageKey(stage: Int) extends NodeKey

/** What keeps a logical job in the system. */
private[park] sealed trait OpenPart
private[park] case class SparkJob(id: Int) extends OpenPart
private[park] case class SqlExecution(root: Long) extends OpenPart

/** Which logical jobs are in the system, and since when: their integral over time is what is to be
  * made small. A job begins with its first stage, or with its query where that is known to have
  * begun before; it ends when no query and no Spark job of it is open. The same name may come
  * again: that is another job, also where the end of the one before has not been told. Times may be
  * told late; the integral follows. Not thread-safe.
  */
private[park] final class JobLedger {
  private val jobs = mutable.LinkedHashMap.empty[String, LogicalJob] // live ones, by name
  private val untold = mutable.LinkedHashSet.empty[LogicalJob] // over, but their ends are not told
  private val started = mutable.HashMap.empty[Long, Double] // queries without a stage yet
  private val over = mutable.LinkedHashSet.empty[Long] // queries that ended, the latest last
  private val ended = mutable.Queue.empty[EndedJob]
  private var endedSeconds = 0.0
  private var nextJob, nextNode = 0

  def live: Iterable[LogicalJob] = jobs.values
  def nextNodeId(): Int = { nextNode += 1; nextNode - 1 }

  /** A stage of a Spark job is submitted, maybe after its query has ended: one that fails leaves
    * Spark jobs of broadcasts and subqueries behind. Nothing would end such a query once more.
    *
    * @param isOpen whether Spark still has a part, which it knows before it says so by an event
    */
  def submitted(
      name: String, sparkJob: Int, query: Option[Long], now: Double,
      isOpen: OpenPart => Boolean): LogicalJob = {
    jobs.get(name).filterNot(_.open.exists(isOpen)).foreach { job =>
      job.endS = now
      jobs -= name
      untold += job
    }
    val job = jobs.getOrElseUpdate(name, {
      nextJob += 1
      new LogicalJob(nextJob - 1, name, now)
    })
    job.open += SparkJob(sparkJob)
    query.filterNot(over).foreach { root =>
      job.open += SqlExecution(root)
      started.remove(root).foreach(at => job.arrivalS = math.min(job.arrivalS, at))
    }
    job
  }

  def queryStarted(root: Long, at: Double): Unit =
    holding(SqlExecution(root)) match {
      case Nil => started(root) = at
      case some => some.foreach(job => job.arrivalS = math.min(job.arrivalS, at))
    }

  def queryEnded(root: Long, at: Double, failed: Boolean): Unit = {
    started.remove(root)
    over += root
    if (over.size > JobLedger.MostOver) over -= over.head
    closed(SqlExecution(root), at, failed)
  }

  /** A failed Spark job is one of a query that may succeed all the same. */
  def sparkJobEnded(id: Int, at: Double, failed: Boolean): Unit =
    holding(SparkJob(id)).foreach { job =>
      val inQuery = job.open.exists(_.isInstanceOf[SqlExecution])
      closed(SparkJob(id), at, failed && !inQuery)
    }

  /** The integral of the number of jobs in the system. */
  def jobSeconds(now: Double): Double =
    endedSeconds + all.map(job => math.max(0, math.min(now, job.endS) - job.arrivalS)).sum

  /** Jobs that ended and that nobody was told of. */
  def unreported: Seq[EndedJob] = ended.toList
  /** The first of them were told. */
  def reported(n: Int): Unit = (0 until n).foreach(_ => ended.dequeue())

  private def all: Iterator[LogicalJob] = jobs.valuesIterator ++ untold.iterator

  /** Several where a query has work under several names. */
  private def holding(part: OpenPart): List[LogicalJob] = all.filter(_.open(part)).toList

  private def closed(part: OpenPart, at: Double, failed: Boolean): Unit =
    holding(part).foreach { job =>
      job.open -= part
      job.failed |= failed
      if (job.open.isEmpty) {
        val end = math.max(math.min(at, job.endS), job.arrivalS)
        endedSeconds += end - job.arrivalS
        if (!untold.remove(job)) jobs -= job.name
        ended += EndedJob(
          job.number, job.title, job.arrivalS, end, job.failed, job.workS, job.chainS)
      }
    }
}

private[park] object JobLedger {
  /** Far more queries than any that end while a Spark job of one of them runs. */
  val MostOver = 10000
}
