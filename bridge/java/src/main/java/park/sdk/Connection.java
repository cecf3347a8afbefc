package park.sdk;

import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Consumer;
import java.util.function.Supplier;
import park.sdk.wire.Wire;

/**
 * A session with a server, over a socket of its own. Thread-safe: the session is guarded by this
 * object, the socket belongs to the loop's thread.
 */
final class Connection implements AutoCloseable {
  private static final long GREETING_MS = 300;

  private final String endpoint;
  private final boolean encrypted;
  private final ClientSession session;
  private final SocketLoop loop;
  private final long begunNs = System.nanoTime();

  /**
   * Begins to say hello and returns at once. A file also tells the token, if the options do not,
   * and the key of a server that has one.
   */
  Connection(String endpointOrFile, ClientOptions options) {
    byte[] token = options.token;
    String serverKey = "";
    if (Endpoint.isFile(endpointOrFile)) {
      EndpointFile file = EndpointFile.read(Path.of(endpointOrFile));
      endpoint = Endpoint.connectable(file.endpoint);
      token = token.length > 0 ? token : file.token;
      serverKey = file.serverKey;
      if (!serverKey.isEmpty() && options.keys == null) {
        throw new ParkException(Code.UNSUPPORTED, "endpoint: the server of " + endpointOrFile
            + " wants keys, which this client does not have");
      }
    } else {
      endpoint = Endpoint.connectable(endpointOrFile);
    }
    encrypted = !serverKey.isEmpty();
    String expected = serverKey;
    loop = SocketLoop.connecting(endpoint, new Events(), socket -> {
      if (encrypted) {
        options.keys.configure(socket, expected);
      }
    });
    byte[] preamble = Frame.preamble();
    session = new ClientSession(
        envelope -> loop.execute(() -> loop.send(preamble, envelope)),
        options.name, token);
    loop.start();
  }

  /** Says hello until the server answers. Throws ParkException(LATE) where it does not. */
  static Connection open(String endpoint, ClientOptions options) throws InterruptedException {
    Connection connection = new Connection(endpoint, options);
    boolean done = false;
    try {
      connection.await(connection.session.opened(), options.timeout, () -> "no server answers at ");
      done = true;
      return connection;
    } finally {
      if (!done) {
        connection.close();
      }
    }
  }

  String endpoint() {
    return endpoint;
  }

  CompletableFuture<Void> opened() {
    return session.opened();
  }

  synchronized boolean isOpen() {
    return session.isOpen();
  }

  /** Whether nobody has answered the hello for too long; the endpoint may be of a server that died. */
  synchronized boolean isLost() {
    return session.over() == null && !session.isOpen()
        && System.nanoTime() - begunNs >= Patience.LOST_NS;
  }

  /** Why nothing more can be asked; null while it can. */
  synchronized ParkException over() {
    return session.over();
  }

  synchronized Limits limits() {
    return session.limits();
  }

  /** Requests that were sent again. */
  synchronized long repeated() {
    return session.repeated();
  }

  /** As ClientSession.send. */
  synchronized ClientSession.Request send(Duration useful, Consumer<Wire.Envelope.Builder> fill) {
    return session.send(useful.toMillis(), fill, loop.now());
  }

  /**
   * The reply to a request. Throws ParkException(LATE) at the deadline, then or after an interrupt
   * it may be waited for again; and what the request failed with.
   */
  Wire.Envelope.Reader await(ClientSession.Request request, Duration timeout)
      throws InterruptedException {
    return await(request.reply, timeout, () -> "no reply in time from ");
  }

  /** send, then await. */
  Wire.Envelope.Reader call(Duration timeout, Consumer<Wire.Envelope.Builder> fill)
      throws InterruptedException {
    return await(send(timeout, fill), timeout);
  }

  /** As close, and waits for nothing. */
  void abandon() {
    loop.stop();
  }

  /** Says goodbye; what is waited for fails. */
  @Override
  public void close() {
    loop.close();
  }

  private <T> T await(CompletableFuture<T> future, Duration timeout, Supplier<String> late)
      throws InterruptedException {
    try {
      return future.get(timeout.toNanos(), TimeUnit.NANOSECONDS);
    } catch (TimeoutException e) {
      throw new ParkException(Code.LATE, late.get() + endpoint);
    } catch (ExecutionException e) {
      ParkException reason = (ParkException) e.getCause();
      throw new ParkException(reason.code(), endpoint + ": " + reason.text(), reason);
    }
  }

  private final class Events implements SocketLoop.Handler {
    @Override
    public void received(List<byte[]> frames, long now) {
      if (frames.size() == 2) { // anything else is none of this protocol
        synchronized (Connection.this) {
          session.receive(frames.get(0), frames.get(1), now);
        }
      }
    }

    @Override
    public void disconnected() {
      loop.execute(this::lookForKey);
    }

    private void lookForKey() {
      if (Greeting.mechanism(endpoint, GREETING_MS).equals("CURVE")) {
        synchronized (Connection.this) {
          session.end(new ParkException(Code.NOT_ALLOWED,
              encrypted ? "the server does not let this client's key in, or has another key itself"
                  : "the server has a key (CURVE), and its endpoint file was not given"));
        }
      }
    }

    @Override
    public long tick(long now) {
      synchronized (Connection.this) {
        return session.tick(now);
      }
    }

    @Override
    public void closing(long now) {
      synchronized (Connection.this) {
        session.close(now);
      }
      loop.runTasks(); // the goodbye
    }

    @Override
    public void failed(Throwable reason) {
      synchronized (Connection.this) {
        session.end(SocketLoop.failure(reason));
      }
    }
  }
}
