package park.sdk;

import java.nio.ByteBuffer;
import java.security.SecureRandom;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;
import org.capnproto.Data;
import park.sdk.wire.Wire;

/**
 * A client's side of a session: says hello, numbers requests, repeats what was lost, keeps the
 * lease. It has no sockets, no threads and no clock, so that every order of events can be tested:
 * whoever owns it brings the time, in milliseconds, and the messages. Not thread-safe.
 */
final class ClientSession {
  static final long FIRST_HELLO_MS = 5;
  static final long FIRST_REPEAT_MS = 200;
  static final long MOST_REPEAT_MS = 2000;
  static final int KEY_BYTES = 16;
  static final int MOST_UNREAD = 4; // rounds of repeats in which the server cannot read a message

  /** Sends an envelope; it may be lost, doubled or late. */
  interface Channel {
    void send(byte[] envelope);
  }

  /** A request until its reply. */
  static final class Request {
    final long sequence;
    final byte[] bytes;
    /** Completes with the reply, or with the ParkException that the request failed with. */
    final CompletableFuture<Wire.Envelope.Reader> reply = new CompletableFuture<>();

    Request(long sequence, byte[] bytes) {
      this.sequence = sequence;
      this.bytes = bytes;
    }
  }

  private final Channel channel;
  private final byte[] hello;
  private final TreeMap<Long, Request> pending = new TreeMap<>();
  private final CompletableFuture<Void> opened = new CompletableFuture<>();
  private byte[] key = {};
  private Limits limits;
  private ParkException over; // why the session has ended or was refused
  private long next = 1;
  private long repeatAt;
  private long repeatAfter = FIRST_HELLO_MS;
  private long sentAt;
  private long repeated;
  private long ignored;
  private int unread; // rounds without a reply in which the server said so
  private boolean told; // in this round

  ClientSession(Channel channel, String name, byte[] token) {
    this.channel = channel;
    this.hello = Frame.write(envelope -> {
      Wire.Hello.Builder to = envelope.initHello();
      to.setLeastMinor((short) Frame.LEAST_MINOR);
      to.setMostMinor((short) Frame.MOST_MINOR);
      to.setClient(name);
      to.setToken(token);
      to.setNonce(randomKey());
    });
  }

  static byte[] randomKey() {
    byte[] key = new byte[KEY_BYTES];
    new SecureRandom().nextBytes(key);
    return key;
  }

  /** Completes when the server has welcomed the client, or with what it was refused with. */
  CompletableFuture<Void> opened() {
    return opened;
  }

  boolean isOpen() {
    return limits != null && over == null;
  }

  /** Why nothing more can be asked; null while it can. */
  ParkException over() {
    return over;
  }

  /** REQUIRES that it has been opened. */
  Limits limits() {
    return limits;
  }

  /** Requests without a reply. */
  int pending() {
    return pending.size();
  }

  /** Requests that were sent again. */
  long repeated() {
    return repeated;
  }

  /** Messages that were none of this session's. */
  long ignored() {
    return ignored;
  }

  /**
   * Sends a request. Throws ParkException(TOO_MUCH) where the window is full or the message is
   * larger than the server allows, and why the session is over; then nothing was sent.
   *
   * @param usefulMs how long the reply is of use
   */
  Request send(long usefulMs, Consumer<Wire.Envelope.Builder> fill, long now) {
    if (over != null) {
      throw new ParkException(over.code(), over.text());
    }
    if (limits == null) {
      throw new ParkException(Code.NO_SESSION, "the server has not answered yet");
    }
    if (!pending.isEmpty() && next - pending.firstKey() >= limits.window) {
      throw new ParkException(Code.TOO_MUCH,
          "window: " + limits.window + " requests have no reply yet");
    }
    byte[] bytes = Frame.write(envelope -> {
      envelope.setSession(key);
      envelope.setSequence(next);
      envelope.setDeadlineMs((int) Math.min(Math.max(usefulMs, 1), 0xffffffffL));
      fill.accept(envelope);
    });
    if (bytes.length + Frame.PREAMBLE_BYTES > limits.mostBytes) {
      throw new ParkException(Code.TOO_MUCH,
          "message: " + bytes.length + " bytes, the server allows " + limits.mostBytes);
    }
    if (pending.isEmpty()) {
      repeatLater(FIRST_REPEAT_MS, now);
    }
    Request request = new Request(next++, bytes);
    pending.put(request.sequence, request);
    post(bytes, now);
    return request;
  }

  /** Takes a message that has come. What is none of this session's is counted and ignored. */
  void receive(byte[] first, byte[] second, long now) {
    if (over != null) {
      return;
    }
    int major = Frame.majorOf(first);
    if (limits == null && major >= 0 && major != Frame.MAJOR) {
      end(new ParkException(Code.UNSUPPORTED, "the server speaks version " + major
          + ", this client version " + Frame.MAJOR));
      return;
    }
    try {
      if (major != Frame.MAJOR || !take(Frame.read(second), now)) {
        ++ignored;
      }
    } catch (ParkException e) {
      if (e.code() != Code.MALFORMED) {
        end(e);
      } else {
        ++ignored;
      }
    }
  }

  /** Says hello, repeats and pings where it is time to; returns when to call it again. */
  long tick(long now) {
    if (over != null) {
      return Long.MAX_VALUE;
    }
    if (limits == null) {
      if (now >= repeatAt) {
        post(hello, now);
        told = false;
        repeatLater(repeatAfter, now);
      }
      return repeatAt;
    }
    if (!pending.isEmpty() && now >= repeatAt) {
      repeatAll(now);
    }
    if (now >= sentAt + limits.pingMs()) {
      post(Frame.write(envelope -> {
        envelope.setSession(key);
        envelope.setPing(org.capnproto.Void.VOID);
      }), now);
    }
    long ping = sentAt + limits.pingMs();
    return pending.isEmpty() ? ping : Math.min(ping, repeatAt);
  }

  /** Says goodbye; requests without a reply fail. */
  void close(long now) {
    if (isOpen()) {
      post(Frame.write(envelope -> {
        envelope.setSession(key);
        envelope.setGoodbye(org.capnproto.Void.VOID);
      }), now);
    }
    end(new ParkException(Code.NO_SESSION, "the session was closed"));
  }

  /** Ends the session on this side, for a reason that the client found itself. */
  void end(ParkException reason) {
    if (over != null) {
      return;
    }
    over = reason;
    opened.completeExceptionally(reason);
    pending.values().forEach(request -> request.reply.completeExceptionally(reason));
    pending.clear();
  }

  private void post(byte[] envelope, long now) {
    sentAt = now;
    channel.send(envelope);
  }

  private void repeatLater(long after, long now) {
    repeatAt = now + after;
    repeatAfter = Math.min(2 * after, MOST_REPEAT_MS);
  }

  /** In their order, because the server takes them in no other. */
  private void repeatAll(long now) {
    for (Request request : pending.values()) {
      post(request.bytes, now);
      ++repeated;
    }
    told = false;
    repeatLater(repeatAfter, now);
  }

  /** False where the message is none of this session's. */
  private boolean take(Wire.Envelope.Reader envelope, long now) {
    return Frame.decoding(() -> {
      if (isUnread(envelope) && (limits == null || !pending.isEmpty())) {
        return takeUnread(envelope.getFailure());
      }
      if (limits == null) {
        return takeFirst(envelope);
      }
      if (!ByteBuffer.wrap(key).equals(Frame.bytes(envelope.getSession()))) {
        return false;
      }
      if (envelope.isFarewell()) {
        end(new ParkException(Code.SHUTTING_DOWN,
            "the server ended the session: " + envelope.getFarewell().getReason()));
        return true;
      }
      if (envelope.isFailure() && envelope.getFailure().getCode() == Wire.Code.NO_SESSION) {
        end(failure(envelope.getFailure()));
        return true;
      }
      return envelope.isPong() || takeReply(envelope, now);
    });
  }

  private boolean takeFirst(Wire.Envelope.Reader envelope) {
    if (envelope.isRefused()) {
      Wire.Refused.Reader refused = envelope.getRefused();
      end(new ParkException(Code.of(refused.getCode()), refused.getText().toString()));
      return true;
    }
    if (!envelope.isWelcome()) {
      return false; // of a session before
    }
    Wire.Welcome.Reader welcome = envelope.getWelcome();
    Data.Reader session = welcome.getSession();
    try {
      if (session.size() != KEY_BYTES) {
        throw ParkException.malformed("welcome: its session is not 16 bytes");
      }
      limits = Limits.of(welcome);
    } catch (ParkException e) {
      end(e);
      return true;
    }
    key = session.toArray();
    unread = 0;
    opened.complete(null);
    return true;
  }

  /** What a server says that could not read a message: under no number of no session. */
  private static boolean isUnread(Wire.Envelope.Reader envelope) {
    return envelope.isFailure() && envelope.getSequence() == 0
        && envelope.getSession().size() == 0
        && envelope.getFailure().getCode() == Wire.Code.MALFORMED;
  }

  /**
   * What was damaged on its way is read when it comes again. Where several rounds of repeats did
   * not help no reply will come, and none to later requests, since the server takes them in order.
   */
  private boolean takeUnread(Wire.Failure.Reader failure) {
    if (!told && ++unread == MOST_UNREAD) {
      end(ParkException.malformed(
          "the server cannot read what this client sends: " + failure.getText()));
    }
    told = true;
    return true;
  }

  private boolean takeReply(Wire.Envelope.Reader envelope, long now) {
    Request request = pending.get(envelope.getSequence());
    if (request == null || envelope.which() == Wire.Envelope.Which._NOT_IN_SCHEMA) {
      return false; // came twice, or cannot be understood
    }
    ParkException failed = envelope.isFailure() ? failure(envelope.getFailure()) : null;
    pending.remove(request.sequence);
    unread = 0;
    repeatLater(FIRST_REPEAT_MS, now);
    if (failed != null) {
      request.reply.completeExceptionally(failed);
    } else {
      request.reply.complete(envelope);
    }
    return true;
  }

  private static ParkException failure(Wire.Failure.Reader from) {
    if (from.getCode() == Wire.Code._NOT_IN_SCHEMA) {
      return new ParkException(Code.UNSUPPORTED, "the server failed with a code that this "
          + "client does not know: " + from.getText());
    }
    return new ParkException(Code.of(from.getCode()), from.getText().toString());
  }
}
