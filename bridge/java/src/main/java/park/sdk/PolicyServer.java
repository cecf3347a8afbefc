package park.sdk;

import java.nio.ByteBuffer;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.function.Function;
import park.sdk.wire.Wire;

/**
 * Serves a policy to every client on this machine, such as {@code park run ENV --policy
 * 'remote(endpoint=tcp://127.0.0.1:PORT)'}. Two daemon threads, which keep no program alive: one
 * owns the socket, one calls the policies, of all sessions in turn.
 */
public final class PolicyServer implements AutoCloseable {
  private final Map<ByteBuffer, PolicyService> services = new HashMap<>(); // of the worker thread
  private final String name;
  private final Function<Spec, Policy> make;
  private final ServerOptions options;
  private final ExecutorService worker;
  private final SessionTable table; // of the loop's thread
  private final SocketLoop loop;
  private final String endpoint;
  private volatile Throwable failure;

  private PolicyServer(String endpoint, String name, Function<Spec, Policy> make,
      ServerOptions options) {
    this.name = name;
    this.make = make;
    this.options = options;
    table = new SessionTable(options, "park-client 0.1.0 (Java)", new Calls());
    loop = SocketLoop.bound(Endpoint.bindable(endpoint), options.limits(), new Events());
    worker = Executors.newSingleThreadExecutor(task -> {
      Thread thread = new Thread(task, "park policy " + name);
      thread.setDaemon(true);
      return thread;
    });
    loop.start();
    this.endpoint = loop.endpoint();
  }

  /**
   * Serves a policy with the default options.
   *
   * @param endpoint {@code tcp://127.0.0.1:PORT}, with * for a free port
   * @param name of the policy, for people and for clients that ask for one
   * @param make makes a policy for an environment; ParkException where it cannot play it
   * @return the server, which answers from now on
   */
  public static PolicyServer bind(String endpoint, String name, Function<Spec, Policy> make) {
    return bind(endpoint, name, make, ServerOptions.DEFAULT);
  }

  /**
   * Serves a policy. Throws ParkException(NOT_ALLOWED) where other machines could reach the
   * endpoint or it is taken, and (INVALID_CONFIG) where it is none.
   *
   * @param endpoint {@code tcp://127.0.0.1:PORT}, with * for a free port
   * @param name of the policy, for people and for clients that ask for one
   * @param make makes a policy for an environment; ParkException where it cannot play it
   * @param options token and limits
   * @return the server, which answers from now on
   */
  public static PolicyServer bind(String endpoint, String name, Function<Spec, Policy> make,
      ServerOptions options) {
    return new PolicyServer(endpoint, name, make, options);
  }

  /**
   * Where it listens.
   *
   * @return the endpoint with its port
   */
  public String endpoint() {
    return endpoint;
  }

  /**
   * What went wrong without a client to tell it to: the server ended, or a policy's close threw.
   *
   * @return the last such defect; null where there is none
   */
  public Throwable failure() {
    return failure;
  }

  /** Tells the clients that it ends, and ends. */
  @Override
  public void close() {
    loop.close();
    worker.shutdown(); // after what frees the policies
  }

  /** The reply to a request, or what it fails with. On the worker's thread. */
  private byte[] answer(ByteBuffer key, Wire.Envelope.Reader request, long waitedMs) {
    long sequence = request.getSequence();
    try {
      long usefulMs = Integer.toUnsignedLong(request.getDeadlineMs());
      if (usefulMs != 0 && waitedMs > usefulMs) {
        throw new ParkException(Code.LATE,
            "deadlineMs: the request has waited for more than " + usefulMs + " ms");
      }
      PolicyService service = services.computeIfAbsent(key,
          k -> new PolicyService(name, make, options.mostSlots));
      byte[] reply = SessionTable.envelope(key, sequence, service.handle(request));
      if (reply.length + Frame.PREAMBLE_BYTES > options.mostBytes) {
        throw new ParkException(Code.TOO_MUCH, "message: the reply has " + reply.length
            + " bytes, at most " + options.mostBytes + " are allowed");
      }
      return reply;
    } catch (ParkException e) {
      return SessionTable.failure(key, sequence, e);
    } catch (Throwable e) { // of the policy: the server goes on
      return SessionTable.failure(key, sequence, new ParkException(Code.INTERNAL, e.toString()));
    }
  }

  private final class Calls implements SessionTable.Calls {
    private final byte[] preamble = Frame.preamble();

    @Override
    public void send(byte[] route, byte[] envelope) {
      loop.send(route, preamble, envelope);
    }

    @Override
    public void work(ByteBuffer session, Wire.Envelope.Reader request) {
      long came = loop.now();
      worker.execute(() -> {
        byte[] reply = answer(session, request, loop.now() - came);
        loop.execute(() -> table.finish(session, request.getSequence(), reply));
      });
    }

    @Override
    public void ended(ByteBuffer session) {
      worker.execute(() -> {
        PolicyService service = services.remove(session);
        try {
          if (service != null) {
            service.close();
          }
        } catch (RuntimeException e) {
          failure = e; // of one policy; the server goes on
        }
      });
    }
  }

  private final class Events implements SocketLoop.Handler {
    @Override
    public void received(List<byte[]> frames, long now) {
      table.receive(frames.get(0), frames.subList(1, frames.size()), now);
    }

    @Override
    public long tick(long now) {
      return table.expire(now);
    }

    @Override
    public void closing(long now) {
      table.shutDown();
    }

    @Override
    public void failed(Throwable reason) {
      failure = reason;
    }
  }
}
