package org.apache.spark.scheduler.park

import java.nio.file.{Files, Paths}

import org.apache.spark.{SparkConf, SparkContext}

import _root_.park.sdk.{FamilyLink, ParkException}

/** Whether the driver can find its agent from where it runs. In cluster mode that is a container,
  * where an address of the loopback interface is the container itself, and a file of the machine
  * that submitted is not there. Elsewhere a file that is not there may come later.
  */
private[park] object Reach {
  private val Loopback = """tcp://(?:localhost|127\.\d+\.\d+\.\d+|0\.0\.0\.0):.*""".r
  // Spark's own, of a driver in a pod, which it starts in client mode.
  private val InPod = "spark.kubernetes.submitInDriver"

  def isElsewhere(conf: SparkConf): Boolean =
    conf.get("spark.submit.deployMode", "client") == "cluster" || conf.getBoolean(InPod, false)

  /** Why it cannot, in one line. */
  def problem(sc: SparkContext, settings: Settings): Option[String] =
    problem(settings, isElsewhere(sc.conf))

  def problem(settings: Settings, elsewhere: Boolean): Option[String] =
    settings.key.flatMap(key => wrong(Settings.Key, key)(FamilyLink.checkKey(_))).orElse(
      settings.agents.flatMap(problem(_, elsewhere, settings.loopback)).headOption)

  private def problem(agent: String, elsewhere: Boolean, loopback: Boolean): Option[String] = {
    val absent = !agent.contains("://") && !Files.exists(Paths.get(agent))
    if (absent && !elsewhere) None
    else if (absent) Some(
      s"${Settings.Agent}: there is no file ${Paths.get(agent).toAbsolutePath} in the driver's "
        + "container; --files brings it there, or a mounted secret")
    else wrong(Settings.Agent, agent)(FamilyLink.address(_)).orElse {
      if (elsewhere && !loopback) ownContainer(FamilyLink.address(agent)) else None
    }
  }

  private def ownContainer(address: String): Option[String] =
    if (!Loopback.pattern.matcher(address).matches) None
    else Some(s"${Settings.Agent}: $address is the driver's own container in cluster mode; it "
      + s"needs an address that the container reaches, or ${Settings.OnLoopback}=true on a "
      + "cluster of one machine")

  private def wrong(name: String, text: String)(use: String => Any): Option[String] =
    try {
      use(text)
      None
    } catch { case e: ParkException => Some(s"$name: ${e.getMessage}") }
}
