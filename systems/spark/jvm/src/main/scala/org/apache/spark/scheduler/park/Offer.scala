package org.apache.spark.scheduler.park

import scala.collection.mutable
import scala.collection.mutable.ArrayBuffer

import org.apache.spark.scheduler.{TaskDescription, TaskSetManager, WorkerOffer}

/** The free slots of one call of resourceOffers, handed out in rounds: each round shows Spark some
  * task sets and some of the executors with some of their cores, so that Spark itself launches what
  * was decided, with its own rules about places and failures.
  *
  * @param launch Spark's own resourceOffers, for the task sets that are shown
  * @param record takes down what was launched; it must not throw, because Spark counts on the tasks
  */
private[park] final class Offer(
    offers: IndexedSeq[WorkerOffer], cpusPerTask: Int, slots: SlotTable, pool: FilteredPool,
    launch: IndexedSeq[WorkerOffer] => Seq[Seq[TaskDescription]],
    record: TaskDescription => Unit) {
  private val byId = offers.map(offer => offer.executorId -> offer).toMap
  private val left = mutable.LinkedHashMap.empty[String, Int]
  private val apart = mutable.LinkedHashMap.empty[String, Int] // of executors of other profiles
  offers.foreach { offer =>
    val slots = if (offer.resourceProfileId == OpenStages.DefaultProfile) left else apart
    slots(offer.executorId) = offer.cores / cpusPerTask
  }
  private val result = ArrayBuffer.empty[Seq[TaskDescription]]

  def launched: Seq[Seq[TaskDescription]] = result.toSeq
  def free: Int = left.valuesIterator.sum

  /** The job that all free slots served last, if there is one. */
  def commonJob: Option[String] = slots.commonJob(left.iterator.filter(_._2 > 0).map(_._1))

  /** Each free slot goes on with the stage that it served, where that has tasks to launch. */
  def goOn(runnable: Map[Int, TaskSetManager]): Unit = {
    val wanted = left.keysIterator.toList.flatMap { id =>
      slots.lasts(id).flatten.flatMap(last => runnable.get(last.stage)).groupBy(identity)
        .map { case (set, same) => (set, id, same.size) }
    }
    wanted.groupBy(_._1).foreach { case (set, parts) =>
      val cores = parts.map(part => part._2 -> math.min(part._3, left(part._2))).filter(_._2 > 0)
      if (cores.nonEmpty) round(cores, _ eq set)
    }
  }

  /** Slots that served these stages last stay free. */
  def keep(stages: Set[Int]): Unit = left.keysIterator.toList.foreach { id =>
    left(id) -= math.min(left(id), slots.lasts(id).flatten.count(last => stages(last.stage)))
  }

  /** Gives a stage up to so many slots, first those that served its job last. */
  def give(set: TaskSetManager, job: String, most: Int): Int = {
    val before = free
    var want = most
    def take(from: Int => Int, id: String): Option[(String, Int)] = {
      val n = math.min(want, from(left(id)))
      want -= n
      if (n > 0) Some(id -> n) else None
    }
    val own = left.keysIterator.toList
      .map(id => id -> slots.lasts(id).count(_.exists(_.job == job)))
    val first = own.flatMap { case (id, n) => take(math.min(n, _), id) }.toMap
    val rest = own.flatMap { case (id, _) => take(_ - first.getOrElse(id, 0), id) }.toMap
    val cores = (first.keySet ++ rest.keySet).toList
      .map(id => id -> (first.getOrElse(id, 0) + rest.getOrElse(id, 0)))
    if (cores.nonEmpty) round(cores, _ eq set)
    before - free
  }

  /** Offers all that is left to the task sets that are shown, in Spark's order; also what other
    * profiles have, which no decision is about.
    */
  def plain(shown: TaskSetManager => Boolean): Unit = {
    val all = (left.toList ++ apart).filter(_._2 > 0)
    if (all.nonEmpty) round(all, shown)
  }

  private def round(cores: Seq[(String, Int)], shown: TaskSetManager => Boolean): Unit = {
    val part = cores.map { case (id, n) => byId(id).copy(cores = n * cpusPerTask) }.toIndexedSeq
    val tasks = pool.showing(shown)(launch(part))
    result ++= tasks
    for (some <- tasks; task <- some) {
      // A task of another profile may take several.
      val taken = (task.cpus + cpusPerTask - 1) / cpusPerTask
      if (left.contains(task.executorId)) {
        left(task.executorId) -= taken
        record(task)
      } else {
        apart(task.executorId) -= taken
      }
    }
  }
}
