package park.sdk;

import java.time.Duration;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.IntFunction;
import org.capnproto.StructList;
import park.sdk.wire.Wire;

/**
 * Environments that a server plays and this program drives: look at {@link #decisions}, then
 * {@link #step} until they are done. One thread at a time.
 */
public final class Environment implements AutoCloseable {
  private static final Duration CLOSING = Duration.ofSeconds(1);

  private final Connection connection;
  private final Duration timeout;
  private final Episodes episodes;
  private final int slots;
  private final Map<Long, Episode> coming = new TreeMap<>(); // to be sent with the next step
  private final Map<Long, Episode> underWay = new TreeMap<>(); // with the step that is waited for
  private final long[] nextOf; // the number that each slot plays after those that were sent
  private final int stream;
  private final Spec spec;
  private final DecisionsReader reader;
  private final Playing playing;
  private ParkException untrue; // what the server said that cannot be: nothing is asked after that
  private Decisions decisions;
  private ClientSession.Request waiting;
  private boolean closed;

  Environment(Connection connection, Duration timeout, String env, Episodes episodes,
      EnvironmentOptions options) throws InterruptedException {
    this.connection = connection;
    this.timeout = timeout;
    this.episodes = episodes;
    this.slots = options.slots;
    if (slots > connection.limits().mostSlots) {
      throw new ParkException(Code.TOO_MUCH, "slots: " + slots + ", the server allows "
          + connection.limits().mostSlots);
    }
    playing = new Playing(slots);
    nextOf = new long[slots];
    for (int s = 0; s < slots; ++s) {
      nextOf[s] = s;
      addEpisode(s);
      addEpisode(s);
    }
    Wire.Envelope.Reader reply = connection.call(timeout, envelope -> {
      Wire.OpenStream.Builder open = envelope.initOpenStream();
      open.setEnv(env);
      open.setSlots(slots);
      open.setIllegal(options.illegal.wire());
      open.setPenalty(options.penalty);
      writeEpisodes(open::initEpisodes);
    });
    coming.clear();
    Wire.StreamOpened.Reader opened = Frame.decoding(() -> {
      expect(reply, Wire.Envelope.Which.STREAM_OPENED, "openStream");
      return reply.getStreamOpened();
    });
    stream = opened.getStream();
    spec = Frame.decoding(() -> SpecCodec.read(opened.getSpec()));
    reader = new DecisionsReader(spec, slots);
    take(Frame.decoding(opened::getFirst));
  }

  /**
   * What is to be known of the environment.
   *
   * @return its spec
   */
  public Spec spec() {
    return spec;
  }

  /**
   * What has ended and what is asked now.
   *
   * @return what the last step, or opening, has told
   */
  public Decisions decisions() {
    return decisions;
  }

  /**
   * Actions to be filled in, 0 everywhere.
   *
   * @return a row for each one asked
   */
  public Rows newActions() {
    return Rows.zeros(spec.action(), decisions.asked(),
        new int[spec.action().groups().size()][decisions.asked()]);
  }

  /**
   * Takes the actions and waits for what is asked next, for as long as the client's options say.
   *
   * @param actions a row for each one asked
   * @return what has ended and what is asked then
   * @throws InterruptedException where the thread is interrupted: the step was taken, and
   *     {@link #receive} tells what came of it
   */
  public Decisions step(Rows actions) throws InterruptedException {
    send(actions);
    return receive(timeout);
  }

  /**
   * Sends the actions and does not wait. {@link #receive} comes next. Throws ParkException where
   * they are not as many as were asked or the message is too large; then nothing was sent.
   *
   * @param actions a row for each one asked
   */
  public void send(Rows actions) {
    if (untrue != null) {
      throw new ParkException(untrue.code(), untrue.text());
    }
    if (waiting != null) {
      throw new ParkException(Code.OUT_OF_ORDER, "step: receive the reply to the last one first");
    }
    if (decisions.done()) {
      throw new ParkException(Code.OUT_OF_ORDER, "step: the environment is done");
    }
    if (actions.count() != decisions.asked()) {
      throw ParkException.malformed("actions: " + actions.count() + " rows, "
          + decisions.asked() + " were asked");
    }
    waiting = connection.send(timeout, envelope -> {
      Wire.Step.Builder step = envelope.initStep();
      step.setStream(stream);
      RowsCodec.write(actions, step.initActions());
      writeEpisodes(step::initEpisodes);
    });
    underWay.putAll(coming);
    coming.clear();
  }

  /**
   * Waits for the reply to what was sent. Throws ParkException(LATE) where it is not there in
   * time; then it may be waited for again.
   *
   * @param limit the longest wait
   * @return what has ended and what is asked
   * @throws InterruptedException where the thread is interrupted; then it may be waited for again
   */
  public Decisions receive(Duration limit) throws InterruptedException {
    if (waiting == null) {
      return decisions;
    }
    Wire.Envelope.Reader reply;
    try {
      reply = connection.await(waiting, limit);
      waiting = null;
      underWay.clear();
    } catch (ParkException e) {
      if (e.getCause() != null) { // a reply that tells a failure: nothing has come of the step
        waiting = null;
        coming.putAll(underWay);
        underWay.clear();
      }
      throw e;
    }
    try {
      expect(reply, Wire.Envelope.Which.DECISIONS, "step");
      take(Frame.decoding(reply::getDecisions));
    } catch (ParkException e) {
      untrue = e;
      throw e;
    }
    return decisions;
  }

  /** Frees what the server has of it; waits a second at most. */
  @Override
  public void close() {
    if (closed) {
      return;
    }
    closed = true;
    try {
      connection.call(CLOSING, envelope -> envelope.initCloseStream().setStream(stream));
    } catch (ParkException e) {
      waiting = null; // the server is gone or busy: the end of the session frees it too
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  static void expect(Wire.Envelope.Reader reply, Wire.Envelope.Which which, String request) {
    if (reply.which() != which) {
      throw ParkException.malformed(request + ": another reply, " + reply.which());
    }
  }

  private void take(Wire.Decisions.Reader from) {
    decisions = reader.read(from);
    playing.take(decisions, spec);
    for (Ended ended : decisions.ended()) {
      addEpisode(ended.slot());
    }
    if (decisions.done()) {
      playing.checkDone();
    }
  }

  private void addEpisode(int slot) {
    Episode episode = episodes.at(nextOf[slot]);
    if (episode != null) {
      coming.put(nextOf[slot], episode);
      playing.give(slot, episode);
    }
    nextOf[slot] += slots;
  }

  private void writeEpisodes(IntFunction<StructList.Builder<Wire.NumberedEpisode.Builder>> init) {
    if (coming.isEmpty()) {
      return;
    }
    StructList.Builder<Wire.NumberedEpisode.Builder> list = init.apply(coming.size());
    int i = 0;
    for (Map.Entry<Long, Episode> numbered : coming.entrySet()) {
      list.get(i).setNumber(numbered.getKey());
      numbered.getValue().write(list.get(i++).initEpisode());
    }
  }
}
