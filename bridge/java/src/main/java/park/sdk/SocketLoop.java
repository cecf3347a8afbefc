package park.sdk;

import java.io.IOException;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.zeromq.SocketType;
import org.zeromq.ZEvent;
import org.zeromq.ZMQ;
import org.zeromq.ZMQException;
import org.zeromq.ZMonitor;
import zmq.ZError;

/**
 * One daemon thread that owns a ZeroMQ socket. Nobody else touches the socket, since an interrupt
 * in the middle of a call of JeroMQ would close channels that it shares; other threads hand over
 * tasks and wake the thread by {@link Selector#wakeup}, which interrupts do not harm.
 */
final class SocketLoop implements AutoCloseable {
  private static final int LINGER_MS = 200; // the default waits for ever
  private static final int HEARTBEAT_MS = 1000;
  private static final int SILENCE_MS = 30_000; // the other side may collect garbage that long
  private static final int HANDSHAKE_MS = 5000;
  // JeroMQ 0.6.0 forgets to watch one in some fifty connections that it makes (its pull request
  // 1022). Such a connection stays silent until the handshake's time is over, then comes another.
  private static final int CONNECTING_HANDSHAKE_MS = 300;
  private static final int LEAST_RECONNECT_MS = 100;
  private static final int MOST_RECONNECT_MS = 2000;
  private static final long MOST_BYTES = 64L << 20; // what Park's server sends at most
  private static final long LONGEST_SLEEP_MS = 1000;
  private static final long CLOSE_MS = 1000;
  // JeroMQ drops what it has not written when a socket closes, whatever LINGER says.
  private static final long LAST_WORDS_MS = 50;
  private static final int MESSAGES_AT_ONCE = 64; // before tasks and times are looked at
  private static final int MOST_FRAMES = 4; // a message of the protocol has 2, and a route

  /** What the thread does; on that thread. */
  interface Handler {
    /** The frames of a message; with a ROUTER the first one is the route. */
    void received(List<byte[]> frames, long now);

    /** The other side ended the connection, or was none. Alone of all, on a thread of JeroMQ. */
    default void disconnected() {}

    /** Does what it is time for; returns when to be called again at the latest. */
    long tick(long now);

    /** The last call before the socket is closed; what it sends still goes out. */
    void closing(long now);

    /** The thread has failed and ends. */
    void failed(Throwable reason);
  }

  private final long start = System.nanoTime();
  private final SocketType type;
  private final String endpoint;
  private final Consumer<ZMQ.Socket> configure;
  private final Handler handler;
  private final ZMQ.Context context = ZMQ.context(1);
  private final Selector selector;
  private final Queue<Runnable> tasks = new ConcurrentLinkedQueue<>();
  private final CompletableFuture<String> opened = new CompletableFuture<>();
  private final CountDownLatch ended = new CountDownLatch(1);
  private final Thread thread;
  private ZMQ.Socket socket;
  private volatile boolean stopping;

  private SocketLoop(SocketType type, String endpoint, Handler handler,
      Consumer<ZMQ.Socket> configure) {
    this.type = type;
    this.endpoint = endpoint;
    this.handler = handler;
    this.configure = configure;
    context.setUncaughtExceptionHandler((thread, reason) -> fail(reason));
    context.setNotificationExceptionHandler((thread, reason) -> { });
    try {
      selector = Selector.open();
    } catch (IOException e) {
      throw new ParkException(Code.INTERNAL, "no selector: " + e.getMessage(), e);
    }
    thread = new Thread(this::run, "park " + type + " " + endpoint);
    thread.setDaemon(true);
  }

  /** A DEALER that connects, now or when the server is there; `secure` sets its keys. */
  static SocketLoop connecting(String endpoint, Handler handler, Consumer<ZMQ.Socket> secure) {
    return new SocketLoop(SocketType.DEALER, endpoint, handler, socket -> {
      socket.setImmediate(false); // nothing is queued for a server that is not there
      socket.setHandshakeIvl(CONNECTING_HANDSHAKE_MS);
      socket.setMaxMsgSize(MOST_BYTES);
      socket.setReconnectIVL(LEAST_RECONNECT_MS);
      socket.setReconnectIVLMax(MOST_RECONNECT_MS);
      socket.setEventHook(new Ends(handler), ZMQ.EVENT_CONNECTED | ZMQ.EVENT_DISCONNECTED);
      secure.accept(socket);
      socket.connect(endpoint);
    });
  }

  /** A ROUTER that is bound. */
  static SocketLoop bound(String endpoint, Limits limits, Handler handler) {
    return new SocketLoop(SocketType.ROUTER, endpoint, handler, socket -> {
      socket.setRouterMandatory(true); // else what cannot be sent is lost unseen
      socket.setMaxMsgSize(limits.mostBytes);
      socket.setSndHWM(2 * limits.window);
      socket.setRcvHWM(2 * limits.window);
      socket.bind(endpoint);
    });
  }

  /** Has the thread open the socket and begin; until then the handler is not called. */
  void start() {
    thread.start();
  }

  /** What was opened, with its port; waits for start. Throws why there is none. */
  String endpoint() {
    try {
      return opened.join();
    } catch (CompletionException e) {
      throw failure(e.getCause());
    }
  }

  /** What a defect is to a caller. */
  static ParkException failure(Throwable reason) {
    return reason instanceof ParkException ? (ParkException) reason
        : new ParkException(Code.INTERNAL, "the thread of the socket ended: " + reason, reason);
  }

  /** Milliseconds since the loop was made. */
  long now() {
    return TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - start);
  }

  /** Has the thread do something soon. Any thread; after the end nothing happens. */
  void execute(Runnable task) {
    tasks.add(task);
    selector.wakeup();
  }

  /** Sends the frames of a message, or loses them. On the loop's thread. */
  void send(byte[]... frames) {
    try {
      for (int i = 0; i < frames.length; ++i) {
        int more = i + 1 < frames.length ? ZMQ.SNDMORE : 0;
        if (!socket.send(frames[i], ZMQ.DONTWAIT | more)) {
          return;
        }
      }
    } catch (ZMQException e) {
      if (e.getErrorCode() != ZError.EHOSTUNREACH) { // its client is gone
        throw e;
      }
    }
  }

  /** Ends the thread, after what it has to say, and does not wait for it. */
  void stop() {
    stopping = true;
    selector.wakeup();
  }

  /** Ends the thread, after what it has to say; waits for it a second at most. */
  @Override
  public void close() {
    stop();
    if (Thread.currentThread() == thread) {
      return;
    }
    try {
      ended.await(CLOSE_MS, TimeUnit.MILLISECONDS);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  private void run() {
    try {
      open();
      while (!stopping) {
        runTasks();
        receive();
        sleepUntil(handler.tick(now()));
      }
      runTasks();
      handler.closing(now());
      Thread.sleep(LAST_WORDS_MS);
    } catch (Throwable e) { // whoever waits for the thread must learn of it
      fail(e);
    } finally {
      release();
      ended.countDown();
    }
  }

  private void open() throws IOException {
    socket = context.socket(type);
    socket.setLinger(LINGER_MS);
    socket.setHeartbeatIvl(HEARTBEAT_MS);
    socket.setHeartbeatTimeout(SILENCE_MS);
    socket.setHeartbeatTtl(SILENCE_MS);
    socket.setHandshakeIvl(HANDSHAKE_MS);
    socket.setZapDomain("park"); // without it peers of ZMTP 1 and 2 get through
    try {
      configure.accept(socket);
    } catch (ZMQException | IllegalArgumentException e) {
      boolean taken = e instanceof ZMQException
          && ((ZMQException) e).getErrorCode() == ZError.EADDRINUSE;
      throw new ParkException(Code.NOT_ALLOWED, "endpoint: " + endpoint + ": "
          + (taken ? "is in use; choose another port, or * for a free one" : e.getMessage()), e);
    }
    socket.getFD().register(selector, SelectionKey.OP_READ);
    opened.complete(socket.getLastEndpoint());
  }

  private void fail(Throwable reason) {
    stopping = true;
    opened.completeExceptionally(reason);
    handler.failed(reason);
  }

  /** On the loop's thread. */
  void runTasks() {
    for (Runnable task = tasks.poll(); task != null; task = tasks.poll()) {
      task.run();
    }
  }

  private void receive() {
    for (int i = 0; i < MESSAGES_AT_ONCE; ++i) {
      byte[] frame = socket.recv(ZMQ.DONTWAIT);
      if (frame == null) {
        return;
      }
      List<byte[]> frames = new ArrayList<>();
      frames.add(frame);
      while (socket.hasReceiveMore()) {
        byte[] next = socket.recv(ZMQ.DONTWAIT);
        if (frames.size() < MOST_FRAMES) {
          frames.add(next); // the rest is of a message that is none of ours
        }
      }
      handler.received(frames, now());
    }
  }

  /** Until then, a message or a task. The socket's channel tells changes only, so look first. */
  private void sleepUntil(long due) throws IOException {
    if (!tasks.isEmpty() || (socket.getEvents() & ZMQ.Poller.POLLIN) != 0) {
      return;
    }
    long left = Math.min(due - now(), LONGEST_SLEEP_MS);
    if (left > 0) {
      selector.select(left);
      selector.selectedKeys().clear();
    }
    Thread.interrupted(); // nobody has a reason to; JeroMQ must not see it
  }

  /**
   * Tells of connections that the other side ended. JeroMQ itself ends one whose handshake takes too
   * long, as on a busy machine, and connects again: that says nothing about the other side.
   */
  private static final class Ends implements ZEvent.ZEventConsummer {
    private static final long ROUNDING_MS = 10;
    private final Handler handler;
    private long connected = System.nanoTime();

    private Ends(Handler handler) {
      this.handler = handler;
    }

    @Override
    public void consume(ZEvent event) {
      if (event.getEvent() == ZMonitor.Event.CONNECTED) {
        connected = System.nanoTime();
        return;
      }
      long lasted = TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - connected);
      if (lasted < CONNECTING_HANDSHAKE_MS - ROUNDING_MS) {
        handler.disconnected();
      }
    }
  }

  private void release() {
    if (socket != null) {
      socket.close();
    }
    context.term();
    try {
      selector.close();
    } catch (IOException e) {
      fail(e);
    }
  }
}
