package org.apache.spark.scheduler.park

import java.io.IOException
import java.time.Duration
import java.util.concurrent.{CompletableFuture, Executors, TimeUnit}

import org.apache.spark.SPARK_VERSION
import org.apache.spark.internal.Logging

import _root_.park.sdk.{AskerOptions, ClientOptions, FamilyLink}

/** What the agent is told of the application. */
private[park] case class Application(id: String, name: String, spark: String, shares: Boolean)

/** What the agent decided.
  *
  * @param executors that the application is to have; negative: it does not say
  */
private[park] case class Decision(grants: Seq[(Int, Int)], declined: Boolean, executors: Int)

/** What comes of asking. */
private[park] sealed trait Answer
private[park] case class Decided(decision: Decision) extends Answer
/** Spark's own order is to decide. */
private[park] case object Silent extends Answer
/** The slots are to stay free: when the answer is there, all are offered again. */
private[park] case object Pending extends Answer

/** The agent that is asked: within a time that is short, and no more after some misses in a row
  * until it answers. Where there are several, each has its share of that time: a silent one's place
  * is taken by the next, which decides from then on. Guarded by the scheduler's lock.
  *
  * @param revive has all free slots offered again
  */
private[park] final class Agent(
    settings: Settings, clock: DriverClock, application: () => Application, revive: () => Unit)
    extends Logging {
  private val client = settings.key.foldLeft(
    ClientOptions.DEFAULT.name(s"park-spark (Spark $SPARK_VERSION)"))(_.keyFile(_))
  private final class Place(endpoint: String) {
    val link: FamilyLink = FamilyLink.connect(endpoint, "spark",
      AskerOptions.DEFAULT.client(client).mostMisses(settings.misses).retry(settings.retry),
      Snapshot.flaw(_))
    var begunIn = 0L // session that knows of the application
    def knows: Boolean = begunIn > 0 && link.sessions == begunIn
  }
  private val places = settings.agents.map(new Place(_))
  private var at = 0 // of the place that is asked
  private def link = places(at).link
  private var decisions, fallbacks, rejected, malformed, stuckOffers, waitedNs = 0L
  private var deciding = false // for the log
  // Of the last answer that came in time, whatever thread waited for it.
  @volatile private var lastSaid = Option.empty[Said]
  val waits = new Latencies
  private val PatienceNs = Duration.ofSeconds(2).toNanos // at the beginning and at the end

  // While it asks, the link is its own.
  private lazy val thread = Executors.newSingleThreadExecutor { (body: Runnable) =>
    val thread = new Thread(body, "park-agent")
    thread.setDaemon(true)
    thread
  }
  private var asked = Option.empty[CompletableFuture[Option[Decision]]]

  /** Tells the agent of the application before its first job; without an agent it takes so long. */
  def introduce(dag: DagTracker, slots: SlotTable): Unit = {
    val until = System.nanoTime() + PatienceNs
    val snapshot = new Snapshot(dag, slots, clock.now(), counts)
    // What a question needs is loaded before slots wait for the first one.
    val known = firstOf(until) { share =>
      if (introduced(snapshot, share)) {
        consult(snapshot, snapshot.consult(0, None, Nil), share)
        Some(true)
      } else {
        None
      }
    }
    if (known.isEmpty) logWarning(s"Park: Spark's own order decides so far: ${link.problem}")
  }

  /** @param all the offer has the free slots of all executors */
  def decide(
      dag: DagTracker, slots: SlotTable, offer: Offer, open: List[OpenStage],
      all: Boolean): Answer = asked match {
    case Some(answer) if !answer.isDone || !all => Pending
    case Some(answer) =>
      asked = None
      val decision = answer.get()
      if (decision.isEmpty) turn()
      counted(decision)
    case None =>
      val until = System.nanoTime() + settings.timeout.toNanos
      val snapshot = new Snapshot(dag, slots, clock.now(), counts)
      if (settings.async && isPresent) {
        val payload = snapshot.consult(offer.free, offer.commonJob, open)
        val answer = CompletableFuture.supplyAsync[Option[Decision]](
          () => told(consult(snapshot, payload, until)), thread)
        asked = Some(answer)
        answer.whenComplete((_: Option[Decision], _: Throwable) => revive())
        Pending
      } else {
        val before = waits.totalNs
        val decision = firstOf(until) { share =>
          if (introduced(snapshot, share)) {
            consult(snapshot, snapshot.consult(offer.free, offer.commonJob, open), share)
          } else {
            None
          }
        }
        waitedNs += waits.totalNs - before
        counted(told(decision))
      }
  }

  /** Tells the agent of the state without an offer. What it answers is no decision on one.
    *
    * @param free slots that nothing has used for a while
    * @return None where it does not answer, or where a question is under way
    */
  def report(
      dag: DagTracker, slots: SlotTable, free: Int, job: Option[String],
      open: List[OpenStage]): Option[Decision] =
    if (asked.exists(!_.isDone)) None
    else {
      val snapshot = new Snapshot(dag, slots, clock.now(), counts)
      told(firstOf(System.nanoTime() + settings.timeout.toNanos) { share =>
        if (introduced(snapshot, share)) consult(snapshot, snapshot.consult(free, job, open), share)
        else None
      })
    }

  /** What its last answer says of executors. */
  def said: Option[Said] = lastSaid

  /** Asks one place after the other, until one answers. */
  private def firstOf[T](until: Long)(question: Long => Option[T]): Option[T] = {
    var left = places.size
    var answer = Option.empty[T]
    while (answer.isEmpty && left > 0) {
      val now = System.nanoTime()
      answer = question(now + (until - now) / left)
      if (answer.isEmpty) turn()
      left -= 1
    }
    answer
  }

  private def turn(): Unit = at = (at + 1) % places.size

  /** It knows of the application, and answered of late. */
  private def isPresent: Boolean = link.isPatient && places(at).knows

  private def consult(
      snapshot: Snapshot, payload: Array[Byte], until: Long): Option[Decision] = {
    val decision = ask(snapshot, payload, until).flatMap(understood(Snapshot.decision))
    decision.foreach(one => lastSaid = Some(Said(one.executors, System.nanoTime())))
    decision
  }

  private def counted(decision: Option[Decision]): Answer = {
    if (decision.isEmpty) fallbacks += 1 else decisions += 1
    decision.map(Decided(_)).getOrElse(Silent)
  }

  /** It answered of late, as far as is known. */
  def isPatient: Boolean = link.isPatient

  def reject(stage: Int, n: Int): Unit = {
    rejected += 1
    logDebug(s"Park: the agent gave $n slots to stage $stage, which has no use for them")
  }
  def stuck(): Unit = stuckOffers += 1

  /** The application ends. The place that decides hears it first, with the jobs that have ended;
    * then those that know of the application, for which it would be lost.
    */
  def finish(dag: DagTracker, slots: SlotTable): Unit = {
    asked.foreach(_.get()) // it has a deadline
    val until = System.nanoTime() + PatienceNs
    val others = places.indices.filter(place => place != at && places(place).knows)
    (at +: others).foreach { place =>
      at = place
      finish(new Snapshot(dag, slots, clock.now(), counts), until)
    }
  }

  private def finish(snapshot: Snapshot, until: Long): Unit = {
    // What is late may come.
    while (!link.isPatient && link.sessions > 0 && System.nanoTime() < until) {
      Thread.sleep(10)
      link.late
    }
    if (link.isPatient && introduced(snapshot, until)) ask(snapshot, snapshot.finish(), until)
  }

  /** Says goodbye to all places. */
  def close(): Unit = {
    if (settings.async) {
      thread.shutdown()
      thread.awaitTermination(settings.timeout.toMillis, TimeUnit.MILLISECONDS)
    }
    places.foreach(_.link.close())
  }

  def fallbackCount: Long = fallbacks

  /** Time that offers waited for answers, since the last call. */
  def takeWaitedNs(): Long = {
    val ns = waitedNs
    waitedNs = 0
    ns
  }

  def summary: String =
    s"$decisions offers decided by the agent, $fallbacks by Spark; $rejected grants of no use, " +
      s"$malformed answers that were none, $stuckOffers offers without a grant while nothing " +
      s"ran, ${places.map(_.link.late).sum} late answers"

  private def counts = Counts(fallbacks, rejected)

  /** Tells a session that is new of the application. */
  private def introduced(snapshot: Snapshot, until: Long): Boolean =
    places(at).knows || {
      // The first request of a link opens its session.
      val fresh = fallbacks == 0 && places.forall(_.begunIn == 0)
      val begun = ask(snapshot, snapshot.begin(application(), fresh), until)
        .flatMap(understood(Snapshot.begun)).nonEmpty
      if (begun) places(at).begunIn = link.sessions
      begun
    }

  private def ask(snapshot: Snapshot, payload: Array[Byte], until: Long): Option[Array[Byte]] = {
    val begin = System.nanoTime()
    val reply = Option(link.ask(payload, Duration.ofNanos(math.max(1, until - begin))))
    waits.add(System.nanoTime() - begin)
    if (reply.nonEmpty) snapshot.answered()
    reply
  }

  /** None where a reply is not what was asked for, whatever it is. */
  private def understood[T](read: Array[Byte] => Option[T])(reply: Array[Byte]): Option[T] = {
    val answer = try read(reply) catch { case _: RuntimeException | _: IOException => None }
    if (answer.isEmpty) malformed += 1
    answer
  }

  /** Says when the agent comes and goes. */
  private def told(decision: Option[Decision]): Option[Decision] = {
    val now = decision.nonEmpty
    if (now != deciding && (now || !link.isPatient)) {
      deciding = now
      if (now) logInfo("Park: the agent decides")
      else logWarning(s"Park: Spark's own order decides: ${link.problem}")
    }
    decision
  }
}
