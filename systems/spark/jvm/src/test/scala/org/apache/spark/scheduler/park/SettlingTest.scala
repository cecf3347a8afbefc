package org.apache.spark.scheduler.park

import java.util.concurrent.{CountDownLatch, TimeUnit}

import org.junit.jupiter.api.Assertions._
import org.junit.jupiter.api.Test

class SettlingTest {
  private val LimitNs = TimeUnit.MILLISECONDS.toNanos(20)

  @Test def aStageWaitsUpToItsLimitAndThenAllIsOfferedAgain(): Unit = {
    val offered = new CountDownLatch(1)
    val settling = new Settling(LimitNs, () => offered.countDown())
    assertEquals(Set(7), settling.waiting(Set(7), 1000))
    assertEquals(Set(7), settling.waiting(Set(7), 999 + LimitNs))
    assertTrue(settling.isWaiting)
    assertEquals(Set.empty, settling.waiting(Set(7), 1000 + LimitNs))
    assertFalse(settling.isWaiting)
    assertTrue(offered.await(30, TimeUnit.SECONDS))
  }

  @Test def aStageThatIsDueAgainWaitsAgain(): Unit = {
    val settling = new Settling(LimitNs, () => ())
    assertEquals(Set(7), settling.waiting(Set(7), 0))
    assertEquals(Set.empty, settling.waiting(Set.empty, 1))
    assertEquals(Set(7), settling.waiting(Set(7), 5 * LimitNs))
  }

  @Test def offersMayComeWhenAllEnds(): Unit = {
    val settling = new Settling(LimitNs, () => fail("nothing is to be offered again"))
    settling.close()
    assertEquals(Set(7), settling.waiting(Set(7), 0))
  }

  @Test def withoutALimitNothingWaits(): Unit = {
    val settling = new Settling(0, () => fail("nothing is to be offered again"))
    assertEquals(Set.empty, settling.waiting(Set(7), 0))
  }
}
