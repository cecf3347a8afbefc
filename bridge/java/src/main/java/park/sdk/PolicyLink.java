package park.sdk;

import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Consumer;
import park.sdk.wire.Wire;

/** A session with a policy that is being opened, is open, or is over. One thread. */
final class PolicyLink {
  private static final Duration USEFUL = Duration.ofSeconds(60);

  private final Connection connection;
  private final Spec spec;
  private final String policy;
  private ClientSession.Request opening;
  private long openingNs;
  private int id;
  private boolean open;
  private String problem = "no server answers yet";

  PolicyLink(String endpoint, Spec spec, AskerOptions options) {
    this.spec = spec;
    this.policy = options.policy;
    connection = new Connection(endpoint, options.client);
  }

  /** Why it cannot be asked, for people. */
  String problem() {
    return problem;
  }

  /** Whether it will never be open again. */
  boolean isOver() {
    return connection.over() != null;
  }

  /** As Connection.isLost; also where the policy is not open after a time in which any would be. */
  boolean isLost() {
    return connection.isLost()
        || opening != null && !open && System.nanoTime() - openingNs >= USEFUL.toNanos();
  }

  /** Goes as far towards an open policy as the time allows; true where it is open. */
  boolean reach(long untilNs) throws InterruptedException {
    if (!open && done(connection.opened(), untilNs)) {
      if (opening == null) {
        opening = connection.send(USEFUL, envelope -> {
          Wire.OpenPolicy.Builder to = envelope.initOpenPolicy();
          to.setPolicy(policy);
          SpecCodec.write(spec, to.initSpec());
        });
        openingNs = System.nanoTime();
        problem = "the policy is not open yet";
      }
      if (done(opening.reply, untilNs)) {
        Wire.Envelope.Reader reply = opening.reply.join();
        Environment.expect(reply, Wire.Envelope.Which.POLICY_OPENED, "openPolicy");
        id = Frame.decoding(() -> reply.getPolicyOpened().getId());
        open = true;
      }
    }
    return open && !isOver();
  }

  int mostSlots() {
    return connection.limits().mostSlots;
  }

  /** As ClientSession.send; the number of the policy is filled in. */
  ClientSession.Request ask(long usefulNs, Consumer<Wire.Ask.Builder> fill) {
    return connection.send(Duration.ofNanos(usefulNs), envelope -> {
      Wire.Ask.Builder to = envelope.initAsk();
      to.setId(id);
      fill.accept(to);
    });
  }

  /** Waits until then; false where it is not there. Throws what it has failed with. */
  static boolean done(CompletableFuture<?> future, long untilNs) throws InterruptedException {
    try {
      future.get(Math.max(0, untilNs - System.nanoTime()), TimeUnit.NANOSECONDS);
      return true;
    } catch (TimeoutException e) {
      return false;
    } catch (ExecutionException e) {
      throw (ParkException) e.getCause();
    }
  }

  void abandon() {
    connection.abandon();
  }

  void close() {
    connection.close();
  }
}
