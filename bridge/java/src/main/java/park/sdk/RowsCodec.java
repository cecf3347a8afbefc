package park.sdk;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import org.capnproto.DataList;
import park.sdk.wire.Wire;

/** Rows as messages carry them; what comes from elsewhere is checked against its space. */
final class RowsCodec {
  private static final int COUNT_BYTES = 4;

  private RowsCodec() {}

  static void write(Rows rows, Wire.Rows.Builder to) {
    to.setCount(rows.count());
    Space space = rows.space();
    DataList.Builder counts = to.initCounts(space.groups().size());
    for (int g = 0; g < counts.size(); ++g) {
      ByteBuffer bytes = ByteBuffer.allocate(rows.count() * COUNT_BYTES)
          .order(ByteOrder.LITTLE_ENDIAN);
      bytes.asIntBuffer().put(rows.counts(g));
      counts.set(g, Frame.data(bytes));
    }
    DataList.Builder columns = to.initColumns(space.leaves().size());
    for (int c = 0; c < columns.size(); ++c) {
      columns.set(c, Frame.data(rows.column(c)));
    }
  }

  /** Throws ParkException(MALFORMED) where they are not rows of the space. */
  static Rows read(Wire.Rows.Reader from, Space space, int mostRows) {
    int count = from.getCount();
    if (count < 0 || count > mostRows) {
      throw new ParkException(Code.TOO_MUCH, "rows: " + Integer.toUnsignedLong(count)
          + ", at most " + mostRows + " are allowed");
    }
    DataList.Reader list = from.getColumns();
    if (count == 0) { // then there need not be columns
      checkEmpty(list, space.leaves().size(), "columns");
      checkEmpty(from.getCounts(), space.groups().size(), "lists of counts");
      return Rows.zeros(space, 0, new int[space.groups().size()][0]);
    }
    ByteBuffer[] columns = new ByteBuffer[space.leaves().size()];
    if (list.size() != columns.length) {
      throw ParkException.malformed("rows: " + list.size() + " columns, the space has "
          + columns.length + " leaves");
    }
    for (int c = 0; c < columns.length; ++c) {
      columns[c] = Frame.bytes(list.get(c));
    }
    Rows rows = new Rows(space, count, counts(from, space, count), columns);
    for (int c = 0; c < columns.length; ++c) {
      if (columns[c].remaining() != rows.bytes(c)) {
        throw ParkException.malformed(space.leaves().get(c).name() + ": "
            + columns[c].remaining() + " bytes, these rows have " + rows.bytes(c));
      }
    }
    return rows;
  }

  private static void checkEmpty(DataList.Reader list, int wanted, String what) {
    if (list.size() != 0 && list.size() != wanted) {
      throw ParkException.malformed("rows: " + list.size() + " " + what + ", allowed are " + wanted
          + ", or 0 without rows");
    }
    for (int i = 0; i < list.size(); ++i) {
      if (list.get(i).size() != 0) {
        throw ParkException.malformed("rows: " + what + " have bytes without rows");
      }
    }
  }

  private static int[][] counts(Wire.Rows.Reader from, Space space, int count) {
    DataList.Reader list = from.getCounts();
    int[][] counts = new int[space.groups().size()][];
    if (list.size() != counts.length) {
      throw ParkException.malformed("rows: " + list.size() + " lists of counts, the space has "
          + counts.length + " groups");
    }
    for (int g = 0; g < counts.length; ++g) {
      counts[g] = counts(Frame.bytes(list.get(g)), space.groups().get(g), count);
    }
    return counts;
  }

  private static int[] counts(ByteBuffer bytes, Group group, int count) {
    if (bytes.remaining() != (long) count * COUNT_BYTES) {
      throw ParkException.malformed(group.name() + ": the counts of " + count
          + " rows do not have " + bytes.remaining() + " bytes");
    }
    int[] counts = new int[count];
    bytes.asIntBuffer().get(counts);
    long all = 0;
    for (int n : counts) {
      if (n < 0 || n > group.capacity()) {
        throw ParkException.malformed(group.name() + ": " + Integer.toUnsignedLong(n)
            + " elements in a row, at most " + group.capacity() + " are allowed");
      }
      all += n;
    }
    if (all > Integer.MAX_VALUE) {
      throw ParkException.malformed(group.name() + ": " + all + " elements, at most "
          + Integer.MAX_VALUE + " are allowed");
    }
    return counts;
  }

  /** Throws ParkException(MALFORMED) where a value is outside of its bounds or is no index. */
  static void checkValues(Rows rows) {
    for (Leaf leaf : rows.space().leaves()) {
      int c = rows.space().index(leaf.name());
      ByteBuffer column = rows.column(c);
      int n = rows.start(c, rows.count());
      for (int at = 0; at < n; ++at) {
        double value = Rows.value(column, leaf.dtype(), at);
        if (!(value >= leaf.low() && value <= leaf.high())) {
          throw ParkException.malformed(leaf.name() + ": " + value + ", allowed is ["
              + leaf.low() + ", " + leaf.high() + "]");
        }
      }
      if (!leaf.indexOf().isEmpty()) {
        checkIndices(rows, c, leaf);
      }
    }
  }

  private static void checkIndices(Rows rows, int c, Leaf leaf) {
    ByteBuffer column = rows.column(c);
    for (int row = 0; row < rows.count(); ++row) {
      int n = rows.elements(leaf.indexOf(), row);
      for (int at = rows.start(c, row); at < rows.start(c, row + 1); ++at) {
        double index = Rows.value(column, leaf.dtype(), at);
        if (index < 0 || index >= n) {
          throw ParkException.malformed(leaf.name() + ": " + (long) index + " in row " + row
              + " is no index of the " + n + " elements of " + leaf.indexOf());
        }
      }
    }
  }
}
