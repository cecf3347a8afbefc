package org.apache.spark.scheduler.park

import org.apache.spark.scheduler.{DAGScheduler, Pool, Stage, TaskSchedulerImpl, TaskSetManager}
import org.apache.spark.sql.execution.SQLExecution

/** Members of Spark that the plugin overrides or reads and that no interface promises. A version of
  * Spark without one of them runs as if the plugin were not there.
  */
private[spark] object Hooks {
  private val members: Seq[(Class[_], String, Int)] = Seq(
    (classOf[TaskSchedulerImpl], "rootPool", 0),
    (classOf[TaskSchedulerImpl], "submitTasks", 1),
    (classOf[TaskSchedulerImpl], "resourceOffers", 2),
    (classOf[TaskSchedulerImpl], "taskSetFinished", 1),
    (classOf[TaskSchedulerImpl], "handleSuccessfulTask", 3),
    (classOf[TaskSchedulerImpl], "isExecutorAlive", 1),
    (classOf[TaskSchedulerImpl], "taskIdToTaskSetManager", 0),
    (classOf[TaskSchedulerImpl], "stop", 1),
    (classOf[TaskSchedulerImpl], "defaultRackValue", 0),
    (classOf[TaskSchedulerImpl], "getRacksForHosts", 1),
    (classOf[TaskSchedulerImpl], "postStartHook", 0),
    (classOf[Pool], "getSortedTaskSetQueue", 0),
    (classOf[DAGScheduler], "jobIdToStageIds", 0),
    (classOf[DAGScheduler], "stageIdToStage", 0),
    (classOf[DAGScheduler], "jobIdToActiveJob", 0),
    (classOf[DAGScheduler], "barrierJobIdToNumTasksCheckFailures", 0),
    (classOf[Stage], "parents", 0),
    (classOf[TaskSetManager], "copiesRunning", 0),
    (classOf[TaskSetManager], "successful", 0),
    (classOf[TaskSetManager], "runningTasks", 0),
    (classOf[TaskSetManager], "isZombie", 0),
    (classOf[TaskSetManager], "taskInfos", 0)) ++ sql

  /** An application without queries may have no SQL on its class path. */
  private def sql: Seq[(Class[_], String, Int)] =
    try Seq((SQLExecution.getClass, "getQueryExecution", 1))
    catch { case _: NoClassDefFoundError => Nil }

  /** Names of the members that are not there. */
  def missing(of: Seq[(Class[_], String, Int)] = members): Seq[String] =
    of.collect {
      case (owner, name, arguments) if !has(owner, name, arguments) =>
        s"${owner.getSimpleName}.$name/$arguments"
    }

  private def has(owner: Class[_], name: String, arguments: Int): Boolean =
    owner.getDeclaredMethods.exists { method =>
      // A member of a package may carry the package in its name.
      val short = method.getName.substring(method.getName.lastIndexOf('$') + 1)
      short == name && method.getParameterCount == arguments
    }
}
