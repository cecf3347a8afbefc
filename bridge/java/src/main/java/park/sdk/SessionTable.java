package park.sdk;

import java.nio.ByteBuffer;
import java.security.MessageDigest;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Consumer;
import park.sdk.wire.Wire;

/**
 * The sessions of a server: who may ask what, and what was answered. It has no sockets, no threads
 * and no clock, so that every order of events can be tested. Not thread-safe.
 *
 * <p>A request counts once: one that comes again while it is worked on is ignored, one that was
 * answered gets the same bytes again. Requests of a session are worked on in the order of their
 * numbers; one that comes too early is ignored, since its client repeats it after the one that is
 * missing.
 *
 * <p>Whoever connects may open sessions: each connection has a quota of them. A table that is full
 * ends those that nobody has used for two seconds.
 */
final class SessionTable {
  static final long UNUSED_MS = 2000;
  // Of requests in progress and of replies that are kept for repetition; a reply more may be kept.
  static final long MOST_SESSION_BYTES = 256L << 20;
  static final long MOST_SERVER_BYTES = 1L << 30;

  /** What the table has done by others. */
  interface Calls {
    /** Sends an envelope to where a session's last message came from. */
    void send(byte[] route, byte[] envelope);

    /** A new request; finish tells its reply, then or later. */
    void work(ByteBuffer session, Wire.Envelope.Reader request);

    /** A session is over: what it owns is to be freed. */
    void ended(ByteBuffer session);
  }

  private static final class Session {
    final long number; // rises with each session
    final ByteBuffer opener; // the route of the hello
    final ByteBuffer nonce;
    final long opened;
    byte[] route;
    long heard;
    long begun; // the last request that was given to work
    int working; // requests without a reply
    long bytes; // of these and of the replies
    final Map<Long, Long> requests = new HashMap<>(); // bytes of those without a reply
    final TreeMap<Long, byte[]> replies = new TreeMap<>();

    Session(long number, byte[] route, ByteBuffer nonce, long now) {
      this.number = number;
      this.opener = ByteBuffer.wrap(route);
      this.nonce = nonce;
      this.opened = now;
      this.route = route;
      this.heard = now;
    }
  }

  private final Limits limits;
  private final byte[] token;
  private final int mostSessions;
  private final int mostOfConnection;
  private final String server;
  private final Calls calls;
  private final Map<ByteBuffer, Session> sessions = new HashMap<>(); // by their keys
  private final Map<ByteBuffer, ByteBuffer> nonces = new HashMap<>(); // to keys
  private final Map<ByteBuffer, Integer> openers = new HashMap<>(); // routes to their sessions
  private final TreeMap<Long, ByteBuffer> unused = new TreeMap<>(); // keys of those without request
  long mostSessionBytes = MOST_SESSION_BYTES; // tests have less
  long mostServerBytes = MOST_SERVER_BYTES;
  private long bytes; // of all sessions
  private long opened; // sessions so far
  private long nextEnd; // no lease is over before
  private long malformed;
  private long repeated;

  SessionTable(ServerOptions options, String server, Calls calls) {
    this.limits = options.limits();
    this.token = options.token;
    this.mostSessions = options.mostSessions;
    this.mostOfConnection = options.mostSessionsOfConnection;
    this.server = server;
    this.calls = calls;
  }

  int size() {
    return sessions.size();
  }

  long malformed() {
    return malformed;
  }

  long repeated() {
    return repeated;
  }

  /** A message that came by a route: the frames after the route's own. */
  void receive(byte[] route, List<byte[]> frames, long now) {
    int major = frames.isEmpty() ? -1 : Frame.majorOf(frames.get(0));
    if (major < 0 || frames.size() != 2) {
      ++malformed; // not of this protocol: no answer that it would understand
      return;
    }
    if (major != Frame.MAJOR) {
      refuse(route, Code.UNSUPPORTED, "the client speaks version " + major + ", the server version "
          + Frame.MAJOR + ": the " + (major < Frame.MAJOR ? "client" : "server")
          + " has to be updated");
      return;
    }
    try {
      Wire.Envelope.Reader envelope = Frame.read(frames.get(1));
      Frame.decoding(() -> {
        take(route, envelope, frames.get(1).length, now);
        return null;
      });
    } catch (ParkException e) {
      ++malformed;
      fail(route, ByteBuffer.allocate(0), 0, e);
    }
  }

  private void take(byte[] route, Wire.Envelope.Reader envelope, int size, long now) {
    if (envelope.isHello()) {
      hello(route, envelope.getHello(), now);
      return;
    }
    ByteBuffer key = key(envelope.getSession().toArray(), "session");
    Session session = sessions.get(key);
    if (session == null) {
      fail(route, key, envelope.getSequence(), new ParkException(Code.NO_SESSION,
          "session: it is over or never was; say hello again"));
      return;
    }
    session.heard = now;
    if (envelope.isPing()) { // perhaps by a socket of its own
      reply(route, key, envelope.getSequence(), to -> to.setPong(org.capnproto.Void.VOID));
      return;
    }
    session.route = route;
    if (envelope.isGoodbye()) {
      end(key, "goodbye");
    } else {
      request(key, session, envelope, size);
    }
  }

  private static ByteBuffer key(byte[] bytes, String name) {
    if (bytes.length != ClientSession.KEY_BYTES) {
      throw ParkException.malformed(name + ": is not 16 bytes");
    }
    return ByteBuffer.wrap(bytes);
  }

  private void hello(byte[] route, Wire.Hello.Reader from, long now) {
    int least = Short.toUnsignedInt(from.getLeastMinor());
    int most = Short.toUnsignedInt(from.getMostMinor());
    byte[] nonce = from.getNonce().toArray();
    ByteBuffer known = nonces.get(ByteBuffer.wrap(nonce));
    if (least > Frame.MOST_MINOR || most < Frame.LEAST_MINOR) {
      refuse(route, Code.UNSUPPORTED, "the client speaks minor versions " + least + " to " + most
          + ", the server " + Frame.LEAST_MINOR + " to " + Frame.MOST_MINOR);
    } else if (token.length > 0 && !MessageDigest.isEqual(from.getToken().toArray(), token)) {
      refuse(route, Code.NOT_ALLOWED, "token: is not the one that the server wants");
    } else if (nonce.length != ClientSession.KEY_BYTES) {
      refuse(route, Code.MALFORMED, "nonce: is not 16 bytes");
    } else if (known != null) {
      ++repeated;
      welcome(route, known, most);
    } else if (openers.getOrDefault(ByteBuffer.wrap(route), 0) >= mostOfConnection) {
      refuse(route, Code.TOO_MUCH, "the connection has " + mostOfConnection
          + " sessions, which is the most that one may have");
    } else if (!makePlace(now)) {
      refuse(route, Code.TOO_MUCH, "the server has " + sessions.size()
          + " sessions, which is the most that it allows");
    } else {
      open(route, ByteBuffer.wrap(nonce), most, now);
    }
  }

  private void open(byte[] route, ByteBuffer nonce, int mostMinor, long now) {
    ByteBuffer key = ByteBuffer.wrap(ClientSession.randomKey());
    Session session = new Session(++opened, route, nonce, now);
    sessions.put(key, session);
    nonces.put(nonce, key);
    openers.merge(session.opener, 1, Integer::sum);
    unused.put(session.number, key);
    nextEnd = Math.min(nextEnd, now + limits.leaseMs);
    welcome(route, key, mostMinor);
  }

  /** Ends the oldest unused session where there is no place; false where it is too young. */
  private boolean makePlace(long now) {
    while (sessions.size() >= mostSessions) {
      Map.Entry<Long, ByteBuffer> oldest = unused.firstEntry();
      if (oldest == null || sessions.get(oldest.getValue()).opened + UNUSED_MS > now) {
        return false;
      }
      end(oldest.getValue(), "the session was not used, and others need its place");
    }
    return true;
  }

  private void welcome(byte[] route, ByteBuffer key, int mostMinor) {
    reply(route, ByteBuffer.allocate(0), 0, envelope -> {
      Wire.Welcome.Builder to = envelope.initWelcome();
      to.setMinor((short) Math.min(mostMinor, Frame.MOST_MINOR));
      to.setSession(key.array());
      to.setServer(server);
      to.setWindow(limits.window);
      to.setLeaseMs((int) limits.leaseMs);
      to.setMostBytes(limits.mostBytes);
      to.setMostSlots(limits.mostSlots);
      to.setHeartbeatMs((int) limits.heartbeatMs);
      to.setMostSessionMib((int) (mostSessionBytes >> 20));
      to.setMostServerMib((short) (mostServerBytes >> 20));
    });
  }

  private void request(ByteBuffer key, Session session, Wire.Envelope.Reader envelope, int size) {
    long sequence = envelope.getSequence();
    byte[] answered = session.replies.get(sequence);
    if (answered != null) {
      ++repeated;
      calls.send(session.route, answered);
      return;
    }
    long oldest = Math.max(1, session.begun - limits.window + 1);
    if (sequence < oldest || sequence > session.begun + limits.window) {
      fail(session.route, key, sequence, new ParkException(Code.OUT_OF_ORDER, "sequence: "
          + Long.toUnsignedString(sequence) + ", allowed are " + oldest + " to "
          + (session.begun + limits.window)));
    } else if (sequence <= session.begun) {
      ++repeated; // is being worked on
    } else if (sequence == session.begun + 1) { // else its predecessor comes again first
      begin(key, session, envelope, size);
    }
  }

  private void begin(ByteBuffer key, Session session, Wire.Envelope.Reader envelope, long size) {
    if (session.working >= limits.window) {
      fail(session.route, key, envelope.getSequence(), new ParkException(Code.TOO_MUCH,
          "window: " + limits.window + " requests have no reply yet"));
      return;
    }
    String beyond = beyond(session, size);
    ++session.begun;
    ++session.working;
    unused.remove(session.number);
    session.requests.put(envelope.getSequence(), size);
    count(session, size);
    if (beyond == null || envelope.isClosePolicy()) { // which frees memory
      calls.work(key, envelope);
    } else {
      finish(key, envelope.getSequence(), failure(key, envelope.getSequence(),
          new ParkException(Code.TOO_MUCH, beyond)));
    }
  }

  private void count(Session session, long more) {
    session.bytes += more;
    bytes += more;
  }

  /** Why a request would take the session, or all, beyond their bytes; null where it would not. */
  private String beyond(Session session, long size) {
    if (session.bytes + size > mostSessionBytes) {
      return "bytes: the session keeps " + session.bytes + ", at most " + mostSessionBytes
          + " are allowed";
    }
    return bytes + size <= mostServerBytes ? null : "bytes: the sessions of the server keep "
        + bytes + ", at most " + mostServerBytes + " are allowed";
  }

  /** The reply to a request that work got; kept for repetitions. */
  void finish(ByteBuffer key, long sequence, byte[] envelope) {
    Session session = sessions.get(key);
    if (session == null) {
      return; // it is over by now
    }
    --session.working;
    count(session, envelope.length - session.requests.remove(sequence));
    session.replies.put(sequence, envelope);
    if (session.replies.size() > limits.window) {
      count(session, -session.replies.pollFirstEntry().getValue().length);
    }
    calls.send(session.route, envelope);
  }

  /** Ends the sessions whose lease is over; returns when to call it again at the latest. */
  long expire(long now) {
    if (now < nextEnd) {
      return nextEnd;
    }
    long next = now + limits.leaseMs;
    for (Map.Entry<ByteBuffer, Session> entry : new ArrayList<>(sessions.entrySet())) {
      long over = entry.getValue().heard + limits.leaseMs;
      if (over <= now) {
        end(entry.getKey(), "the lease is over");
      } else {
        next = Math.min(next, over);
      }
    }
    nextEnd = next;
    return next;
  }

  /** Tells every session that the server ends, and ends it. */
  void shutDown() {
    for (ByteBuffer key : new ArrayList<>(sessions.keySet())) {
      end(key, "the server ends");
    }
  }

  private void end(ByteBuffer key, String reason) {
    Session session = sessions.remove(key);
    nonces.remove(session.nonce);
    unused.remove(session.number);
    bytes -= session.bytes;
    openers.computeIfPresent(session.opener, (route, n) -> n == 1 ? null : n - 1);
    calls.ended(key);
    reply(session.route, key, 0, to -> to.initFarewell().setReason(reason));
  }

  private void refuse(byte[] route, Code code, String text) {
    reply(route, ByteBuffer.allocate(0), 0, envelope -> {
      Wire.Refused.Builder refused = envelope.initRefused();
      refused.setCode(code.wire());
      refused.setText(text);
    });
  }

  private void fail(byte[] route, ByteBuffer key, long sequence, ParkException reason) {
    calls.send(route, failure(key, sequence, reason));
  }

  /** The reply to a request that had no effect. */
  static byte[] failure(ByteBuffer key, long sequence, ParkException reason) {
    return envelope(key, sequence, to -> {
      Wire.Failure.Builder failure = to.initFailure();
      failure.setCode(reason.code().wire());
      failure.setText(reason.text());
    });
  }

  static byte[] envelope(ByteBuffer key, long sequence, Consumer<Wire.Envelope.Builder> fill) {
    return Frame.write(envelope -> {
      envelope.setSession(key.array());
      envelope.setSequence(sequence);
      fill.accept(envelope);
    });
  }

  private void reply(byte[] route, ByteBuffer key, long sequence,
      Consumer<Wire.Envelope.Builder> fill) {
    calls.send(route, envelope(key, sequence, fill));
  }
}
