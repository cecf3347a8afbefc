package org.apache.spark.scheduler.park

/** Times of the latest calls, for people. Not thread-safe. */
private[park] final class Latencies {
  private val kept = new Array[Long](1 << 14)
  private var count, total = 0L

  def add(ns: Long): Unit = {
    kept((count % kept.length).toInt) = ns
    count += 1
    total += ns
  }

  /** Of all calls. */
  def totalNs: Long = total

  /** Milliseconds that a share of the calls did not exceed. */
  def quantile(share: Double): Double = {
    val n = math.min(count, kept.length.toLong).toInt
    if (n == 0) Double.NaN else kept.take(n).sorted.apply(math.min(n - 1, (n * share).toInt)) / 1e6
  }

  def summary: String =
    f"$count times, p50 ${quantile(0.5)}%.3f ms, p99 ${quantile(0.99)}%.3f ms, " +
      f"${total / 1e9}%.3f s in all"
}
