package park.spark

import java.nio.charset.StandardCharsets.UTF_8
import java.nio.file.{Files, Path, Paths}
import java.security.MessageDigest
import java.util.Properties
import java.util.concurrent.{Callable, Executors, Future, TimeUnit}

import scala.util.Try

import org.apache.spark.sql.SparkSession

/** An application that runs TPC-H queries side by side, each when it arrives, and tells how long
  * each took and what came out:
  * {{{spark-submit --class park.spark.Workload park-spark.jar DATA QUERIES ARRIVALS OUT}}}
  * DATA has a folder of Parquet files for each table; QUERIES the files q1.sql to q22.sql;
  * ARRIVALS is a CSV with the header time_s,job, where a job is q1 to q22, or 2g:1 to 2g:22 of the
  * tables in DATA/sf2; a time of -1 is before the others, one after the other, to warm up, which is
  * no job for the agent; `after` is when the one before has ended. OUT is written as JSON: what
  * each job took, and a digest of its rows, whose order does not count.
  */
object Workload {
  private val Job = "(?:q|([\\d.]+)g:)([1-9]|1\\d|2[0-2])".r
  private val After = "after"
  private val WarmUp = "warmup" // what the importer of event logs is told to leave out
  private case class Arrival(number: Int, timeS: Double, isAfter: Boolean, job: String) {
    /** Of the data, and the name of the query. */
    val (folder, query) = job match { case Job(scale, n) =>
      (Option(scale).fold("")("sf" + _), "q" + n)
    }
  }
  private case class Done(arrival: Arrival, startS: Double, endS: Double, rows: Int, digest: String)

  def main(arguments: Array[String]): Unit = arguments match {
    case Array(data, queries, arrivals, out) =>
      run(Paths.get(data), Paths.get(queries), read(Paths.get(arrivals)), Paths.get(out))
    case _ => throw new IllegalArgumentException("allowed are DATA QUERIES ARRIVALS OUT")
  }

  private def run(data: Path, queries: Path, arrivals: Seq[Arrival], out: Path): Unit = {
    val session = SparkSession.builder().appName("park workload").getOrCreate()
    try {
      val sessions = arrivals.map(_.folder).distinct.map { folder =>
        folder -> declareTables(session.newSession(), data.resolve(folder))
      }.toMap
      val (warmUp, measured) = arrivals.partition(_.timeS < 0)
      warmUp.foreach(one => play(sessions(one.folder), queries, System.nanoTime(), one))
      val begin = System.nanoTime()
      val threads = Executors.newCachedThreadPool()
      val done = try {
        measured.foldLeft(List.empty[Future[Done]]) { (before, one) =>
          if (one.isAfter) before.headOption.foreach(_.get())
          threads.submit(new Callable[Done] {
            override def call(): Done = play(sessions(one.folder), queries, begin, one)
          }) :: before
        }.reverse.map(_.get())
      } finally threads.shutdownNow()
      Files.write(out, json(done).getBytes(UTF_8))
    } finally session.stop()
  }

  private def play(session: SparkSession, queries: Path, begin: Long, one: Arrival): Done = {
    val text = new String(Files.readAllBytes(queries.resolve(one.query + ".sql")), UTF_8)
    def now = (System.nanoTime() - begin) / 1e9
    val early = ((one.timeS - now) * 1e9).toLong
    if (one.timeS > 0 && early > 0) TimeUnit.NANOSECONDS.sleep(early)
    val startS = now
    session.sparkContext.setLocalProperty("park.job", if (one.timeS < 0) WarmUp else one.job)
    session.sparkContext.setLocalProperty("park.setup", (one.timeS < 0).toString)
    session.sparkContext.setLocalProperty("park.run", one.number.toString)
    // Where Spark is told to be fair, it is so between jobs: within a pool it is not.
    session.sparkContext.setLocalProperty("spark.scheduler.pool", one.number.toString)
    val rows = session.sql(text).collect().map(_.toString).sorted.toSeq
    Done(one, startS, now, rows.length, digest(rows))
  }

  private def digest(rows: Seq[String]): String = {
    val hash = MessageDigest.getInstance("SHA-256")
    rows.foreach(row => hash.update((row + "\n").getBytes(UTF_8)))
    hash.digest.map(b => f"${b & 0xff}%02x").mkString
  }

  /** With their schemas, since Spark would run a job for each to find them. */
  private def declareTables(session: SparkSession, data: Path): SparkSession = {
    val schemas = new Properties
    val from = getClass.getResourceAsStream("/park/spark/tpch.properties")
    try schemas.load(from) finally from.close()
    schemas.stringPropertyNames().forEach { table =>
      session.read.schema(schemas.getProperty(table)).parquet(data.resolve(table).toString)
        .createOrReplaceTempView(table)
    }
    session
  }

  private def read(file: Path): Seq[Arrival] = {
    val lines = new String(Files.readAllBytes(file), UTF_8).linesIterator.filter(_.nonEmpty).toList
    if (lines.headOption.forall(_ != "time_s,job"))
      throw new IllegalArgumentException(s"$file: the first line must be time_s,job")
    lines.tail.zipWithIndex.map { case (line, i) =>
      line.split(",") match {
        case Array(After, job) if Job.pattern.matcher(job).matches => Arrival(i, 0, isAfter = true, job)
        case Array(time, job) if Try(time.toDouble).isSuccess && Job.pattern.matcher(job).matches =>
          Arrival(i, time.toDouble, isAfter = false, job)
        case _ => throw new IllegalArgumentException(
          s"$file:${i + 2}: '$line' is not allowed; it is a time in seconds or after, and a job")
      }
    }
  }

  private def json(done: Seq[Done]): String = {
    val jobs = done.map(d => s"""{"job":"${d.arrival.job}","number":${d.arrival.number},""" +
      s""""arrival_s":${d.startS},"end_s":${d.endS},"rows":${d.rows},"digest":"${d.digest}"}""")
    s"""{"schema":"park.spark.workload","version":1,"jobs":[${jobs.mkString(",\n")}]}""" + "\n"
  }
}
