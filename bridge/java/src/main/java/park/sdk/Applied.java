package park.sdk;

/** Who took a decision. In the order of its numbers in messages. */
public enum Applied {
  /** The policy. */
  POLICY,
  /** The policy, and the environment took the nearest legal action in its place. */
  PROJECTED,
  /** The fall-back of whoever asked. */
  FALLBACK
}
