package org.apache.spark.scheduler.park

import org.junit.jupiter.api.Assertions._
import org.junit.jupiter.api.Test

class SlotTableTest {
  private val slots = new SlotTable
  private val a = Last(1, "a")
  private val b = Last(2, "b")
  private val nothingEnds: Long => Boolean = _ => false

  @Test def aTaskTakesASlotAndLeavesItWithItsStage(): Unit = {
    slots.offered("e", 2, nothingEnds, 0)
    slots.launched("e", 10, a, 1)
    assertEquals(2, slots.total)
    assertEquals(1, slots.idle)
    assertEquals(Map(1 -> 1), slots.runningByStage)
    slots.offered("e", 2, _ == 10, 4)
    assertEquals(List(Some(a), None), slots.lasts("e"))
    assertEquals(3, slots.busySeconds(9), 1e-9)
  }

  @Test def aTaskTakesTheSlotOfItsStageThenOfItsJob(): Unit = {
    slots.offered("e", 2, nothingEnds, 0)
    slots.launched("e", 1, a, 0)
    slots.launched("e", 2, b, 0)
    slots.offered("e", 2, _ => true, 1)
    slots.launched("e", 3, Last(9, "b"), 1)
    assertEquals(List(Some(a)), slots.lasts("e"))
    assertEquals(0, slots.moves)
    slots.launched("e", 4, Last(9, "b"), 1)
    assertEquals(1, slots.moves)
  }

  @Test def executorsGoAndSlotsChange(): Unit = {
    slots.offered("e", 2, nothingEnds, 0)
    slots.offered("f", 3, nothingEnds, 0)
    slots.launched("f", 1, a, 0)
    slots.keep(_ == "f", 2)
    assertEquals(3, slots.total)
    slots.offered("f", 4, nothingEnds, 2)
    assertEquals(5, slots.total)
    slots.keep(_ => false, 3)
    assertEquals(0, slots.total)
    assertEquals(3, slots.busySeconds(9), 1e-9)
  }

  @Test def executorsThatRunStagesAreFound(): Unit = {
    for (id <- Seq("e", "f", "g")) slots.offered(id, 2, nothingEnds, 0)
    slots.launched("e", 1, a, 0)
    slots.launched("f", 2, b, 0)
    slots.launched("g", 3, b, 0)
    slots.launched("g", 4, a, 0)
    assertEquals(Set("e", "g"), slots.serving(Set(a.stage)))
    assertEquals(Set.empty, slots.serving(Set.empty))
    slots.offered("e", 2, _ == 1, 1)
    assertEquals(Set("g"), slots.serving(Set(a.stage)))
  }

  @Test def executorsThatAreGivenBackCountNoMore(): Unit = {
    for (id <- Seq("e", "f", "g")) slots.offered(id, 1, nothingEnds, 0)
    slots.launched("f", 1, a, 0)
    slots.launched("g", 2, b, 0)
    slots.leave(Seq("e", "f"))
    assertTrue(slots.isLeaving("e"))
    assertEquals((1, 0), (slots.total, slots.idle))
    assertEquals(Map("g" -> true), slots.working)
    assertEquals(Map(1 -> 1, 2 -> 1), slots.runningByStage) // it goes on
    slots.sweep(_ == 1, 3)
    assertEquals(Map(2 -> 1), slots.runningByStage)
    assertEquals(3 + 4, slots.busySeconds(4), 1e-9)
    assertEquals(Set.empty, slots.lastStages)
    slots.stay(Seq("e"))
    slots.offered("e", 1, nothingEnds, 4)
    assertEquals((2, 1), (slots.total, slots.idle))
    slots.keep(_ != "f", 4)
    assertFalse(slots.isLeaving("f"))
  }

  @Test def slotsHaveACommonJobOrNone(): Unit = {
    for ((id, what) <- Seq("e" -> a, "f" -> a, "g" -> b)) {
      slots.offered(id, 1, nothingEnds, 0)
      slots.launched(id, id.hashCode, what, 0)
      slots.offered(id, 1, _ => true, 1)
    }
    assertEquals(Some("a"), slots.commonJob(Iterator("e", "f")))
    assertEquals(None, slots.commonJob(Iterator("e", "g")))
    assertEquals(None, slots.commonJob(Iterator()))
  }

  @Test def whatIsOfNoJobIsNotCounted(): Unit = {
    slots.offered("e", 1, nothingEnds, 0)
    slots.launched("e", 1, a, 0)
    slots.offered("e", 1, _ => true, 1)
    slots.launched("e", 2, Last(5, ""), 1)
    slots.offered("e", 1, _ => true, 7)
    slots.launched("e", 3, b, 7)
    slots.offered("e", 1, _ => true, 9)
    assertEquals(3, slots.busySeconds(9), 1e-9)
    assertEquals(0, slots.moves)
  }
}
