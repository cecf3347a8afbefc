package park.sdk;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;

/**
 * Rows of a space, as columns: for each leaf the numbers of all rows one after the other,
 * little-endian. A leaf of a group has as many elements in a row as the group counts there.
 */
public final class Rows {
  private final Space space;
  private final int count;
  private final int[][] counts; // of each group: [row]
  private final int[][] starts; // of each group: [row] elements before it, and all of them last
  private final ByteBuffer[] columns; // of each leaf, from 0 to its capacity

  Rows(Space space, int count, int[][] counts, ByteBuffer[] columns) {
    this.space = space;
    this.count = count;
    this.counts = counts;
    this.columns = columns;
    this.starts = starts(count, counts);
  }

  private static int[][] starts(int count, int[][] counts) {
    int[][] starts = new int[counts.length][count + 1];
    for (int g = 0; g < counts.length; ++g) {
      for (int row = 0; row < count; ++row) {
        starts[g][row + 1] = Math.addExact(starts[g][row], counts[g][row]);
      }
    }
    return starts;
  }

  /**
   * Rows that are 0 everywhere and can be written.
   *
   * @param space what a row consists of
   * @param counts of each group of the space the elements of each row; none where there is none
   * @param count the rows
   * @return the rows
   */
  public static Rows zeros(Space space, int count, int[]... counts) {
    if (counts.length != space.groups().size()) {
      throw ParkException.malformed("rows: " + counts.length + " lists of counts, the space has "
          + space.groups().size() + " groups");
    }
    Rows rows = new Rows(space, count, counts, new ByteBuffer[space.leaves().size()]);
    for (int c = 0; c < rows.columns.length; ++c) {
      long bytes = rows.bytes(c);
      if (bytes > Integer.MAX_VALUE) {
        throw new ParkException(Code.TOO_MUCH, space.leaves().get(c).name() + ": " + bytes
            + " bytes are more than a column may have");
      }
      rows.columns[c] = ByteBuffer.allocate((int) bytes).order(ByteOrder.LITTLE_ENDIAN);
    }
    return rows;
  }

  /** The rows of several, one after the other; they are copied. */
  static Rows joined(Space space, Rows... parts) {
    int count = 0;
    for (Rows part : parts) {
      count += part.count;
    }
    int[][] counts = new int[space.groups().size()][count];
    int row = 0;
    for (Rows part : parts) {
      for (int g = 0; g < counts.length; ++g) {
        System.arraycopy(part.counts[g], 0, counts[g], row, part.count);
      }
      row += part.count;
    }
    Rows all = zeros(space, count, counts);
    for (int c = 0; c < all.columns.length; ++c) {
      ByteBuffer to = all.column(c);
      for (Rows part : parts) {
        to.put(part.column(c));
      }
    }
    return all;
  }

  /**
   * What a row consists of.
   *
   * @return the space
   */
  public Space space() {
    return space;
  }

  /**
   * How many rows there are.
   *
   * @return 0 or more
   */
  public int count() {
    return count;
  }

  /**
   * The elements of a group in a row.
   *
   * @param group its name
   * @param row from 0
   * @return 0 or more
   */
  public int elements(String group, int row) {
    return counts[space.groupIndex(group)][row];
  }

  /**
   * The numbers of a leaf, of all rows one after the other. Views of it, such as
   * {@code column("x").asFloatBuffer()}, cost no copy. What came from elsewhere is read-only.
   *
   * @param leaf its name
   * @return a buffer of its own position and limit, little-endian
   */
  public ByteBuffer column(String leaf) {
    return column(space.index(leaf));
  }

  /**
   * The numbers of a leaf, of all rows one after the other.
   *
   * @param leaf its place in the space
   * @return a buffer of its own position and limit, little-endian
   */
  public ByteBuffer column(int leaf) {
    return columns[leaf].duplicate().clear().order(ByteOrder.LITTLE_ENDIAN);
  }

  /**
   * Where a row begins in a column.
   *
   * @param leaf its name
   * @param row from 0; the number of rows gives the end of the last one
   * @return how many numbers come before it
   */
  public int start(String leaf, int row) {
    return start(space.index(leaf), row);
  }

  int start(int leaf, int row) {
    Leaf l = space.leaves().get(leaf);
    int group = space.groupOf(l);
    return (group < 0 ? row : starts[group][row]) * l.width();
  }

  /**
   * One number, whatever the leaf's type; U8 is unsigned. Large I64 lose their last digits.
   *
   * @param leaf its name
   * @param at its place in the column, such as {@code start(leaf, row) + i}
   * @return the value
   */
  public double get(String leaf, int at) {
    int c = space.index(leaf);
    return value(columns[c], space.leaves().get(c).dtype(), at);
  }

  /**
   * The numbers of a leaf in a row, as a copy.
   *
   * @param leaf its name
   * @param row from 0
   * @return as many as the row has
   */
  public double[] doubles(String leaf, int row) {
    int c = space.index(leaf);
    int from = start(c, row);
    double[] values = new double[start(c, row + 1) - from];
    for (int i = 0; i < values.length; ++i) {
      values[i] = value(columns[c], space.leaves().get(c).dtype(), from + i);
    }
    return values;
  }

  /**
   * Sets all numbers of a leaf in a row; mostly it is one.
   *
   * @param leaf its name
   * @param row from 0
   * @param value as it can be held by the leaf's type
   */
  public void set(String leaf, int row, double value) {
    int c = space.index(leaf);
    for (int at = start(c, row); at < start(c, row + 1); ++at) {
      put(columns[c], space.leaves().get(c).dtype(), at, value);
    }
  }

  static double value(ByteBuffer column, DType dtype, int at) {
    switch (dtype) {
      case U8:
        return column.get(at) & 0xff;
      case I32:
        return column.getInt(4 * at);
      case I64:
        return column.getLong(8 * at);
      case F32:
        return column.getFloat(4 * at);
      default:
        return column.getDouble(8 * at);
    }
  }

  private static void put(ByteBuffer column, DType dtype, int at, double value) {
    switch (dtype) {
      case U8:
        column.put(at, (byte) value);
        break;
      case I32:
        column.putInt(4 * at, (int) value);
        break;
      case I64:
        column.putLong(8 * at, (long) value);
        break;
      case F32:
        column.putFloat(4 * at, (float) value);
        break;
      default:
        column.putDouble(8 * at, value);
    }
  }

  /** How many bytes a column has to have; below 2^58. Only where it has them start can be asked. */
  long bytes(int leaf) {
    Leaf l = space.leaves().get(leaf);
    int group = space.groupOf(l);
    return l.bytes() * (group < 0 ? count : starts[group][count]);
  }

  int[] counts(int group) {
    return counts[group];
  }
}
