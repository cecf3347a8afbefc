package park.sdk;

import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** A flat record of named leaves: what a row of an observation or of an action consists of. */
public final class Space {
  /** Bytes that a row may take with one element in each group, and the rows of a message. */
  static final long MOST_BYTES = 64 << 20;

  private final List<Leaf> leaves;
  private final List<Group> groups;
  private final Map<String, Integer> leafIndex = new HashMap<>();
  private final Map<String, Integer> groupIndex = new HashMap<>();

  /**
   * A space. Throws ParkException(MALFORMED) where names are used twice or a group is missing.
   *
   * @param leaves in the order of the columns
   * @param groups that the leaves name
   */
  public Space(List<Leaf> leaves, List<Group> groups) {
    this.leaves = List.copyOf(leaves);
    this.groups = List.copyOf(groups);
    for (Group group : this.groups) {
      if (groupIndex.put(group.name(), groupIndex.size()) != null) {
        throw ParkException.malformed("spec: two groups are named " + group.name());
      }
    }
    for (Leaf leaf : this.leaves) {
      if (leafIndex.put(leaf.name(), leafIndex.size()) != null) {
        throw ParkException.malformed("spec: two leaves are named " + leaf.name());
      }
      if (!leaf.group().isEmpty() && !groupIndex.containsKey(leaf.group())) {
        throw ParkException.malformed(leaf.name() + ": there is no group " + leaf.group());
      }
    }
  }

  /**
   * The leaves.
   *
   * @return in the order of the columns
   */
  public List<Leaf> leaves() {
    return leaves;
  }

  /**
   * The groups.
   *
   * @return in the order of their counts
   */
  public List<Group> groups() {
    return groups;
  }

  /**
   * Whether there is a leaf of this name.
   *
   * @param leaf any text
   * @return true where there is
   */
  public boolean has(String leaf) {
    return leafIndex.containsKey(leaf);
  }

  /**
   * The place of a leaf. Throws ParkException(UNKNOWN_NAME) where there is none of the name.
   *
   * @param leaf its name
   * @return from 0
   */
  public int index(String leaf) {
    Integer at = leafIndex.get(leaf);
    if (at == null) {
      throw new ParkException(Code.UNKNOWN_NAME,
          "leaf: there is no " + leaf + "; there are " + leafIndex.keySet());
    }
    return at;
  }

  /**
   * A leaf by its name. Throws ParkException(UNKNOWN_NAME) where there is none.
   *
   * @param leaf its name
   * @return the leaf
   */
  public Leaf leaf(String leaf) {
    return leaves.get(index(leaf));
  }

  /**
   * The place of a group. Throws ParkException(UNKNOWN_NAME) where there is none of the name.
   *
   * @param group its name
   * @return from 0
   */
  public int groupIndex(String group) {
    Integer at = groupIndex.get(group);
    if (at == null) {
      throw new ParkException(Code.UNKNOWN_NAME,
          "group: there is no " + group + "; there are " + groupIndex.keySet());
    }
    return at;
  }

  /**
   * Throws ParkException(TOO_MUCH) where so many rows, with one element in each group, take more
   * than a message has; it names the leaf with which they do.
   */
  void checkRows(int rows) {
    long left = MOST_BYTES;
    for (Leaf leaf : leaves) {
      left -= rows * leaf.bytes();
      if (left < 0) {
        throw new ParkException(Code.TOO_MUCH, leaf.name() + ": with its shape " + leaf.shape()
            + " " + rows + " rows take more than " + MOST_BYTES + " bytes");
      }
    }
  }

  /** The place of a leaf's group; -1 where it has none. */
  int groupOf(Leaf leaf) {
    return leaf.group().isEmpty() ? -1 : groupIndex(leaf.group());
  }
}
