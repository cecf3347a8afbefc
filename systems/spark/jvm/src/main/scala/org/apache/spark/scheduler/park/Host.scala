package org.apache.spark.scheduler.park

import java.lang.reflect.{Method, Modifier}
import java.util.ServiceLoader

import scala.util.control.NonFatal

import org.apache.spark.SparkContext
import org.apache.spark.internal.Logging
import org.apache.spark.internal.config.TASK_MAX_FAILURES
import org.apache.spark.scheduler._
import org.apache.spark.scheduler.cluster.StandaloneSchedulerBackend
import org.apache.spark.scheduler.local.LocalSchedulerBackend
import org.apache.spark.util.Utils

/** What runs the executors of a master: Spark's own backends, or another cluster manager. */
private[spark] trait Host {
  /** Ours, where there are settings and nothing is in its way; else Spark's own. */
  def scheduler(sc: SparkContext, settings: Option[Settings]): TaskSchedulerImpl
  def backend(sc: SparkContext, scheduler: TaskSchedulerImpl): SchedulerBackend
  def initialize(scheduler: TaskSchedulerImpl, backend: SchedulerBackend): Unit
}

private[spark] object Host {
  /** None where nobody serves the master. */
  def of(master: String): Option[Host] =
    if (ParkMaster.isOwn(master)) Some(new OwnHost(master))
    else managers.find(_.canCreate(master)).map(new ManagedHost(master, _))

  /** Those of the class path, as Spark itself looks for them, without ours. */
  private def managers: Seq[ExternalClusterManager] = {
    val found = ServiceLoader.load(
      classOf[ExternalClusterManager], Utils.getContextOrSparkClassLoader).iterator
    var all = List.empty[ExternalClusterManager]
    while (found.hasNext) all ::= found.next()
    all.filterNot(_.isInstanceOf[ParkClusterManager])
  }
}

/** Standalone and local masters. */
private[spark] final class OwnHost(master: String) extends Host {
  private val masters = ParkMaster.addresses(master)

  override def scheduler(sc: SparkContext, settings: Option[Settings]): TaskSchedulerImpl = {
    val local = masters.isEmpty
    val failures = if (local) ParkMaster.threads(master)._2 else sc.conf.get(TASK_MAX_FAILURES)
    settings match {
      case Some(ours) => new ParkTaskScheduler(sc, failures, local, ours, None)
      case None => new TaskSchedulerImpl(sc, failures, local)
    }
  }

  override def backend(sc: SparkContext, scheduler: TaskSchedulerImpl): SchedulerBackend =
    (masters, scheduler) match {
      case (Some(addresses), ours: ParkTaskScheduler) if ours.shares =>
        new SharedBackend(ours, sc, addresses)
      case (Some(addresses), _) => new StandaloneSchedulerBackend(scheduler, sc, addresses)
      case (None, _) => new LocalSchedulerBackend(sc.conf, scheduler, ParkMaster.threads(master)._1)
    }

  override def initialize(scheduler: TaskSchedulerImpl, backend: SchedulerBackend): Unit =
    scheduler.initialize(backend)
}

/** Standalone's own, whose application has no executors at first. Spark begins so for its dynamic
  * allocation alone, which looks at the same setting later.
  */
private[spark] final class SharedBackend(
    scheduler: TaskSchedulerImpl, sc: SparkContext, masters: Array[String])
    extends StandaloneSchedulerBackend(scheduler, sc, masters) {
  override def start(): Unit = {
    val before = sc.conf.getOption(Allocation.Dynamic)
    sc.conf.set(Allocation.Dynamic, "true")
    try super.start() finally before match {
      case Some(text) => sc.conf.set(Allocation.Dynamic, text)
      case None => sc.conf.remove(Allocation.Dynamic)
    }
  }
}

/** Masters of another cluster manager, such as those of YARN and Kubernetes. It makes the backend;
  * what its scheduler adds to Spark's is asked of that one.
  */
private[spark] final class ManagedHost(master: String, manager: ExternalClusterManager)
    extends Host with Logging {
  override def scheduler(sc: SparkContext, settings: Option[Settings]): TaskSchedulerImpl = {
    val plain = manager.createTaskScheduler(sc, master).asInstanceOf[TaskSchedulerImpl]
    val unknown = Twin.overridden(plain.getClass).diff(Twin.Asked)
    settings match {
      case Some(_) if unknown.nonEmpty =>
        logWarning(s"Park: ${plain.getClass.getName}, the scheduler of $master, has its own "
          + s"${unknown.toSeq.sorted.mkString(", ")}; this is plain Spark")
        plain
      case Some(ours) => new ParkTaskScheduler(
        sc, plain.maxTaskFailures, Twin.isLocal(plain), ours, Some(new Twin(plain)))
      case None => plain
    }
  }

  override def backend(sc: SparkContext, scheduler: TaskSchedulerImpl): SchedulerBackend =
    manager.createSchedulerBackend(sc, master, scheduler)

  override def initialize(scheduler: TaskSchedulerImpl, backend: SchedulerBackend): Unit =
    manager.initialize(scheduler, backend)
}

/** The scheduler that Spark would have used: it never schedules, but answers what cluster managers
  * make their own.
  */
private[spark] final class Twin(plain: TaskSchedulerImpl) {
  /** Protected in Spark, which is public for the JVM. */
  val defaultRack: Option[String] = classOf[TaskSchedulerImpl].getMethod("defaultRackValue")
    .invoke(plain).asInstanceOf[Option[String]]
  def racks(hosts: Seq[String]): Seq[Option[String]] = plain.getRacksForHosts(hosts)

  /** The context is up: in YARN's cluster mode its master waits to be told so, by this hook alone.
    */
  def postStartHook(backend: SchedulerBackend): Unit = {
    plain.backend = backend
    plain.postStartHook()
  }
}

private[spark] object Twin {
  /** Members that ours asks its twin for. */
  val Asked = Set("defaultRackValue", "getRacksForHosts", "postStartHook")

  /** Members of TaskSchedulerImpl that a class under it has in another way. */
  def overridden(of: Class[_]): Set[String] = {
    val base = classOf[TaskSchedulerImpl]
    def hides(method: Method) = !Modifier.isStatic(method.getModifiers) &&
      base.getDeclaredMethods.exists(other => other.getName == method.getName &&
        !Modifier.isPrivate(other.getModifiers) &&
        other.getParameterTypes.toSeq == method.getParameterTypes.toSeq)
    Iterator.iterate[Class[_]](of)(_.getSuperclass).takeWhile(c => c != base && c != null)
      .flatMap(_.getDeclaredMethods.toSeq).filter(hides).map(_.getName).toSet
  }

  /** No member tells; a Spark that keeps it under another name has clusters only. */
  def isLocal(plain: TaskSchedulerImpl): Boolean =
    try {
      val field = classOf[TaskSchedulerImpl].getDeclaredField("isLocal")
      field.setAccessible(true)
      field.getBoolean(plain)
    } catch { case NonFatal(_) => false }
}
