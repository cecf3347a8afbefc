package org.apache.spark.scheduler.park

import org.apache.spark.SparkContext
import org.apache.spark.internal.config.TASK_MAX_FAILURES
import org.apache.spark.scheduler._
import org.apache.spark.scheduler.cluster.StandaloneSchedulerBackend
import org.apache.spark.scheduler.local.LocalSchedulerBackend

/** Makes our task scheduler on Spark's own backends, for masters that Attachment has marked and for
  * `spark+park://HOST:PORT`.
  */
private[spark] class ParkClusterManager extends ExternalClusterManager {
  override def canCreate(master: String): Boolean = ParkMaster.isMarked(master)

  override def createTaskScheduler(sc: SparkContext, marked: String): TaskScheduler = {
    val master = ParkMaster.unmark(marked)
    sc.conf.set(Attachment.Master, master)
    val local = ParkMaster.addresses(master).isEmpty
    val failures = if (local) ParkMaster.threads(master)._2 else sc.conf.get(TASK_MAX_FAILURES)
    val missing = Hooks.missing()
    Settings.read(sc.conf) match {
      case Some(settings) if missing.isEmpty =>
        new ParkTaskScheduler(sc, failures, local, settings)
      case _ => new TaskSchedulerImpl(sc, failures, local)
    }
  }

  override def createSchedulerBackend(
      sc: SparkContext, marked: String, scheduler: TaskScheduler): SchedulerBackend = {
    val master = ParkMaster.unmark(marked)
    val tasks = scheduler.asInstanceOf[TaskSchedulerImpl]
    ParkMaster.addresses(master) match {
      case Some(masters) => new StandaloneSchedulerBackend(tasks, sc, masters)
      case None => new LocalSchedulerBackend(sc.conf, tasks, ParkMaster.threads(master)._1)
    }
  }

  override def initialize(scheduler: TaskScheduler, backend: SchedulerBackend): Unit =
    scheduler.asInstanceOf[TaskSchedulerImpl].initialize(backend)
}
