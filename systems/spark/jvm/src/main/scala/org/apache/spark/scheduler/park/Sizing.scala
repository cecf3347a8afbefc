package org.apache.spark.scheduler.park

import scala.collection.mutable

/** So many executors an application is to have, and which of those that it has are to go. */
private[park] case class Change(total: Int, gone: Seq[String])

/** How many executors an application needs for what the policy hands out. One without a task for a
  * while goes: either nothing is left to do, or the policy's limits hold the tasks back. In the
  * second case no other one is asked for until the jobs in the system change, because the limits
  * would hold again. While all are busy and tasks are left, more are asked for: 1, 2, 4, ... as
  * Spark's dynamic allocation does. Tasks that start all together wait until there are slots for
  * all of them, so the most is asked for and none goes. What an application begins with beyond the
  * most goes at once. Not thread-safe.
  *
  * @param slots of an executor
  * @param idleNs how long an executor has no task before it goes
  */
private[park] final class Sizing(least: Int, most: Int, slots: Int, idleNs: Long) {
  private val idleSince = mutable.HashMap.empty[String, Long]
  private val leaving = mutable.HashSet.empty[String]
  private var backlogSince = Option.empty[Long]
  private var step = 1
  private var ceiling = most
  private var known = Set.empty[Int]

  /** @param busy of each executor, whether a task runs on it
    * @param left tasks that could be launched now
    * @param jobs in the system
    * @param together tasks wait that start all together
    */
  def look(
      now: Long, busy: Map[String, Boolean], left: Int, jobs: Set[Int],
      together: Boolean): Option[Change] = {
    if (jobs != known) {
      known = jobs
      ceiling = most
    }
    leaving.filterNot(busy.contains).foreach(leaving.remove)
    val present = busy.filterNot(executor => leaving(executor._1))
    idleSince.keysIterator.filterNot(id => present.get(id).contains(false)).toList
      .foreach(idleSince.remove)
    present.foreach { case (id, works) => if (!works) idleSince.getOrElseUpdate(id, now) }
    val gone = idleSince.toList.filter(now - _._2 >= idleNs).sortBy(_.swap).map(_._1)
      .take(present.size - least)
    val extra = beyond(present)
    if (together) gather(now, present.size)
    else if (extra.nonEmpty) Some(release(present.size, extra, left))
    else if (gone.nonEmpty) Some(release(present.size, gone, left))
    else grow(now, present, left)
  }

  /** The cluster was not told: those that were to go stay, and may go later. */
  def failed(change: Change): Unit = leaving --= change.gone

  /** Those that are idle longest go first; of those that work the latest, which knows least. */
  private def beyond(present: Map[String, Boolean]): List[String] = {
    val idle = idleSince.toList.sortBy(_.swap).map(_._1)
    val busy = present.keysIterator.filter(present).toList.sortBy(id => (id.length, id)).reverse
    (idle ++ busy).take(present.size - most)
  }

  private def gather(now: Long, present: Int): Option[Change] = {
    idleSince.clear() // Spark looks now and then only: they are idle until it does
    if (present >= most || backlogSince.exists(now - _ < Sizing.BacklogNs)) None
    else {
      backlogSince = Some(now)
      Some(Change(most, Nil))
    }
  }

  private def release(present: Int, gone: List[String], left: Int): Change = {
    leaving ++= gone
    gone.foreach(idleSince.remove)
    val total = present - gone.size
    if (left > 0) ceiling = math.min(most, math.max(total, least))
    Change(total, gone)
  }

  private def grow(now: Long, present: Map[String, Boolean], left: Int): Option[Change] = {
    val short = left > 0 && present.size < ceiling && present.values.forall(identity)
    if (!short) {
      backlogSince = None
      step = 1
      None
    } else if (now - backlogSince.getOrElse(now) < Sizing.BacklogNs) {
      backlogSince = backlogSince.orElse(Some(now))
      None
    } else {
      backlogSince = Some(now)
      val more = math.min(step, (left + slots - 1) / slots)
      step = math.min(2 * step, most)
      Some(Change(math.min(ceiling, present.size + more), Nil))
    }
  }
}

private[park] object Sizing {
  /** Tasks wait so long before another executor is asked for, as by Spark's own default. */
  val BacklogNs = 1000L * 1000 * 1000
}
