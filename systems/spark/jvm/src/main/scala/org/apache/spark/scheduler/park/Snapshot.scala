package org.apache.spark.scheduler.park

import java.nio.ByteBuffer
import java.nio.channels.Channels
import java.io.{ByteArrayOutputStream, IOException}

import org.capnproto.{MessageBuilder, ReaderOptions, Serialize}

import _root_.park.spark.wire.SparkWire.{Decision => WireDecision, EndedJob => WireEnded, _}

/** What the agent is told beside the state. */
private[park] case class Counts(fallbacks: Long, rejected: Long)

/** The state of the application at one time, as messages to the agent. */
private[park] final class Snapshot(dag: DagTracker, slots: SlotTable, now: Double, counts: Counts) {
  private val unreported = dag.reading(_.unreported)

  /** The agent has answered a message: it knows of the jobs that ended. */
  def answered(): Unit = if (tells && !told) {
    told = true
    dag.reading(_.reported(unreported.size))
  }
  private var tells, told = false

  /** @param fresh nobody has decided anything so far */
  def begin(application: Application, fresh: Boolean): Array[Byte] = Snapshot.bytes { message =>
    val to = message.initBegin()
    to.setApplication(application.id)
    to.setName(application.name)
    to.setSpark(application.spark)
    to.setShares(application.shares)
    // Else all that was so far is of this session.
    if (!fresh) write(to.initProgress())
  }

  def finish(): Array[Byte] = Snapshot.bytes(message => write(message.initFinish()))

  /** @param source free slots to be handed out
    * @param sourceJob that all of them served last
    */
  def consult(
      source: Int, sourceJob: Option[String], open: List[OpenStage]): Array[Byte] =
    Snapshot.bytes { message =>
      val to = message.initConsult()
      write(to.initProgress())
      to.setSlots(slots.total)
      to.setIdle(slots.idle)
      to.setSource(source)
      dag.reading { ledger =>
        val jobs = ledger.live.toIndexedSeq.sortBy(_.number)
        to.setSourceJob(sourceJob.map(name => jobs.indexWhere(_.name == name)).getOrElse(-1))
        val list = to.initJobs(jobs.size)
        jobs.zipWithIndex.foreach { case (job, i) => write(job, list.get(i)) }
        writeStages(to, jobs, open.map(stage => stage.node -> stage).toMap)
      }
    }

  private def write(to: Progress.Builder): Unit = {
    to.setTimeS(now)
    to.setJobSeconds(dag.reading(_.jobSeconds(now)))
    to.setBusySeconds(slots.busySeconds(now))
    to.setMoves(slots.moves)
    to.setFallbacks(counts.fallbacks)
    to.setRejected(counts.rejected)
    tells = true
    val ended = to.initEnded(if (told) 0 else unreported.size)
    if (!told) unreported.zipWithIndex.foreach { case (job, i) => write(job, ended.get(i)) }
  }

  private def write(job: EndedJob, to: WireEnded.Builder): Unit = {
    to.setNumber(job.number)
    to.setName(job.title)
    to.setArrivalS(job.arrivalS)
    to.setEndS(job.endS)
    to.setFailed(job.failed)
    to.setWorkS(job.workS)
    to.setChainS(job.chainS)
  }

  private def write(job: LogicalJob, to: Job.Builder): Unit = {
    to.setNumber(job.number)
    to.setName(job.title)
    to.setArrivalS(job.arrivalS)
  }

  private def writeStages(
      to: Consult.Builder, jobs: Seq[LogicalJob], open: Map[Node, OpenStage]): Unit = {
    var n = 0
    for (job <- jobs; node <- job.nodes.values) {
      node.place = n
      n += 1
    }
    val running = slots.runningByStage
    val list = to.initStages(n)
    for ((job, i) <- jobs.zipWithIndex; node <- job.nodes.values) {
      val stage = list.get(node.place)
      stage.setId(node.id)
      stage.setJob(i)
      val parents = node.parents.iterator.map(_.place).toArray // of the same job
      java.util.Arrays.sort(parents)
      val of = stage.initParents(parents.length)
      parents.indices.foreach(k => of.set(k, parents(k)))
      write(node, open.get(node), running, stage)
    }
  }

  private def write(
      node: Node, open: Option[OpenStage], running: Map[Int, Int], to: Stage.Builder): Unit = {
    val done = node.done && open.isEmpty
    to.setTasks(node.tasks)
    to.setLeft(open.map(_.left).getOrElse(if (done || node.readyS >= 0) 0 else node.tasks))
    to.setRunning(node.stages.iterator.flatMap(running.get).sum)
    to.setRunnable(open.nonEmpty)
    to.setDone(done)
    to.setMeasured(node.measured)
    to.setMeasuredS(node.measuredS)
    to.setLastS(node.lastS)
    to.setReadyS(node.readyS)
  }
}

private[park] object Snapshot {
  def bytes(fill: Message.Builder => Unit): Array[Byte] = {
    val message = new MessageBuilder
    fill(message.initRoot(Message.factory))
    val out = new ByteArrayOutputStream
    Serialize.write(Channels.newChannel(out), message)
    out.toByteArray
  }

  // What reads replies may throw RuntimeException and IOException.

  def begun(reply: Array[Byte]): Option[Unit] = if (read(reply).isBegun) Some(()) else None

  def decision(reply: Array[Byte]): Option[Decision] = {
    val message = read(reply)
    if (message.isDecision) Some(decisionOf(message.getDecision)) else None
  }

  /** Why a reply is no answer, in one line. What cannot be read is counted where it is. */
  def flaw(reply: Array[Byte]): String =
    try {
      val message = read(reply)
      val late = message.isDecision && message.getDecision.getLate
      if (late) "late: the policy had no answer in time" else ""
    } catch { case _: RuntimeException | _: IOException => "" }

  private def decisionOf(from: WireDecision.Reader): Decision = {
    val grants = from.getGrants
    Decision((0 until grants.size).map(i => (grants.get(i).getStage, grants.get(i).getSlots)),
      from.getDeclined, from.getExecutors)
  }

  def read(bytes: Array[Byte]): Message.Reader =
    Serialize.read(ByteBuffer.wrap(bytes), ReaderOptions.DEFAULT_READER_OPTIONS)
      .getRoot(Message.factory)
}
