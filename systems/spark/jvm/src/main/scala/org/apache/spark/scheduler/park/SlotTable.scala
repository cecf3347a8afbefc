package org.apache.spark.scheduler.park

import scala.collection.mutable

/** What a slot did last; `job` is empty where that was part of no logical job. */
private[park] case class Last(stage: Int, job: String)

/** The slots of all executors: each runs one task at a time. Spark offers free cores without
  * telling what they did before; here each free slot of an executor has what it did last. Not
  * thread-safe.
  */
private[park] final class SlotTable {
  private final class Executor {
    val running = mutable.HashMap.empty[Long, (Last, Double)] // task -> what, since when
    var idle = List.empty[Option[Last]] // the latest first
  }
  private val executors = mutable.LinkedHashMap.empty[String, Executor]
  private val leaving = mutable.HashSet.empty[String]
  private var busy = 0.0
  private var moved = 0L

  private def staying = executors.iterator.filterNot(e => leaving(e._1))
  def total: Int = staying.map { case (_, e) => e.running.size + e.idle.size }.sum
  /** Of each executor, whether a task runs on it, as far as it was offered since. */
  def working: Map[String, Boolean] =
    staying.map { case (id, executor) => id -> executor.running.nonEmpty }.toMap
  /** Executors that run tasks of these stages. */
  def serving(stages: Set[Int]): Set[String] = staying.collect {
    case (id, executor) if executor.running.valuesIterator.exists(ran => stages(ran._1.stage)) => id
  }.toSet
  def idle: Int = executors.valuesIterator.map(_.idle.size).sum
  /** Seconds of slots that ran a task of a logical job, those that still run included. */
  def busySeconds(now: Double): Double =
    busy + executors.valuesIterator.flatMap(_.running.valuesIterator).map(used(_, now)).sum
  /** Tasks by stage. */
  def runningByStage: Map[Int, Int] =
    executors.valuesIterator.flatMap(_.running.valuesIterator).toSeq.groupBy(_._1.stage)
      .map { case (stage, tasks) => stage -> tasks.size }
  /** Tasks of another logical job than the slot's last one. */
  def moves: Long = moved

  /** An executor is offered with so many free slots: the tasks that are over have left them. */
  def offered(id: String, free: Int, isOver: Long => Boolean, now: Double): Unit = {
    val executor = executors.getOrElseUpdate(id, new Executor)
    executor.running.keysIterator.filter(isOver).toList.sorted.foreach { task =>
      val ran = executor.running.remove(task).get
      busy += used(ran, now)
      executor.idle = Some(ran._1) :: executor.idle
    }
    executor.idle = executor.idle.take(free).padTo(free, None)
  }

  /** What the free slots of an executor did last. */
  def lasts(id: String): List[Option[Last]] = executors.get(id).map(_.idle).getOrElse(Nil)

  /** The job that the free slots of these executors served last, if there is one. */
  def commonJob(ids: Iterator[String]): Option[String] = {
    val jobs = ids.flatMap(lasts).map(_.map(_.job)).toSet
    if (jobs.size == 1) jobs.head else None
  }

  /** What all free slots did last. */
  def lastStages: Set[Int] =
    executors.valuesIterator.flatMap(_.idle.iterator.flatten).map(_.stage).toSet

  /** A task takes a free slot: one of its stage, else of its job, else what is free longest. */
  def launched(id: String, task: Long, what: Last, now: Double): Unit = {
    val executor = executors.getOrElseUpdate(id, new Executor)
    val at = Seq(
      executor.idle.indexWhere(_.contains(what)),
      executor.idle.indexWhere(_.exists(_.job == what.job)),
      executor.idle.size - 1).find(_ >= 0)
    at.foreach { i =>
      if (what.job.nonEmpty && executor.idle(i).exists(last => last.job.nonEmpty
        && last.job != what.job)) moved += 1
      executor.idle = executor.idle.patch(i, Nil, 1)
    }
    executor.running(task) = (what, now)
  }

  /** Forgets executors that are gone. */
  def keep(isAlive: String => Boolean, now: Double): Unit =
    executors.keysIterator.filterNot(isAlive).toList.foreach { id =>
      busy += executors.remove(id).get.running.valuesIterator.map(used(_, now)).sum
      leaving -= id
    }

  /** Executors are given back: their slots count no more, what runs on them goes on. */
  def leave(ids: Iterable[String]): Unit = ids.foreach { id =>
    leaving += id
    executors.get(id).foreach(_.idle = Nil)
  }
  /** They are not given back after all; what is free is offered again. */
  def stay(ids: Iterable[String]): Unit = leaving --= ids
  def isLeaving(id: String): Boolean = leaving(id)

  /** Spark does not offer what is given back, so its tasks end unseen. */
  def sweep(isOver: Long => Boolean, now: Double): Unit =
    leaving.filter(executors.contains).foreach(offered(_, 0, isOver, now))

  private def used(ran: (Last, Double), now: Double): Double =
    if (ran._1.job.isEmpty) 0 else now - ran._2
}
