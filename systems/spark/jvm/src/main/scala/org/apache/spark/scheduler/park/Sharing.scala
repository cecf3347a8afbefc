package org.apache.spark.scheduler.park

import org.apache.spark.SparkConf
import org.apache.spark.internal.Logging

/** The executors of an application, where an agent shares those of a cluster over several. The
  * agent is told of its state also while no slots are offered, since there may be no executor.
  * Guarded by the scheduler's lock.
  *
  * @param most executors without the agent's word
  * @param revive has all free slots offered again
  */
private[park] final class Sharing(
    agent: Agent, dag: DagTracker, slots: SlotTable, most: Int, idleNs: Long, revive: () => Unit)
    extends Logging {
  import SharedSizing.Rule

  private val sizing = new SharedSizing(most, idleNs, System.nanoTime())

  /** The cluster has not been asked for what the agent said last. */
  def isDue: Boolean = agent.said.exists(_.executors != sizing.target)

  /** The agent wants some of the executors back, so slots may be free although nothing runs. */
  def takes(decision: Decision): Boolean =
    decision.executors >= 0 && decision.executors < slots.total

  /** What it grants is no answer to an offer; the next one asks it again. */
  def report(open: List[OpenStage]): Unit = {
    val rested = sizing.rested(System.nanoTime())
    val free = rested.map(slots.lasts(_).size).sum
    val decision = agent.report(dag, slots, free, slots.commonJob(rested.iterator), open)
    if (decision.exists(_.grants.nonEmpty)) revive()
  }

  def look(own: Own): Option[Change] = {
    val before = sizing.rule
    val change = sizing.look(System.nanoTime(), slots.working, agent.said, own)
    if (sizing.rule != before) tell(sizing.rule)
    change.foreach(one => slots.leave(one.gone))
    change
  }

  /** The cluster has not heard of it. */
  def failed(change: Change): Unit = {
    sizing.failed(System.nanoTime())
    slots.stay(change.gone)
  }

  /** The plugin decides no more. */
  def abandon(): Option[Change] = sizing.all(System.nanoTime())

  private def tell(rule: Rule): Unit = {
    val number = if (most == Int.MaxValue) "all executors" else s"$most executors"
    rule match {
      case Rule.Agent => logInfo("Park: the agent shares the executors again")
      case Rule.Silence => logWarning(
        s"Park: ${Settings.Sizes}: the agent is silent; the application asks for $number")
      case Rule.NoWord => logWarning(s"Park: ${Settings.Sizes}: the agent shares no executors; "
        + s"the application asks for $number")
      case Rule.Together =>
        logInfo(s"Park: a barrier stage waits for slots; the application asks for $number")
    }
  }
}

private[park] object Sharing {
  /** Often enough for an application that has none to get its first executor soon. */
  val Period = 250L // ms
  private val Cores = "spark.executor.cores"
  private val TaskCores = "spark.task.cpus"

  /** Why an agent cannot share the executors of an application. */
  def obstacle(conf: SparkConf, master: String): Option[String] = {
    def cores = conf.getOption(Cores)
    val needed = conf.get(TaskCores, "1")
    if (!ParkMaster.isCluster(master)) Some(s"$master is none of a standalone cluster")
    else if (conf.getBoolean(Allocation.Dynamic, false))
      Some(s"${Allocation.Dynamic}: Spark sizes the application already")
    else if (!cores.contains(needed)) Some(
      s"executors need one slot, but $Cores is ${cores.getOrElse("not set")} and "
        + s"$TaskCores is $needed")
    else Allocation.keeping(conf)
  }
}
