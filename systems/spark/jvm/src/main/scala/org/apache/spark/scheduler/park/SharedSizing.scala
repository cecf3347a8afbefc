package org.apache.spark.scheduler.park

import scala.collection.mutable

/** What an agent said last of how many executors an application is to have.
  *
  * @param executors negative: it does not say
  */
private[park] case class Said(executors: Int, atNs: Long)

/** Work that the agent is not told of.
  *
  * @param some there is any
  * @param together tasks wait that start all together
  * @param bound executors on which such tasks run: all of them would run again if one failed
  */
private[park] case class Own(some: Boolean, together: Boolean, bound: Set[String])

/** Which executors an application asks for and gives back, where an agent shares those of a
  * cluster. Without its word the application asks for all, as plain Spark would; and so it does
  * while tasks wait that start all together, of which the agent knows nothing. Not thread-safe.
  *
  * @param most without the agent's word
  * @param idleNs how long an executor has no task before it counts as rested
  */
private[park] final class SharedSizing(most: Int, idleNs: Long, beginNs: Long) {
  import SharedSizing._

  private val idleSince = mutable.HashMap.empty[String, Long]
  private var now = Rule.Agent: Rule
  private var asked = 0 // a cluster gives none at first
  private var askNs = beginNs + AgainNs // when the same is asked for again

  def rule: Rule = now
  /** How many executors were asked for last. */
  def target: Int = asked

  /** @param working of each executor that is not given back, whether a task runs on it
    */
  def look(
      nowNs: Long, working: Map[String, Boolean], said: Option[Said],
      own: Own): Option[Change] = {
    watch(nowNs, working)
    if (own.together) idleSince.clear() // none is free for others
    now = if (own.together) Rule.Together else ruleOf(nowNs, said)
    if (now == Rule.Agent) {
      // Without an executor that work would wait forever.
      val least = math.max(if (own.some) 1 else 0, own.bound.size)
      val total = math.max(said.fold(0)(_.executors), least)
      ask(nowNs, total, surplus(working -- own.bound, working.size - total))
    } else {
      all(nowNs)
    }
  }

  /** As plain Spark. */
  def all(nowNs: Long): Option[Change] = ask(nowNs, most, Nil)

  /** Executors without a task for a while. */
  def rested(nowNs: Long): List[String] =
    idleSince.iterator.filter(nowNs - _._2 >= idleNs).map(_._1).toList.sorted

  /** The cluster was not there, or did not answer. */
  def failed(nowNs: Long): Unit = askNs = nowNs + RetryNs

  private def watch(nowNs: Long, working: Map[String, Boolean]): Unit = {
    idleSince.keysIterator.filterNot(working.get(_).contains(false)).toList
      .foreach(idleSince.remove)
    working.foreach { case (id, works) => if (!works) idleSince.getOrElseUpdate(id, nowNs) }
  }

  private def ruleOf(nowNs: Long, said: Option[Said]): Rule =
    if (nowNs - said.fold(beginNs)(_.atNs) >= SilenceNs) Rule.Silence
    else if (said.exists(_.executors < 0)) Rule.NoWord
    else Rule.Agent

  /** Those that are idle longest go first; of those that work the latest, which knows least. */
  private def surplus(working: Map[String, Boolean], n: Int): List[String] = {
    val idle = idleSince.toList.sortBy(_.swap).map(_._1)
    val busy = working.keysIterator.filter(working).toList.sortBy(id => (id.length, id)).reverse
    (idle ++ busy).take(n)
  }

  private def ask(nowNs: Long, total: Int, gone: List[String]): Option[Change] =
    if (total == asked && gone.isEmpty && nowNs < askNs) None
    else {
      asked = total
      askNs = nowNs + AgainNs
      gone.foreach(idleSince.remove)
      Some(Change(total, gone))
    }
}

private[park] object SharedSizing {
  /** Whose word holds. */
  sealed trait Rule
  object Rule {
    case object Agent extends Rule
    /** The agent has not answered for a while. */
    case object Silence extends Rule
    /** It answers, but does not say how many. */
    case object NoWord extends Rule
    /** Spark starts tasks all together, and only where there are slots for all. */
    case object Together extends Rule
  }

  /** After so long without an answer plain Spark goes on. */
  val SilenceNs = 5L * 1000 * 1000 * 1000
  /** The cluster is asked again, because a master that is new has forgotten the number. */
  val AgainNs = 30L * 1000 * 1000 * 1000
  /** Where it did not hear. */
  val RetryNs = 5L * 1000 * 1000 * 1000
}
