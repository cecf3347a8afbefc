package org.apache.spark.scheduler.park

import org.apache.spark.SparkContext
import org.apache.spark.scheduler._

import _root_.park.spark.ParkPlugin

/** Makes our task scheduler for masters that Attachment has marked and for
  * `spark+park://HOST:PORT`, on the backend that Spark would have used.
  */
private[spark] class ParkClusterManager extends ExternalClusterManager {
  private var host: Host = _

  /** Spark asks this for other masters too, also where the jar is of another line: so it uses
    * nothing of Scala. The texts are those of ParkMaster.
    */
  override def canCreate(master: String): Boolean =
    master.startsWith("park+") || master.startsWith("spark+park://")

  override def createTaskScheduler(sc: SparkContext, marked: String): TaskScheduler = {
    val wrong = ParkPlugin.otherLine(sc.version, util.Properties.versionNumberString)
    if (!wrong.isEmpty) {
      throw new IllegalArgumentException("Park: " + wrong + ", which has no master " + marked)
    }
    val master = ParkMaster.unmark(marked)
    sc.conf.set(Attachment.Master, master)
    Profiles.restore(sc)
    host = Host.of(master).getOrElse(throw new IllegalArgumentException(
      s"${Attachment.Master}: no cluster manager of the class path takes $master"))
    val settings = Attachment.settings(sc)
    if (settings.exists(_.sizes != Sized.BySpark)) Allocation.prepare(sc.conf)
    host.scheduler(sc, settings)
  }

  override def createSchedulerBackend(
      sc: SparkContext, marked: String, scheduler: TaskScheduler): SchedulerBackend =
    host.backend(sc, scheduler.asInstanceOf[TaskSchedulerImpl])

  override def initialize(scheduler: TaskScheduler, backend: SchedulerBackend): Unit =
    host.initialize(scheduler.asInstanceOf[TaskSchedulerImpl], backend)
}
