package org.apache.spark.scheduler.park

import scala.util.control.NonFatal

import org.apache.spark.SparkContext
import org.apache.spark.internal.Logging
import org.apache.spark.resource.{ResourceProfile, ResourceProfileManager}

/** Spark makes its resource profiles after its plugins and before its task scheduler: while the
  * master is marked, and so for none of the clusters that it knows. They are made again for the
  * user's master, before anything has asked for one.
  */
private[park] object Profiles extends Logging {
  private val Field = "_resourceProfileManager"

  def restore(sc: SparkContext): Unit =
    try {
      val field = classOf[SparkContext].getDeclaredField(Field)
      field.setAccessible(true)
      ResourceProfile.clearDefaultProfile()
      field.set(sc, new ResourceProfileManager(sc.conf, sc.listenerBus))
    } catch {
      case e if NonFatal(e) || e.isInstanceOf[LinkageError] =>
        logWarning(s"Park: Spark ${sc.version} has no SparkContext.$Field to restore, so that it "
          + s"refuses custom resource profiles: $e")
    }
}
