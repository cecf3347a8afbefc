package org.apache.spark.scheduler.park

import scala.collection.mutable

import org.apache.spark.scheduler._
import org.apache.spark.sql.execution.SQLExecution
import org.apache.spark.sql.execution.ui.{SparkListenerSQLExecutionEnd => QueryEnd}
import org.apache.spark.sql.execution.ui.{SparkListenerSQLExecutionStart => QueryStart}

/** The logical jobs of an application and their stages, as Spark's scheduler and its events tell
  * them. Stages are read where Spark submits one, on the thread that owns them; the ends of jobs
  * and queries come as events, with their times. Thread-safe.
  */
private[park] final class DagTracker(clock: DriverClock) extends SparkListener {
  private val ledger = new JobLedger
  private val nodes = mutable.HashMap.empty[Int, Node] // by the stage ids of Spark

  /** Calls a function that reads the ledger. */
  def reading[T](body: JobLedger => T): T = synchronized(body(ledger))
  def node(stage: Int): Option[Node] = synchronized(nodes.get(stage))

  /** REQUIRES the thread of the DAG scheduler. */
  def submitted(set: TaskSet, dag: DAGScheduler): Unit = if (!Names.isSetUp(set.properties)) {
    val sparkJob = set.priority
    val ids = dag.jobIdToStageIds.get(sparkJob).toSeq.flatten.sorted
    val stages = ids.flatMap(id => dag.stageIdToStage.get(id))
    synchronized {
      val now = clock.now()
      val job = ledger.submitted(
        Names.of(set.properties, sparkJob), sparkJob, Names.query(set.properties), now,
        isOpen(_, dag))
      stages.foreach(add(job, _))
      stages.foreach(stage => nodes(stage.id).parents = stage.parents.iterator
        .map(parent => add(job, parent)).toSet)
      nodes.get(set.stageId).foreach { node =>
        node.done = false
        if (node.readyS < 0) node.readyS = now
      }
    }
  }

  /** Spark's own state is ahead of its events: who has waited for the end of some work finds it
    * gone here.
    */
  private def isOpen(part: OpenPart, dag: DAGScheduler): Boolean = part match {
    case SparkJob(id) => dag.jobIdToActiveJob.contains(id)
    case SqlExecution(root) => SQLExecution.getQueryExecution(root) != null
  }

  /** Those of these stages, whose tasks are all over, after which Spark is about to submit another
    * one: all that it waits for is over too.
    */
  def due(stages: Set[Int], isOver: Node => Boolean): Set[Int] = synchronized {
    def isNext(of: Node)(node: Node) =
      node.readyS < 0 && node.parents(of) && node.parents.forall(isOver)
    stages.filter(nodes.get(_).exists(node =>
      isOver(node) && node.job.nodes.valuesIterator.exists(isNext(node))))
  }

  def succeeded(stage: Int, durationS: Double): Unit = synchronized {
    nodes.get(stage).foreach { node =>
      node.measured += 1
      node.measuredS += durationS
      node.lastS = durationS
    }
  }

  /** All tasks of an attempt are over; a stage whose output was lost is submitted again. */
  def attemptEnded(stage: Int, succeeded: Boolean): Unit = synchronized {
    if (succeeded) nodes.get(stage).foreach(_.done = true)
  }

  override def onJobEnd(event: SparkListenerJobEnd): Unit = synchronized {
    ledger.sparkJobEnded(event.jobId, clock.of(event.time), event.jobResult != JobSucceeded)
    forget()
  }

  override def onOtherEvent(event: SparkListenerEvent): Unit = event match {
    case start: QueryStart =>
      val root = start.rootExecutionId.getOrElse(start.executionId)
      if (root == start.executionId) synchronized(ledger.queryStarted(root, clock.of(start.time)))
    case end: QueryEnd =>
      synchronized {
        ledger.queryEnded(
          end.executionId, clock.of(end.time), end.errorMessage.exists(_.nonEmpty))
        forget()
      }
    case _ =>
  }

  /** The node of a stage, in the job that it was seen in last. */
  private def add(job: LogicalJob, stage: Stage): Node = {
    val (key, isAvailable) = stage match {
      case map: ShuffleMapStage => (ShuffleKey(map.shuffleDep.shuffleId), map.isAvailable)
      case _ => (StageKey(stage.id), false)
    }
    val node = job.nodes.getOrElseUpdate(key, new Node(ledger.nextNodeId(), job))
    node.tasks = stage.numTasks
    node.stages += stage.id
    if (isAvailable) node.done = true
    nodes(stage.id) = node
    node
  }

  private def forget(): Unit = {
    val live = ledger.live.toSet
    val gone = nodes.collect { case (stage, node) if !live(node.job) => stage }.toList
    gone.foreach(nodes.remove)
  }
}

/** Which logical job a Spark job is part of. */
private[park] object Names {
  val Tag = "park.job"
  val Run = "park.run" // tells jobs of one name apart
  val Mark = '\u0000' // before it
  val SetUp = "park.setup" // what has it is no part of any logical job
  private val Query = "spark.sql.execution.root.id"
  private val Group = "spark.jobGroup.id"
  // Of Spark Connect: a request of a client has the first form, a tag of its user the second.
  // The import of event logs reads them by the same rules.
  private val Tags = "spark.job.tags"
  private val Operation = "SparkConnect_OperationTag_User_.*?_Session_(.+?)_Operation_([^,]+)".r
  private val UserTag = "_Session_[^,]+?_Tag_([^,]+)".r

  def of(properties: java.util.Properties, sparkJob: Int): String =
    property(properties, Tag)
      .map(job => property(properties, Run).map(run => s"$job$Mark$run").getOrElse(job))
      .orElse(property(properties, Tags).flatMap(ofConnect))
      .orElse(property(properties, Query).map("query " + _))
      .orElse(property(properties, Group).map("group " + _))
      .getOrElse("job " + sparkJob)

  /** One request is one job; two of one tag do the same. */
  private def ofConnect(tags: String): Option[String] =
    Operation.findFirstMatchIn(tags).map { request =>
      UserTag.findFirstMatchIn(tags).map(_.group(1) + Mark + request.group(2))
        .getOrElse(s"session ${request.group(1)} operation ${request.group(2)}")
    }

  def isSetUp(properties: java.util.Properties): Boolean =
    property(properties, SetUp).contains("true")

  def query(properties: java.util.Properties): Option[Long] =
    property(properties, Query).map(_.toLong)

  private def property(of: java.util.Properties, name: String): Option[String] =
    Option(of).flatMap(p => Option(p.getProperty(name))).filter(_.nonEmpty)
}

/** Seconds since the application began, without jumps of the machine's clock. */
private[park] final class DriverClock(startMs: Long) {
  private val offsetS = (System.currentTimeMillis() - startMs) / 1e3
  private val startNs = System.nanoTime()

  def now(): Double = offsetS + (System.nanoTime() - startNs) / 1e9
  /** Of an event's time, in milliseconds of the machine's clock. */
  def of(ms: Long): Double = math.min(now(), (ms - startMs) / 1e3)
}
