package park.sdk;

import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Function;
import park.sdk.wire.Wire;

/**
 * Asks a server in the messages of a domain, for a running system, which cannot wait: each request
 * has a deadline, and where no reply comes in time there is none. After some misses in a row it
 * waits no more until a reply has come. Whatever happens to the server, no call throws because of
 * it or blocks beyond its deadline, and it connects again by itself.
 *
 * <p>One thread at a time. Its own thread is a daemon.
 */
public final class FamilyLink implements AutoCloseable {
  private final String endpoint;
  private final String family;
  private final AskerOptions options;
  private final Function<byte[], String> flaw;
  private final List<ClientSession.Request> missed = new ArrayList<>();
  private final Patience patience;
  private Connection connection;
  private long connectedNs;
  private long sessions;
  private boolean counted; // the connection is among the sessions
  private long late;
  private boolean flawed; // the last reply
  private long flawedNs; // when it came
  private String problem = "";

  private FamilyLink(
      String endpoint, String family, AskerOptions options, Function<byte[], String> flaw) {
    this.endpoint = endpoint;
    this.family = family;
    this.options = options;
    this.flaw = flaw;
    this.patience = new Patience(options.mostMisses);
  }

  /**
   * Begins to connect and returns at once.
   *
   * @param endpoint of the server, {@code tcp://HOST:PORT}, or the path of its endpoint file, which
   *     is read again before each attempt to connect
   * @param family the name of the domain
   * @param options when not to wait; the policy is not used
   * @return the link
   */
  public static FamilyLink connect(String endpoint, String family, AskerOptions options) {
    return connect(endpoint, family, options, payload -> "");
  }

  /**
   * As above, for servers that may reply without an answer, such as one whose policy hangs. Such a
   * reply is a miss: after some in a row the server is asked once in each time of {@code retry}.
   *
   * @param endpoint of the server, or the path of its endpoint file
   * @param family the name of the domain
   * @param options when not to wait
   * @param flaw one line that says why a payload is no answer; empty: it is one
   * @return the link
   */
  public static FamilyLink connect(
      String endpoint, String family, AskerOptions options, Function<byte[], String> flaw) {
    if (!Endpoint.isFile(endpoint)) {
      Endpoint.connectable(endpoint); // a mistake is told at once
    }
    FamilyLink link = new FamilyLink(endpoint, family, options, flaw);
    link.relink();
    return link;
  }

  /**
   * Where a server is. Throws ParkException where the text is no endpoint, or the file none of
   * {@code --endpoint-file}.
   *
   * @param endpoint {@code tcp://HOST:PORT}, or the path of an endpoint file
   * @return {@code tcp://HOST:PORT}
   */
  public static String address(String endpoint) {
    return Endpoint.connectable(
        Endpoint.isFile(endpoint) ? EndpointFile.read(Path.of(endpoint)).endpoint : endpoint);
  }

  /**
   * Throws ParkException where a file has no keys of a client.
   *
   * @param path of a file of {@code park key}
   */
  public static void checkKey(String path) {
    CurveKeys.read(Path.of(path));
  }

  /**
   * Sends a request and waits for its reply. An interrupt of the thread ends the wait, and its
   * interrupted state stays.
   *
   * @param payload a message of the family
   * @param deadline the longest wait
   * @return the payload of the reply; null where it is not there in time or no answer
   */
  public byte[] ask(byte[] payload, Duration deadline) {
    long until = System.nanoTime() + deadline.toNanos();
    try {
      byte[] reply = reply(payload, until);
      if (reply != null && isAnswer(reply)) {
        patience.renew();
        problem = "";
        return reply;
      }
      if (reply != null) {
        problem = flaw.apply(reply);
        patience.miss();
      }
    } catch (ParkException e) {
      problem = e.getMessage();
      patience.miss();
    } catch (InterruptedException e) {
      problem = "the thread was interrupted";
      Thread.currentThread().interrupt();
    }
    return null;
  }

  /**
   * How many sessions were opened so far. What a server was told before belongs to another one.
   *
   * @return rises with each
   */
  public long sessions() {
    if (!counted && connection != null && connection.isOpen()) {
      counted = true;
      ++sessions;
    }
    return sessions;
  }

  /**
   * Whether requests are waited for: not so after some misses in a row.
   *
   * @return false until a reply has come
   */
  public boolean isPatient() {
    return patience.isLeft();
  }

  /**
   * Why the last request has no reply.
   *
   * @return one line for people; empty where it has one
   */
  public String problem() {
    return problem;
  }

  /**
   * Replies that came after their deadline and were dropped.
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
    if (connection != null) {
      connection.close();
    }
  }

  private byte[] reply(byte[] payload, long until) throws InterruptedException {
    collect();
    boolean patient = isPatient();
    if (!patient && isPaused() && !isGone()) {
      problem = "paused after " + patience.misses() + " misses in a row, until a reply comes";
      return null;
    }
    if (!reach(patient ? until : System.nanoTime())) {
      patience.miss();
      return null;
    }
    return exchange(payload, until);
  }

  private byte[] exchange(byte[] payload, long until) throws InterruptedException {
    Duration useful = Duration.ofNanos(Math.max(1, until - System.nanoTime()));
    ClientSession.Request request = connection.send(useful, envelope -> {
      Wire.Family.Builder to = envelope.initFamily();
      to.setName(family);
      to.setPayload(payload);
    });
    boolean done = false;
    try {
      done = PolicyLink.done(request.reply, until);
    } finally {
      if (!done && !request.reply.isDone()) {
        missed.add(request);
      }
    }
    if (!done) {
      problem = "late: no reply in time from " + endpoint;
      patience.miss();
      return null;
    }
    return payloadOf(request);
  }

  private static byte[] payloadOf(ClientSession.Request request) {
    Wire.Envelope.Reader reply = request.reply.join();
    Environment.expect(reply, Wire.Envelope.Which.FAMILY, "family");
    return Frame.decoding(() -> reply.getFamily().getPayload().toArray());
  }

  private boolean isAnswer(byte[] payload) {
    flawed = !flaw.apply(payload).isEmpty();
    flawedNs = System.nanoTime();
    return !flawed;
  }

  /** A reply is waited for, or the last one was no answer and the next question is not due. */
  private boolean isPaused() {
    return !missed.isEmpty()
        || flawed && System.nanoTime() - flawedNs < options.retry.toNanos();
  }

  /** Looks at what has come since. */
  private void collect() {
    missed.removeIf(request -> {
      if (!request.reply.isDone()) {
        return false;
      }
      if (!request.reply.isCompletedExceptionally()) {
        ++late;
        renew(request);
      }
      return true;
    });
  }

  /** An error is a sign of life too. */
  private void renew(ClientSession.Request request) {
    try {
      if (isAnswer(payloadOf(request))) {
        patience.renew();
      }
    } catch (ParkException e) {
      patience.renew();
    }
  }

  /** Whether it is time to look for a server anew. */
  private boolean isGone() {
    return connection == null || connection.over() != null || connection.isLost()
        || !missed.isEmpty() && patience.isLost();
  }

  /** Connects where that is needed and due, and waits until then for an open session. */
  private boolean reach(long until) throws InterruptedException {
    if (isGone()) {
      if (connection != null && connection.over() != null && problem.isEmpty()) {
        problem = connection.over().getMessage();
      }
      if (System.nanoTime() - connectedNs < options.retry.toNanos()) {
        return false;
      }
      relink();
    }
    if (connection == null) {
      return false;
    }
    if (!PolicyLink.done(connection.opened(), until)) {
      problem = "no server answers at " + connection.endpoint();
      return false;
    }
    sessions();
    return connection.over() == null;
  }

  private void relink() {
    connectedNs = System.nanoTime();
    if (connection != null) {
      connection.abandon();
      connection = null;
    }
    missed.clear();
    counted = false;
    try {
      connection = new Connection(endpoint, options.client);
    } catch (ParkException e) { // its endpoint file is not there yet
      problem = e.getMessage();
    }
  }
}
