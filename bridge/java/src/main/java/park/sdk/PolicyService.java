package park.sdk;

import java.nio.ByteBuffer;
import java.util.HashMap;
import java.util.Map;
import java.util.function.Consumer;
import java.util.function.Function;
import park.sdk.wire.Wire;

/** The policies of one session: openPolicy, ask, closePolicy. One thread. */
final class PolicyService implements AutoCloseable {
  private static final int MOST_POLICIES = 64;
  private static final int MOST_NAME = 64 << 10; // bytes

  /** A policy and the contexts that it decides in. */
  private static final class Opened {
    final Spec spec;
    final Policy policy;
    final DecisionsReader reader;

    Opened(Spec spec, Policy policy, int mostSlots) {
      this.spec = spec;
      this.policy = policy;
      this.reader = new DecisionsReader(spec, mostSlots);
    }
  }

  private final String name;
  private final Function<Spec, Policy> make;
  private final int mostSlots;
  private final Map<Integer, Opened> policies = new HashMap<>();
  private int next = 1;

  PolicyService(String name, Function<Spec, Policy> make, int mostSlots) {
    this.name = name;
    this.make = make;
    this.mostSlots = mostSlots;
  }

  /** Does a request; what comes back writes the reply. Throws what the request fails with. */
  Consumer<Wire.Envelope.Builder> handle(Wire.Envelope.Reader request) {
    switch (request.which()) {
      case OPEN_POLICY:
        return open(request.getOpenPolicy());
      case ASK:
        return ask(request.getAsk());
      case CLOSE_POLICY:
        return close(request.getClosePolicy());
      default:
        throw new ParkException(Code.UNSUPPORTED,
            "this server has policies; it answers openPolicy, ask and closePolicy");
    }
  }

  private Consumer<Wire.Envelope.Builder> open(Wire.OpenPolicy.Reader from) {
    int bytes = from.getPolicy().size();
    if (bytes > MOST_NAME) {
      throw new ParkException(Code.TOO_MUCH, "policy: " + bytes + " bytes, at most " + MOST_NAME
          + " are allowed");
    }
    String wanted = from.getPolicy().toString();
    if (!wanted.isEmpty() && !wanted.equals(name)) {
      throw new ParkException(Code.NOT_ALLOWED, "policy: this server has " + name + " alone");
    }
    if (policies.size() >= MOST_POLICIES) {
      throw new ParkException(Code.TOO_MUCH, "policy: a session has at most " + MOST_POLICIES);
    }
    Spec spec = SpecCodec.read(from.getSpec());
    int id = next++;
    policies.put(id, new Opened(spec, make.apply(spec), mostSlots));
    return to -> {
      Wire.PolicyOpened.Builder opened = to.initPolicyOpened();
      opened.setId(id);
      opened.setPolicy(name);
    };
  }

  private Consumer<Wire.Envelope.Builder> ask(Wire.Ask.Reader from) {
    Opened opened = opened(from.getId());
    ByteBuffer chance = Frame.bytes(from.getChance());
    int begun = from.getQuestion().getBegun().size();
    if (chance.remaining() != (long) begun * Long.BYTES) {
      throw ParkException.malformed("chance: " + chance.remaining() + " bytes for " + begun
          + " contexts that begin");
    }
    Decisions question = opened.reader.read(from.getQuestion());
    Rows actions;
    try {
      actions = decide(opened, question, chance);
    } catch (RuntimeException e) {
      opened.reader.undo(); // a failure has no effect
      throw e;
    }
    int id = from.getId();
    return to -> {
      Wire.Answer.Builder answer = to.initAnswer();
      answer.setId(id);
      RowsCodec.write(actions, answer.initActions());
    };
  }

  private static Rows decide(Opened opened, Decisions question, ByteBuffer chance) {
    for (int row = 0; row < question.asked(); ++row) {
      if (question.sequence(row) == 0) {
        opened.policy.start(question.slot(row), question.episode(row), chance.getLong());
      }
    }
    Rows actions = Rows.zeros(opened.spec.action(), question.asked(),
        new int[opened.spec.action().groups().size()][question.asked()]);
    if (question.asked() > 0) {
      opened.policy.act(question, actions);
    }
    return actions;
  }

  private Consumer<Wire.Envelope.Builder> close(Wire.PolicyId.Reader from) {
    int id = from.getId();
    opened(id).policy.close();
    policies.remove(id);
    return to -> to.initPolicyClosed().setId(id);
  }

  private Opened opened(int id) {
    Opened opened = policies.get(id);
    if (opened == null) {
      throw new ParkException(Code.UNKNOWN_NAME,
          "policy: there is no number " + Integer.toUnsignedString(id));
    }
    return opened;
  }

  /** The session is over. */
  @Override
  public void close() {
    policies.values().forEach(opened -> opened.policy.close());
    policies.clear();
  }
}
