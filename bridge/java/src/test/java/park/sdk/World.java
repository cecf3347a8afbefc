package park.sdk;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.PriorityQueue;
import java.util.Random;
import park.sdk.wire.Wire;

/**
 * A server with one client, in simulated time, over a channel that loses, doubles and delays. Its
 * work is a sum: a request adds its number, a reply tells the sum, so that work done twice, not at
 * all or in another order shows.
 */
final class World {
  static final byte[] ROUTE = {1};

  private static final class Message implements Comparable<Message> {
    final long at;
    final long order;
    final boolean toServer;
    final byte[] bytes;

    Message(long at, long order, boolean toServer, byte[] bytes) {
      this.at = at;
      this.order = order;
      this.toServer = toServer;
      this.bytes = bytes;
    }

    @Override
    public int compareTo(Message other) {
      return at != other.at ? Long.compare(at, other.at) : Long.compare(order, other.order);
    }
  }

  final SessionTable table;
  final ClientSession client;
  final List<byte[]> sent = new ArrayList<>(); // by the client
  double lost;
  double doubled;
  int mostDelay = 1;
  boolean deaf; // the server gets nothing
  int done; // requests that were worked on
  int ended;
  long now;

  private final Random chance;
  private final PriorityQueue<Message> flying = new PriorityQueue<>();
  private long order;
  private long sum;

  World(long seed, ServerOptions options, byte[] token) {
    chance = new Random(seed);
    table = new SessionTable(options, "world", new SessionTable.Calls() {
      @Override
      public void send(byte[] route, byte[] envelope) {
        post(false, envelope);
      }

      @Override
      public void work(ByteBuffer session, Wire.Envelope.Reader request) {
        ++done;
        sum = 31 * sum + request.getClosePolicy().getId();
        int told = (int) sum;
        table.finish(session, request.getSequence(), SessionTable.envelope(session,
            request.getSequence(), to -> to.initPolicyClosed().setId(told)));
      }

      @Override
      public void ended(ByteBuffer session) {
        ++ended;
      }
    });
    client = new ClientSession(envelope -> {
      sent.add(envelope);
      post(true, envelope);
    }, "test", token);
  }

  World(long seed) {
    this(seed, ServerOptions.DEFAULT, new byte[0]);
  }

  private void post(boolean toServer, byte[] bytes) {
    double luck = chance.nextDouble();
    int copies = luck < lost ? 0 : luck < lost + doubled ? 2 : 1;
    for (int i = 0; i < copies; ++i) {
      flying.add(new Message(now + 1 + chance.nextInt(mostDelay), order++, toServer, bytes));
    }
  }

  /** Lets time go by, to the millisecond. */
  void pass(long ms) {
    for (long end = now + ms; now < end; ++now) {
      client.tick(now);
      while (!flying.isEmpty() && flying.peek().at <= now) {
        Message message = flying.poll();
        if (!message.toServer) {
          client.receive(Frame.preamble(), message.bytes, now);
        } else if (!deaf) {
          table.receive(ROUTE, List.of(Frame.preamble(), message.bytes), now);
        }
      }
      table.expire(now);
    }
  }

  World opened() {
    pass(500);
    if (!client.isOpen()) {
      throw new AssertionError("not open");
    }
    return this;
  }

  ClientSession.Request ask(int number) {
    return client.send(1000, to -> to.initClosePolicy().setId(number), now);
  }

  /** The number that a reply tells. */
  static int told(ClientSession.Request request) {
    return request.reply.join().getPolicyClosed().getId();
  }

  /** The code that a request failed with. */
  static Code failed(ClientSession.Request request) {
    return request.reply.handle((reply, e) -> ((ParkException) e).code()).join();
  }

  /** What the server sends of itself. */
  void fromServer(byte[] envelope) {
    client.receive(Frame.preamble(), envelope, now);
  }

}
