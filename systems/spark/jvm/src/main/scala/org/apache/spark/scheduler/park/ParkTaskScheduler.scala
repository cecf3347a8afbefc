package org.apache.spark.scheduler.park

import java.util.concurrent.TimeoutException

import scala.util.control.NonFatal

import org.apache.spark.{ExecutorAllocationClient, SparkContext}
import org.apache.spark.internal.config.SPECULATION_ENABLED
import org.apache.spark.scheduler._
import org.apache.spark.util.Utils

/** Spark's task scheduler, whose free slots go where an agent says: each slot goes on with its
  * stage while that has tasks to launch; then the agent gives it to another one. Whatever goes
  * wrong, Spark's own order decides.
  *
  * @param twin what the cluster manager's own scheduler adds to Spark's, where it has one
  */
private[spark] class ParkTaskScheduler(
    context: SparkContext, failures: Int, local: Boolean, settings: Settings, twin: Option[Twin])
    extends TaskSchedulerImpl(context, failures, local) {
  private val pool = new FilteredPool(schedulingMode)
  override val rootPool: Pool = pool
  override val defaultRackValue: Option[String] = twin.flatMap(_.defaultRack)

  private val clock = new DriverClock(context.startTime)
  private val dag = new DagTracker(clock)
  private val slots = new SlotTable
  private val agent = new Agent(settings, clock,
    () => Application(applicationId(), context.appName, context.version, shares),
    () => backend.reviveOffers())
  private val settling = new Settling(settings.settle.toNanos, () => backend.reviveOffers())
  private val copies = context.conf.get(SPECULATION_ENABLED)
  private val hookTimes, offerTimes = new Latencies
  private val LastEventsMs = 1000L
  private var allocation = Option.empty[Allocation]
  private var sharing = Option.empty[Sharing]
  private lazy val unshared = Sharing.obstacle(context.conf, context.master)
  @volatile private var broken = false // a hook failed: from then on this is plain Spark

  /** The agent shares the executors of the cluster over applications, of which this is one. */
  lazy val shares: Boolean = settings.sizes == Sized.Shared && unshared.isEmpty

  override def start(): Unit = {
    context.listenerBus.addToQueue(dag, "park")
    val agents = settings.agents.mkString(", else ")
    logInfo(s"Park: the agent at $agents takes the scheduling decisions")
    super.start()
    guarded(agent.introduce(dag, slots)) // no job is there yet
    settings.sizes match {
      case Sized.BySpark =>
      case Sized.ByPolicy => guarded(size())
      case Sized.Shared => share() // also after a defect, since there are no executors so far
    }
  }

  override def getRacksForHosts(hosts: Seq[String]): Seq[Option[String]] = twin match {
    case Some(one) => one.racks(hosts)
    case None => super.getRacksForHosts(hosts)
  }

  override def postStartHook(): Unit = {
    twin.foreach(_.postStartHook(backend))
    super.postStartHook()
  }

  override def submitTasks(set: TaskSet): Unit = {
    guarded(dag.submitted(set, dagScheduler))
    super.submitTasks(set)
  }

  override def handleSuccessfulTask(
      set: TaskSetManager, task: Long, result: DirectTaskResult[_]): Unit = synchronized {
    super.handleSuccessfulTask(set, task, result)
    guarded(set.taskInfos.get(task).filter(_.successful)
      .foreach(info => dag.succeeded(set.stageId, info.duration / 1e3)))
  }

  override def taskSetFinished(set: TaskSetManager): Unit = synchronized {
    guarded(dag.attemptEnded(set.stageId, set.tasksSuccessful == set.numTasks))
    super.taskSetFinished(set)
  }

  override def resourceOffers(
      offers: IndexedSeq[WorkerOffer], isAllFree: Boolean): Seq[Seq[TaskDescription]] =
    synchronized {
      if (broken) {
        super.resourceOffers(offers, isAllFree)
      } else {
        val begin = System.nanoTime()
        // Registers executors and tells the task sets of them, but launches nothing.
        super.resourceOffers(offers.map(_.copy(cores = 0)), isAllFree)
        var sparkNs = System.nanoTime() - begin
        val now = clock.now()
        var usable = offers
        guarded { usable = offers.filterNot(one => slots.isLeaving(one.executorId)) }
        val offer = new Offer(usable, CPUS_PER_TASK, slots, pool, part => {
          val at = System.nanoTime()
          val tasks = plainOffers(part)
          sparkNs += System.nanoTime() - at
          tasks
        }, task => guarded(slots.launched(task.executorId, task.taskId, describe(task), now)))
        guarded(handOut(offer, usable, isAllFree))
        if (broken) offer.plain(_ => true)
        offerTimes.add(System.nanoTime() - begin)
        hookTimes.add(System.nanoTime() - begin - sparkNs - agent.takeWaitedNs())
        offer.launched
      }
    }

  /** Offers that were to be decided by the agent and went by Spark's own order. */
  def fallbacks: Long = synchronized(agent.fallbackCount)

  override def stop(exitCode: Int): Unit = {
    // The ends of the last jobs come as events.
    guarded(try context.listenerBus.waitUntilEmpty(LastEventsMs)
    catch { case _: TimeoutException => logWarning("Park: Spark's events are late at its end") })
    synchronized {
      allocation.foreach(_.close())
      allocation = None // what the timer has begun ends here
    }
    synchronized(guarded {
      agent.finish(dag, slots)
      logInfo(s"Park: ${agent.summary}; hook ${hookTimes.summary}; offers ${offerTimes.summary}; "
        + s"consults ${agent.waits.summary}")
    })
    // Also after a defect: an agent would take the application for alive.
    synchronized {
      Utils.tryLogNonFatalError(settling.close())
      Utils.tryLogNonFatalError(agent.close())
    }
    super.stop(exitCode)
  }

  /** The policy's decisions also say how many executors there are. */
  private def size(): Unit = (Allocation.obstacle(context.conf), backend) match {
    case (None, client: ExecutorAllocationClient) =>
      val cores = context.conf.getInt("spark.executor.cores", 1)
      val sizing = new Sizing(Allocation.least(context.conf), Allocation.most(context.conf).get,
        math.max(1, cores / CPUS_PER_TASK), settings.idle.toNanos)
      allocation = Some(new Allocation(client, 500, () => synchronized {
        if (broken) None
        else {
          slots.keep(isExecutorAlive, clock.now())
          val left = OpenStages.waiting(pool.all)
          val jobs = dag.reading(_.live.map(_.number).toSet)
          sizing.look(System.nanoTime(), slots.working, left, jobs, isGathering)
        }
      }, change => synchronized(sizing.failed(change))))
      allocation.foreach(_.start())
    case (why, _) =>
      logWarning(s"Park: ${Settings.Sizes}: executors stay as they are; "
        + why.getOrElse(s"${context.master} cannot change them"))
  }

  /** The agent says how many executors there are. */
  private def share(): Unit = (unshared, backend) match {
    case (None, client: ExecutorAllocationClient) =>
      val most = Allocation.most(context.conf).getOrElse(Int.MaxValue)
      val ours = new Sharing(
        agent, dag, slots, most, settings.idle.toNanos, () => backend.reviveOffers())
      val timer = new Allocation(client, Sharing.Period, () => shared(ours),
        change => synchronized(ours.failed(change)), () => report(ours))
      synchronized {
        sharing = Some(ours)
        allocation = Some(timer)
      }
      timer.start()
    case (why, _) =>
      logWarning(s"Park: ${Settings.Sizes}: the agent shares no executors of this application; "
        + why.getOrElse(s"${context.master} cannot change them"))
  }

  private def report(ours: Sharing): Unit = synchronized {
    if (allocation.nonEmpty) guarded {
      refresh()
      ours.report(OpenStages.of(pool.all.toList, dag))
    }
  }

  private def shared(ours: Sharing): Option[Change] = synchronized {
    var change = Option.empty[Change]
    if (allocation.nonEmpty) guarded {
      refresh()
      val own = pool.all.filter(set => !set.isZombie && isOwn(set)).toList
      val barriers = own.filter(_.isBarrier).map(_.stageId).toSet
      change = ours.look(Own(own.nonEmpty, isGathering, slots.serving(barriers)))
    }
    if (allocation.nonEmpty && broken) ours.abandon() else change
  }

  /** A barrier stage waits for slots for all of its tasks. Spark does not submit its job without
    * them, and looks again now and then, so there may be no task set yet.
    */
  private def isGathering: Boolean =
    !dagScheduler.barrierJobIdToNumTasksCheckFailures.isEmpty ||
      pool.all.exists(set => set.isBarrier && !set.isZombie && set.runningTasks == 0)

  /** Executors come and go, and tasks end, also where nothing is offered. */
  private def refresh(): Unit = {
    slots.sweep(isOver, clock.now())
    slots.keep(isExecutorAlive, clock.now())
  }

  private def isOver(task: Long): Boolean = !taskIdToTaskSetManager.containsKey(task)

  /** What sets up, what starts all of its tasks together or none, and what asks for resources of
    * its own is Spark's to see to. It comes first: it would wait for as long as others have tasks.
    */
  private def isOwn(set: TaskSetManager): Boolean =
    set.isBarrier || OpenStages.isOfOtherKind(set) || dag.node(set.stageId).isEmpty

  /** `super` cannot be named in a function value. */
  private def plainOffers(offers: IndexedSeq[WorkerOffer]): Seq[Seq[TaskDescription]] =
    super.resourceOffers(offers, false)

  private def handOut(offer: Offer, offers: IndexedSeq[WorkerOffer], all: Boolean): Unit = {
    val now = clock.now()
    // Executors of another profile run none of the stages that the agent is asked for.
    offers.filter(_.resourceProfileId == OpenStages.DefaultProfile)
      .foreach(o => slots.offered(o.executorId, o.cores / CPUS_PER_TASK, isOver, now))
    refresh()
    val sets = pool.all.filterNot(_.isZombie).toList
    sets.filter(isOwn).foreach(set => offer.plain(_ eq set))
    var open = OpenStages.of(sets, dag)
    if (open.nonEmpty) offer.goOn(open.map(stage => stage.set.stageId -> stage.set).toMap)
    open = OpenStages.of(sets, dag)
    if (open.nonEmpty && agent.isPatient) settle(offer, open)
    if (open.nonEmpty && offer.free > 0) consult(offer, open, all)
    if (copies) {
      val ours = OpenStages.of(sets, dag).map(_.set).toSet
      offer.plain(sets.filterNot(set => ours(set) || isOwn(set)).toSet)
    }
  }

  private def settle(offer: Offer, open: List[OpenStage]): Unit = {
    val running = slots.runningByStage
    val openNodes = open.map(_.node).toSet
    def isOver(node: Node) = (node.done || node.readyS >= 0) && !openNodes(node) &&
      !node.stages.exists(running.contains)
    offer.keep(settling.waiting(dag.due(slots.lastStages, isOver), System.nanoTime()))
  }

  private def consult(offer: Offer, open: List[OpenStage], all: Boolean): Unit =
    agent.decide(dag, slots, offer, open, all) match {
      case Decided(decision) =>
        decision.grants.foreach { case (stage, n) =>
          open.find(_.node.id == stage).filter(_ => n > 0) match {
            case Some(found) => offer.give(found.set, found.node.job.name, n)
            case None => agent.reject(stage, n)
          }
        }
        if (sharing.exists(_.isDue)) allocation.foreach(_.soon())
        // Nothing runs that could end and have Spark offer again.
        val stuck = slots.total == slots.idle && !settling.isWaiting &&
          !sharing.exists(_.takes(decision)) && OpenStages.of(open.map(_.set), dag).nonEmpty
        if (decision.declined || stuck) offer.plain(!_.isBarrier)
        if (stuck) agent.stuck()
      case Silent => offer.plain(!_.isBarrier)
      case Pending =>
    }

  private def describe(task: TaskDescription): Last = {
    val stage = taskIdToTaskSetManager.get(task.taskId).stageId
    Last(stage, dag.node(stage).map(_.job.name).getOrElse(""))
  }

  private def guarded(hook: => Unit): Unit =
    if (!broken) {
      try hook catch {
        case e if NonFatal(e) || e.isInstanceOf[LinkageError] =>
          broken = true
          logError("Park: a defect; from here on this is plain Spark", e)
      }
    }
}

/** A stage with tasks that could be launched now. */
private[park] case class OpenStage(set: TaskSetManager, node: Node, left: Int)

private[park] object OpenStages {
  val DefaultProfile = 0

  def of(sets: List[TaskSetManager], dag: DagTracker): List[OpenStage] =
    for {
      set <- sets
      if !set.isZombie && !set.isBarrier && !isOfOtherKind(set)
      left = this.left(set)
      if left > 0
      node <- dag.node(set.stageId)
    } yield OpenStage(set, node, left)

  /** Tasks that could be launched now, by whomever; not those that start together. */
  def waiting(sets: Iterable[TaskSetManager]): Int =
    sets.iterator.filterNot(set => set.isZombie || set.isBarrier).map(left).sum

  /** It asks for other executors than the default ones, or for more of them than others. */
  def isOfOtherKind(set: TaskSetManager): Boolean =
    set.taskSet.resourceProfileId != DefaultProfile

  /** Tasks without a copy that runs and without a result. */
  private def left(set: TaskSetManager): Int = {
    var n, i = 0
    while (i < set.numTasks) {
      if (set.copiesRunning(i) == 0 && !set.successful(i)) n += 1
      i += 1
    }
    n
  }
}
