package park.sdk;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import org.capnproto.PrimitiveList;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import park.sdk.wire.Wire;

/** A server of an environment with two episodes of one step, which says what cannot be. */
@Timeout(60)
class HostileServerTest extends ScriptedServer {
  private volatile Consumer<Wire.StreamOpened.Builder> opening = opened -> { };
  private volatile Consumer<Wire.Decisions.Builder> step = decisions -> { };

  private static Episode episode(long number) {
    return number < 2 ? new Episode(number, 10 + number, 20 + number) : null;
  }

  /** What the client says of it, from opening to the step. */
  private ParkException said() throws Exception {
    try (Client client = Client.connect(loop.endpoint())) {
      return assertThrows(ParkException.class, () -> {
        try (Environment env = client.open("shop", HostileServerTest::episode)) {
          ParkException untrue =
              assertThrows(ParkException.class, () -> env.step(env.newActions()));
          ParkException after =
              assertThrows(ParkException.class, () -> env.step(env.newActions()));
          assertEquals(untrue.text(), after.text()); // nothing is asked after that
          throw untrue;
        }
      });
    }
  }

  @Test
  void specsAndFirstQuestionsThatCannotBe() throws Exception {
    Map<String, Consumer<Wire.StreamOpened.Builder>> changes = new LinkedHashMap<>();
    changes.put("size: shape [4611686018427387904]", opened -> {
      PrimitiveList.Long.Builder shape =
          opened.getSpec().getObservation().getLeaves().get(1).initShape(1);
      shape.set(0, 1L << 62);
    });
    changes.put("rows: 4294967295, at most 1",
        opened -> opened.getFirst().getObservation().setCount(-1));
    changes.put("asked: is not the number", opened -> opened.getFirst().setAsked(-1));
    changes.put("slot: 9, there are 1", opened -> opened.getFirst().setSlot(ints(9)));
    changes.put("context: row 0 does not follow",
        opened -> opened.getFirst().setSequence(longs(3)));
    changes.put("begun: slot 0 has episode 7",
        opened -> opened.getFirst().getBegun().get(0).setId(7));
    changes.put("begun: slot 0 has episode 0",
        opened -> opened.getFirst().getBegun().get(0).setHorizonS(3));
    changes.put("begun: slot 0 has episode 0 with the seeds 10 and 20 and the horizon Infinity s "
        + "in context 9", opened -> opened.getFirst().setContext(longs(9)));
    changes.put("begun: slot 0 has episode 1 with", opened -> { // a system, which was given it
      opened.getSpec().setSystem(true);
      Wire.Episode.Builder begun = opened.getFirst().getBegun().get(0);
      episode(1).write(begun);
      begun.setInputs(7);
    });
    changes.put("asked: nothing is asked", opened -> opened.initFirst());
    changes.put("reward: NaN", opened -> opened.getFirst().setReward(doubles(Double.NaN)));
    changes.put("elapsedS: -1.0", opened -> opened.getFirst().setElapsedS(doubles(-1)));
    loop.start();
    try {
      for (Map.Entry<String, Consumer<Wire.StreamOpened.Builder>> change : changes.entrySet()) {
        opening = change.getValue();
        ParkException said = said();
        assertTrue(said.text().startsWith(change.getKey()), said.text());
      }
    } finally {
      loop.close();
    }
  }

  @Test
  void stepsThatCannotBe() throws Exception {
    Map<String, Consumer<Wire.Decisions.Builder>> changes = new LinkedHashMap<>();
    changes.put("done: the server has 1 more episodes to play", d -> {
      d.setAsked(0);
      d.initObservation();
      d.initBegun(0);
      d.setContext(new byte[0]);
      d.setDone(true);
    });
    changes.put("begun: slot 0 has episode 0 with", d -> episode(0).write(d.getBegun().get(0)));
    changes.put("endedContext: 5 is not", d -> d.setEndedContext(longs(5)));
    changes.put("endedContext: 0 is not", d -> d.setEndedDecisions(longs(0)));
    changes.put("slot: 3000000000, there are 1", d -> d.setEndedSlot(ints((int) 3_000_000_000L)));
    changes.put("metric cost: NaN", d -> d.setMetrics(doubles(Double.NaN)));
    changes.put("metric cost: Infinity", d -> {
      d.setMetrics(doubles(Double.POSITIVE_INFINITY));
      d.setTruncated(new byte[] {1});
    });
    changes.put("reward: Infinity", d -> d.setEndedReward(doubles(Double.POSITIVE_INFINITY)));
    changes.put("endedUnseen: too many", d -> d.initEndedUnseen(1));
    loop.start();
    try {
      for (Map.Entry<String, Consumer<Wire.Decisions.Builder>> change : changes.entrySet()) {
        step = change.getValue();
        ParkException said = said();
        assertTrue(said.text().startsWith(change.getKey()), said.text());
      }
    } finally {
      loop.close();
    }
  }

  @Test
  void anHonestServerIsPlayed() throws Exception {
    loop.start();
    step = d -> {
      d.setTruncated(new byte[] {1});
      d.setMetrics(doubles(Double.NaN)); // an episode that was cut off may leave it undefined
    };
    try (Client client = Client.connect(loop.endpoint());
        Environment env = client.open("shop", HostileServerTest::episode)) {
      Decisions now = env.step(env.newActions());
      assertEquals(1, now.ended().size());
      assertTrue(Double.isNaN(now.ended().get(0).metric("cost")));
      assertEquals(1, now.episode(0).id());
    } finally {
      loop.close();
    }
  }

  @Override
  public void work(ByteBuffer session, Wire.Envelope.Reader request) {
    long sequence = request.getSequence();
    table.finish(session, sequence, SessionTable.envelope(session, sequence, to -> {
      if (request.isOpenStream()) {
        Wire.StreamOpened.Builder opened = to.initStreamOpened();
        SpecCodec.write(Shop.SPEC, opened.initSpec());
        ask(0, opened.initFirst());
        opening.accept(opened);
      } else if (request.isStep()) {
        Wire.Decisions.Builder d = to.initDecisions();
        d.setEnded(1);
        RowsCodec.write(Shop.observation(1), d.initFinalObservation());
        d.setEndedDecisions(longs(1));
        ask(1, d);
        step.accept(d);
      } else {
        to.initStreamClosed();
      }
    }));
  }

  private static void ask(long number, Wire.Decisions.Builder to) {
    to.setAsked(1);
    RowsCodec.write(Shop.observation(1), to.initObservation());
    to.setContext(longs(number));
    episode(number).write(to.initBegun(1).get(0));
  }

  private static byte[] ints(int value) {
    return buffer(Integer.BYTES).putInt(value).array();
  }

  private static byte[] longs(long value) {
    return buffer(Long.BYTES).putLong(value).array();
  }

  private static byte[] doubles(double value) {
    return buffer(Double.BYTES).putDouble(value).array();
  }

  private static ByteBuffer buffer(int bytes) {
    return ByteBuffer.allocate(bytes).order(ByteOrder.LITTLE_ENDIAN);
  }
}
