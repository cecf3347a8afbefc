package park.sdk;

import java.nio.ByteBuffer;
import java.util.List;

/** A server on a free port whose replies a test makes, by {@link SessionTable.Calls#work}. */
abstract class ScriptedServer
    implements SessionTable.Calls, SocketLoop.Handler, AutoCloseable {
  final SessionTable table = new SessionTable(ServerOptions.DEFAULT, "test", this);
  final SocketLoop loop =
      SocketLoop.bound("tcp://127.0.0.1:*", ServerOptions.DEFAULT.limits(), this);

  @Override
  public void send(byte[] route, byte[] envelope) {
    loop.send(route, Frame.preamble(), envelope);
  }

  @Override
  public void received(List<byte[]> frames, long now) {
    table.receive(frames.get(0), frames.subList(1, frames.size()), now);
  }

  @Override
  public long tick(long now) {
    return table.expire(now);
  }

  @Override
  public void ended(ByteBuffer session) {}

  @Override
  public void closing(long now) {}

  @Override
  public void failed(Throwable reason) {
    throw new AssertionError(reason);
  }

  @Override
  public void close() {
    loop.close();
  }
}
