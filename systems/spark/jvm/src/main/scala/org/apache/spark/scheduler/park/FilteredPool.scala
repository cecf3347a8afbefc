package org.apache.spark.scheduler.park

import scala.collection.mutable.ArrayBuffer

import org.apache.spark.scheduler.{Pool, TaskSetManager}
import org.apache.spark.scheduler.SchedulingMode.SchedulingMode

/** Spark's root pool, of which a part may be shown for a while. Guarded by the scheduler. */
private[park] class FilteredPool(mode: SchedulingMode) extends Pool("", mode, 0, 0) {
  private val everything = (_: TaskSetManager) => true
  private var shown = everything

  override def getSortedTaskSetQueue: ArrayBuffer[TaskSetManager] = all.filter(shown)

  /** Whatever is shown. */
  def all: ArrayBuffer[TaskSetManager] = super.getSortedTaskSetQueue

  def showing[T](these: TaskSetManager => Boolean)(body: => T): T = {
    shown = these
    try body finally shown = everything
  }
}
