package org.apache.spark.scheduler.park

import java.util.concurrent.{Executors, TimeUnit}

import scala.collection.mutable

/** Slots whose stage is over wait for the next one of their job, where Spark is about to submit it:
  * it offers a slot when its task ends, and submits the next stage some milliseconds later. Without
  * a wait the slot has gone to another job by then; a simulator submits at once. Not thread-safe.
  *
  * @param limitNs  longest wait of a slot; 0: none waits
  * @param revive   has all free slots offered again
  */
private[park] final class Settling(limitNs: Long, revive: () => Unit) {
  private val since = mutable.HashMap.empty[Int, Long] // by stage
  private var waits = Set.empty[Int]
  private lazy val timer = Executors.newSingleThreadScheduledExecutor { (body: Runnable) =>
    val thread = new Thread(body, "park-settling")
    thread.setDaemon(true)
    thread
  }

  /** The stages whose slots are to wait.
    *
    * @param due stages that free slots ran last, that are over, and whose next one is not there
    */
  def waiting(due: Set[Int], nowNs: Long): Set[Int] = {
    since.keysIterator.filterNot(due).toList.foreach(since.remove)
    waits = if (limitNs == 0) Set.empty else due.filter(nowNs - begin(_, nowNs) < limitNs)
    waits
  }

  /** Slots wait, and will be offered again. */
  def isWaiting: Boolean = waits.nonEmpty

  def close(): Unit = timer.shutdownNow()

  private def begin(stage: Int, nowNs: Long): Long = since.getOrElseUpdate(stage, {
    if (!timer.isShutdown)
      timer.schedule((() => revive()): Runnable, limitNs, TimeUnit.NANOSECONDS)
    nowNs
  })
}
