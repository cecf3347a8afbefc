package org.apache.spark.scheduler.park

import java.nio.file.{Files, Path}
import java.util.concurrent.TimeUnit

import org.junit.jupiter.api.Assertions.assertTrue
import org.junit.jupiter.api.Assumptions.assumeTrue

/** `park`, which takes decisions for one application by a policy of its own.
  *
  * @param more fields of the environment
  */
final class AgentProcess(policy: String, more: (String, String)*) extends AutoCloseable {
  private val folder = Files.createTempDirectory("agent")
  private val process = {
    val park = System.getProperty("park.binary", "")
    assumeTrue(park.nonEmpty, "there is no command park")
    val fields = (Seq("endpoint" -> "tcp://127.0.0.1:*", "endpoint_file" -> file.toString) ++ more)
      .map { case (name, value) => s"""$name="$value"""" }
    val env = fields.mkString("spark(", ",", ")")
    new ProcessBuilder(park, "run", env, "--policy", policy, "--episodes", "1", "--json", "--quiet")
      .redirectOutput(folder.resolve("out").toFile)
      .redirectError(folder.resolve("err").toFile).start()
  }
  waitFor(Files.exists(file))

  /** What stands for its endpoint. */
  def file: Path = folder.resolve("endpoint")

  def send(signal: String): Unit =
    new ProcessBuilder("kill", "-" + signal, process.pid.toString).start().waitFor()

  /** The result of the application, as JSON, after it has ended. */
  def result(): String = {
    assertTrue(process.waitFor(60, TimeUnit.SECONDS), "the agent does not end")
    val text = new String(Files.readAllBytes(folder.resolve("out")))
    assertTrue(process.exitValue == 0, () => errors + text)
    text
  }

  /** A number of the result, by its name. */
  def number(result: String, name: String): Double =
    s""""$name":\\s*(?:\\{"mean":)?\\s*([-0-9.e+]+)""".r.findFirstMatchIn(result)
      .map(_.group(1).toDouble).getOrElse(throw new AssertionError(s"no $name in $result"))

  override def close(): Unit = {
    process.destroyForcibly()
    process.waitFor()
  }

  private def errors: String = "the agent: " + new String(Files.readAllBytes(folder.resolve("err")))

  private def waitFor(condition: => Boolean): Unit = {
    val until = System.nanoTime + TimeUnit.SECONDS.toNanos(120)
    while (!condition) {
      assertTrue(process.isAlive && System.nanoTime < until, () => errors)
      Thread.sleep(20)
    }
  }
}

object AgentProcess {
  /** A new pair of keys in a file; the public one. */
  def newKeys(file: Path): String = {
    val park = System.getProperty("park.binary", "")
    assumeTrue(park.nonEmpty, "there is no command park")
    val process = new ProcessBuilder(park, "key", "--out", file.toString).start()
    val text = new String(process.getInputStream.readAllBytes())
    assertTrue(process.waitFor(60, TimeUnit.SECONDS) && process.exitValue == 0, text)
    text.trim
  }
}
