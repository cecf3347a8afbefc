package park.sdk;

import java.nio.charset.StandardCharsets;

/** Names what a policy has to know of a spec: FNV-1a over its leaves, as docs/protocol.md tells. */
final class LayoutHash {
  static final long FIRST = 0xcbf29ce484222325L;
  static final long PRIME = 0x100000001b3L;

  private long hash = FIRST;

  private LayoutHash() {}

  static long of(Spec spec) {
    LayoutHash to = new LayoutHash();
    to.text("park layout 1");
    to.space(spec, spec.observation(), false);
    to.space(spec, spec.action(), true);
    return to.hash;
  }

  private void space(Spec spec, Space space, boolean action) {
    for (Leaf leaf : space.leaves()) {
      if (!leaf.informative()) {
        leaf(spec, leaf, action);
      }
    }
    text("|");
  }

  private void leaf(Spec spec, Leaf leaf, boolean action) {
    text(leaf.name());
    number(leaf.dtype().ordinal());
    number(leaf.shape().size());
    leaf.shape().forEach(this::number);
    text(leaf.group());
    text(leaf.indexOf());
    number(leaf.given().size());
    leaf.given().forEach(this::text);
    boolean categorical = action && leaf.dtype().isInteger() && leaf.indexOf().isEmpty()
        && !spec.observation().has(leaf.name() + ".min");
    if (categorical) {
      number((long) (leaf.high() - leaf.low() + 1));
    }
  }

  private void number(long value) {
    text(Long.toString(value));
  }

  private void text(String value) {
    for (byte b : value.getBytes(StandardCharsets.UTF_8)) {
      add(b);
    }
    add((byte) 0xff);
  }

  private void add(byte b) {
    hash = (hash ^ (b & 0xff)) * PRIME;
  }
}
