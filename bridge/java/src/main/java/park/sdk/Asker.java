package park.sdk;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.function.Supplier;
import park.sdk.wire.Wire;

/**
 * Asks a served policy for a running system, which cannot wait: each question has a deadline and a
 * fall-back, and the decision says who took it. An answer that comes late is dropped and counted.
 * Whatever happens to the server, no call throws because of it or blocks beyond its deadline; the
 * asker connects again by itself, and each context then begins again for the policy.
 *
 * <p>One thread at a time. Its own thread is a daemon.
 */
public final class Asker implements AutoCloseable {
  /** A question whose deadline has passed. */
  private static final class Missed {
    final ClientSession.Request request;
    final AskedContext context;

    Missed(ClientSession.Request request, AskedContext context) {
      this.request = request;
      this.context = context;
    }
  }

  private final String endpoint;
  private final Spec spec;
  private final AskerOptions options;
  private final Patience patience;
  private final Map<Integer, AskedContext> contexts = new HashMap<>(); // by slot
  private final List<AskedContext> ended = new ArrayList<>(); // to be told with the next question
  private final List<Missed> missed = new ArrayList<>();
  private PolicyLink link;
  private long linkedNs;
  private String problem = "";
  private long answers;
  private long fallbacks;
  private long late;

  private Asker(String endpoint, Spec spec, AskerOptions options) {
    this.endpoint = endpoint;
    this.spec = spec;
    this.options = options;
    this.patience = new Patience(options.mostMisses);
    relink();
  }

  /**
   * Begins to connect and returns at once; until the policy is there, fall-backs decide.
   *
   * @param endpoint of the policy's server, {@code tcp://HOST:PORT}, or the path of its endpoint
   *     file, which is read again before each attempt to connect
   * @param spec of the system that asks
   * @param options which policy, and when not to wait for it
   * @return the asker
   */
  public static Asker connect(String endpoint, Spec spec, AskerOptions options) {
    return new Asker(endpoint, spec, options);
  }

  /**
   * Waits until the policy is open.
   *
   * @param limit the longest wait
   * @return whether it is; {@link #problem} tells why not
   * @throws InterruptedException where the thread is interrupted
   */
  public boolean ready(Duration limit) throws InterruptedException {
    long until = System.nanoTime() + limit.toNanos();
    do {
      try {
        if (reach(until)) {
          return true;
        }
        Thread.sleep(1); // until the next attempt to connect
      } catch (ParkException e) {
        problem = e.getMessage();
      }
    } while (System.nanoTime() < until);
    return false;
  }

  /**
   * An episode of the system begins.
   *
   * @param slot a small number that stands for it while it goes on
   * @param episode an id of its own, and seeds where the system has some; the policy is told them
   * @param chance from which a policy that draws takes all its chance
   */
  public void begin(int slot, Episode episode, long chance) {
    contexts.put(slot, new AskedContext(slot, episode, chance));
  }

  /**
   * An episode has ended; the policy learns of it with the next question.
   *
   * @param slot where it was begun
   * @param finalObservation one row
   * @param reward since its last question
   * @param elapsedS since its last question, in seconds
   * @param truncated whether it was cut off
   * @param metrics in the order of the spec's; none: all 0
   */
  public void end(int slot, Rows finalObservation, double reward, double elapsedS,
      boolean truncated, double... metrics) {
    AskedContext context = context(slot);
    check(finalObservation);
    if (metrics.length != 0 && metrics.length != spec.metrics().size()) {
      throw ParkException.malformed("metrics: " + metrics.length + ", the spec has "
          + spec.metrics().size());
    }
    contexts.remove(slot);
    context.pass(reward, elapsedS);
    context.end(finalObservation, truncated, metrics);
    if (context.known) {
      ended.add(context);
    }
  }

  /**
   * Asks for a decision. An interrupt of the thread ends the wait: the fall-back decides, and the
   * thread's interrupted state stays.
   *
   * @param slot of an episode that was begun
   * @param observation one row, inside its bounds
   * @param reward since the last question, finite
   * @param elapsedS since the last question, in seconds
   * @param deadline the longest wait, of tens of milliseconds mostly
   * @param fallback decides where the policy does not; one row
   * @return the actions and who took them
   */
  public Decision ask(int slot, Rows observation, double reward, double elapsedS,
      Duration deadline, Supplier<Rows> fallback) {
    long until = System.nanoTime() + deadline.toNanos();
    AskedContext context = context(slot);
    check(observation);
    context.pass(reward, elapsedS);
    try {
      Rows actions = answer(context, observation, until);
      if (actions != null) {
        patience.renew();
        ++answers;
        context.applied = Applied.POLICY;
        problem = "";
        return new Decision(actions, Applied.POLICY, "");
      }
    } catch (ParkException e) {
      problem = e.getMessage();
    } catch (InterruptedException e) {
      problem = "the thread was interrupted";
      Thread.currentThread().interrupt();
    }
    ++fallbacks;
    context.applied = Applied.FALLBACK;
    return new Decision(fallback.get(), Applied.FALLBACK, problem);
  }

  /**
   * Why the last question was not the policy's to answer.
   *
   * @return one line for people; empty where there was none
   */
  public String problem() {
    return problem;
  }

  /**
   * Decisions of the policy.
   *
   * @return so far
   */
  public long answers() {
    return answers;
  }

  /**
   * Decisions of fall-backs.
   *
   * @return so far
   */
  public long fallbacks() {
    return fallbacks;
  }

  /**
   * Answers that came after their deadline and were dropped.
   *
   * @return so far
   */
  public long late() {
    collect();
    return late;
  }

  /** Ends the session; waits a second at most. */
  @Override
  public void close() {
    link.close();
  }

  /** The policy's actions; null where they are not there in time. */
  private Rows answer(AskedContext context, Rows observation, long until)
      throws InterruptedException {
    collect();
    boolean patient = patience.isLeft();
    if (!patient && !missed.isEmpty() && !isGone()) {
      problem = "paused after " + patience.misses() + " misses in a row, until an answer comes";
      ++context.skipped;
      return null;
    }
    ClientSession.Request request;
    try {
      if (!reach(patient ? until : System.nanoTime())) {
        problem = link.problem();
        patience.miss();
        ++context.skipped;
        return null;
      }
      request = send(context, observation, until);
    } catch (ParkException | InterruptedException e) {
      patience.miss();
      ++context.skipped; // nobody saw the question
      throw e;
    }
    return await(request, context, until) ? actions(request.reply.join(), observation) : null;
  }

  private boolean await(ClientSession.Request request, AskedContext context, long until)
      throws InterruptedException {
    try {
      if (PolicyLink.done(request.reply, until)) {
        return true;
      }
    } catch (ParkException e) {
      context.known = false; // the question had no effect: the policy lacks a row
      patience.miss();
      throw e;
    } catch (InterruptedException e) {
      missed.add(new Missed(request, context));
      throw e;
    }
    missed.add(new Missed(request, context));
    patience.miss();
    problem = "late: no answer in time from " + endpoint;
    return false;
  }

  private Rows actions(Wire.Envelope.Reader reply, Rows observation) {
    Environment.expect(reply, Wire.Envelope.Which.ANSWER, "ask");
    Rows actions = Frame.decoding(
        () -> RowsCodec.read(reply.getAnswer().getActions(), spec.action(), 1));
    if (actions.count() != 1) {
      throw ParkException.malformed("answer: " + actions.count() + " rows, 1 was asked");
    }
    Choices.check(spec, observation, actions, 0);
    return actions;
  }

  /** Looks at what has come since the last question. */
  private void collect() {
    for (Iterator<Missed> all = missed.iterator(); all.hasNext(); ) {
      Missed one = all.next();
      if (!one.request.reply.isDone()) {
        continue;
      }
      all.remove();
      if (one.request.reply.isCompletedExceptionally()) {
        one.context.known = false;
      } else {
        ++late;
        patience.renew();
      }
    }
  }

  /** Whether it is time to look for a server anew. */
  private boolean isGone() {
    return !missed.isEmpty() && patience.isLost() || link.isOver() || link.isLost();
  }

  /** Connects where that is needed and due, and goes on as far as the time allows. */
  private boolean reach(long until) throws InterruptedException {
    if (isGone() && System.nanoTime() - linkedNs >= options.retry.toNanos()) {
      relink();
    }
    try {
      return link.reach(until);
    } catch (ParkException e) {
      link.abandon(); // refused: another attempt when it is due
      throw e;
    }
  }

  private void relink() {
    linkedNs = System.nanoTime();
    PolicyLink next = new PolicyLink(endpoint, spec, options);
    if (link != null) {
      link.abandon();
    }
    link = next;
    contexts.values().forEach(context -> context.known = false);
    ended.clear();
    missed.clear();
  }

  private ClientSession.Request send(AskedContext context, Rows observation, long until) {
    if (context.slot >= link.mostSlots()) {
      throw new ParkException(Code.TOO_MUCH, "slot: " + context.slot + ", the server allows "
          + link.mostSlots());
    }
    ended.removeIf(gone -> !gone.known); // the policy has forgotten them
    ClientSession.Request request = link.ask(until - System.nanoTime(), to -> {
      Wire.Decisions.Builder question = to.initQuestion();
      context.write(observation, question);
      if (!ended.isEmpty()) {
        AskedContext.writeEnded(ended, spec, question);
      }
      if (!context.known) {
        ByteBuffer chance = ByteBuffer.allocate(Long.BYTES).order(ByteOrder.LITTLE_ENDIAN);
        to.setChance(chance.putLong(0, context.chance).array());
      }
    });
    ended.clear();
    context.delivered();
    return request;
  }

  private AskedContext context(int slot) {
    AskedContext context = contexts.get(slot);
    if (context == null) {
      throw new ParkException(Code.OUT_OF_ORDER, "slot: no episode was begun in " + slot);
    }
    return context;
  }

  private static void check(Rows observation) {
    if (observation.count() != 1) {
      throw ParkException.malformed("observation: " + observation.count() + " rows, allowed is 1");
    }
    RowsCodec.checkValues(observation);
  }
}
