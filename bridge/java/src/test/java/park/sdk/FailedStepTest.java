package park.sdk;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import park.sdk.wire.Wire;

/** A server of an environment whose episodes have one step, and which fails the second step. */
@Timeout(30)
class FailedStepTest extends ScriptedServer {
  private final List<List<Long>> came = new ArrayList<>(); // numbers of episodes with each step

  @Test
  void whatCameWithAFailedStepIsSentAgain() throws Exception {
    loop.start();
    try (Client client = Client.connect(loop.endpoint());
        Environment env = client.open("shop", number -> new Episode(number, 0, 0))) {
      env.step(env.newActions());
      assertEquals(Code.INTERNAL, assertThrows(ParkException.class,
          () -> env.step(env.newActions())).code());
      env.step(env.newActions());
      env.step(env.newActions());
    } finally {
      loop.close();
    }
    assertEquals(List.of(List.of(), List.of(2L), List.of(2L), List.of(3L)), came);
  }

  @Override
  public void work(ByteBuffer session, Wire.Envelope.Reader request) {
    long sequence = request.getSequence();
    byte[] reply = request.isOpenStream() ? SessionTable.envelope(session, sequence, this::opened)
        : request.isStep() ? step(session, request)
        : SessionTable.envelope(session, sequence, to -> to.initStreamClosed());
    table.finish(session, sequence, reply);
  }

  private void opened(Wire.Envelope.Builder to) {
    Wire.StreamOpened.Builder opened = to.initStreamOpened();
    SpecCodec.write(Shop.SPEC, opened.initSpec());
    ask(0, opened.initFirst());
  }

  private byte[] step(ByteBuffer session, Wire.Envelope.Reader request) {
    List<Long> numbers = new ArrayList<>();
    for (Wire.NumberedEpisode.Reader numbered : request.getStep().getEpisodes()) {
      numbers.add(numbered.getNumber());
    }
    came.add(numbers);
    if (came.size() == 2) {
      return SessionTable.failure(session, request.getSequence(),
          new ParkException(Code.INTERNAL, "the second step"));
    }
    long next = came.size() < 2 ? came.size() : came.size() - 1;
    return SessionTable.envelope(session, request.getSequence(), end(next - 1).andThen(
        to -> ask(next, to.getDecisions())));
  }

  private static Consumer<Wire.Envelope.Builder> end(long context) {
    return to -> {
      Wire.Decisions.Builder d = to.initDecisions();
      d.setEnded(1);
      RowsCodec.write(Shop.observation(1), d.initFinalObservation());
      d.setEndedContext(bytes(context));
      d.setEndedDecisions(bytes(1));
    };
  }

  private static void ask(long context, Wire.Decisions.Builder to) {
    to.setAsked(1);
    RowsCodec.write(Shop.observation(1), to.initObservation());
    to.setContext(bytes(context));
    new Episode(context, 0, 0).write(to.initBegun(1).get(0));
  }

  private static byte[] bytes(long value) {
    return ByteBuffer.allocate(Long.BYTES).order(ByteOrder.LITTLE_ENDIAN).putLong(value).array();
  }
}
