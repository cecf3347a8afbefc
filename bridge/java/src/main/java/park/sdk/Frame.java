package park.sdk;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.capnproto.ArrayOutputStream;
import org.capnproto.Data;
import org.capnproto.MessageBuilder;
import org.capnproto.ReaderOptions;
import org.capnproto.Serialize;
import park.sdk.wire.Wire;

/** The two frames of a message, as bytes and as what they say. */
final class Frame {
  static final int MAJOR = 1;
  static final int LEAST_MINOR = 0;
  static final int MOST_MINOR = 0;
  static final int PREAMBLE_BYTES = 8;

  private static final int WORD = 8;
  private static final long LEAST_TRAVERSAL = 4096;
  private static final long TRAVERSAL_PER_WORD = 8;
  private static final int NESTING = 16;

  private Frame() {}

  /** The first frame of every message. */
  static byte[] preamble() {
    return new byte[] {'P', 'K', 'B', MAJOR, 0, 0, 0, 0};
  }

  /** The major version that a first frame tells; -1 where it is none. */
  static int majorOf(byte[] frame) {
    boolean ours = frame.length == PREAMBLE_BYTES
        && frame[0] == 'P' && frame[1] == 'K' && frame[2] == 'B';
    return ours ? frame[3] & 0xff : -1;
  }

  /** Throws ParkException(MALFORMED) where the bytes are no flat array of an envelope. */
  static Wire.Envelope.Reader read(byte[] frame) {
    if (frame.length == 0 || frame.length % WORD != 0) {
      throw ParkException.malformed(
          "envelope: " + frame.length + " bytes are not a whole number of words");
    }
    long traversal = Math.max(LEAST_TRAVERSAL, TRAVERSAL_PER_WORD * (frame.length / WORD));
    return decoding(() -> {
      try {
        return Serialize.read(ByteBuffer.wrap(frame), new ReaderOptions(traversal, NESTING))
            .getRoot(Wire.Envelope.factory);
      } catch (IOException e) {
        throw new IllegalArgumentException(e.getMessage(), e);
      }
    });
  }

  /** Builds an envelope and returns its bytes. */
  static byte[] write(Consumer<Wire.Envelope.Builder> fill) {
    MessageBuilder message = new MessageBuilder();
    fill.accept(message.initRoot(Wire.Envelope.factory));
    int bytes = Math.toIntExact(Serialize.computeSerializedSizeInWords(message) * WORD);
    byte[] frame = new byte[bytes];
    try {
      Serialize.write(new ArrayOutputStream(ByteBuffer.wrap(frame)), message);
    } catch (IOException e) {
      throw new IllegalStateException("a buffer in memory failed", e);
    }
    return frame;
  }

  /** Runs what reads a message; whatever the reader throws becomes ParkException(MALFORMED). */
  static <T> T decoding(Supplier<T> reading) {
    try {
      return reading.get();
    } catch (ParkException e) {
      throw e;
    } catch (RuntimeException e) {
      throw new ParkException(Code.MALFORMED, "message: " + e.getMessage(), e);
    }
  }

  /** The bytes of a Data field as they came; the slice keeps what lies behind them out of reach. */
  static ByteBuffer bytes(Data.Reader data) {
    return data.asByteBuffer().slice().order(ByteOrder.LITTLE_ENDIAN);
  }

  static Data.Reader data(ByteBuffer bytes) {
    ByteBuffer all = bytes.duplicate().clear();
    return new Data.Reader(all, 0, all.limit());
  }
}
