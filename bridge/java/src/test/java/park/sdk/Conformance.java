package park.sdk;

import java.io.PrintStream;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.stream.Collectors;
import java.util.stream.LongStream;
import org.capnproto.DataList;
import park.sdk.wire.Wire;

/** The program of docs/conformance.md: decode, rollout, scenario, serve. */
final class Conformance {
  private static final Duration DEADLINE = Duration.ofSeconds(2);
  private static final int EPISODES = 5;

  private Conformance() {}

  public static void main(String[] args) throws Exception {
    PrintStream out = new PrintStream(System.out, true, StandardCharsets.UTF_8);
    String command = args.length == 0 ? "" : args[0];
    if (command.equals("decode")) {
      for (int i = 1; i < args.length; ++i) {
        Path file = Path.of(args[i]);
        out.println(file.getFileName() + " " + decode(Files.readAllBytes(file)));
      }
    } else if (command.equals("rollout") && args.length == 3) {
      out.println(hex(rollout(args[1], args[2])));
    } else if (command.equals("scenario") && args.length == 3) {
      out.println(scenario(args[1], args[2]));
    } else if (command.equals("serve") && args.length == 2) {
      serve(args[1], out);
    } else {
      System.err.println("usage: conformance decode FILE... | rollout ENDPOINT ENV | "
          + "scenario ENDPOINT ENV | serve ENDPOINT");
      System.exit(2);
    }
  }

  /** What a frame says as JSON, or "reject". */
  static String decode(byte[] frame) {
    try {
      return Frame.decoding(() -> json(Frame.read(frame)));
    } catch (ParkException e) {
      return "reject";
    }
  }

  private static String json(Wire.Envelope.Reader e) {
    switch (e.which()) {
      case WELCOME:
        return welcome(e);
      case REFUSED:
        return head(e, "refused") + ",\"code\":\"" + Code.of(e.getRefused().getCode()).text()
            + "\",\"text\":" + text(e.getRefused().getText().toString()) + "}";
      case FAILURE:
        return head(e, "failure") + ",\"code\":\"" + Code.of(e.getFailure().getCode()).text()
            + "\",\"text\":" + text(e.getFailure().getText().toString()) + "}";
      case PONG:
        return head(e, "pong") + "}";
      case FAREWELL:
        return head(e, "farewell") + ",\"reason\":" + text(e.getFarewell().getReason().toString())
            + "}";
      case STREAM_OPENED:
        return streamOpened(e);
      case DECISIONS:
        return decisions(e);
      case POLICY_OPENED:
        return head(e, "policyOpened") + ",\"id\":" + unsigned(e.getPolicyOpened().getId())
            + ",\"policy\":" + text(e.getPolicyOpened().getPolicy().toString()) + "}";
      case ANSWER:
        return head(e, "answer") + ",\"id\":" + unsigned(e.getAnswer().getId())
            + ",\"columns\":" + hexes(e.getAnswer().getActions().getColumns()) + "}";
      case HELLO:
        return hello(e);
      case OPEN_STREAM:
        return openStream(e);
      case STEP:
        return head(e, "step") + ",\"stream\":" + unsigned(e.getStep().getStream())
            + ",\"columns\":" + hexes(e.getStep().getActions().getColumns())
            + ",\"episodes\":" + numbers(e.getStep().getEpisodes()) + "}";
      case OPEN_POLICY:
        return head(e, "openPolicy")
            + ",\"policy\":" + text(e.getOpenPolicy().getPolicy().toString())
            + ",\"env\":" + text(e.getOpenPolicy().getSpec().getName().toString())
            + ",\"layoutHash\":\"" + hex(e.getOpenPolicy().getSpec().getLayoutHash()) + "\"}";
      case ASK:
        return ask(e);
      default:
        return "reject";
    }
  }

  private static String hello(Wire.Envelope.Reader e) {
    Wire.Hello.Reader hello = e.getHello();
    return head(e, "hello") + ",\"leastMinor\":" + Short.toUnsignedInt(hello.getLeastMinor())
        + ",\"mostMinor\":" + Short.toUnsignedInt(hello.getMostMinor())
        + ",\"client\":" + text(hello.getClient().toString())
        + ",\"token\":" + hex(Frame.bytes(hello.getToken()))
        + ",\"nonce\":" + hex(Frame.bytes(hello.getNonce())) + "}";
  }

  private static String openStream(Wire.Envelope.Reader e) {
    Wire.OpenStream.Reader open = e.getOpenStream();
    if (open.getIllegal() == Wire.Illegal._NOT_IN_SCHEMA) {
      return "reject";
    }
    return head(e, "openStream") + ",\"env\":" + text(open.getEnv().toString())
        + ",\"slots\":" + unsigned(open.getSlots())
        + ",\"illegal\":" + text(open.getIllegal().name().toLowerCase(Locale.ROOT))
        + ",\"episodes\":" + numbers(open.getEpisodes()) + "}";
  }

  private static String ask(Wire.Envelope.Reader e) {
    Wire.Ask.Reader ask = e.getAsk();
    return head(e, "ask") + ",\"deadlineMs\":" + unsigned(e.getDeadlineMs())
        + ",\"id\":" + unsigned(ask.getId())
        + ",\"asked\":" + unsigned(ask.getQuestion().getAsked())
        + ",\"columns\":" + hexes(ask.getQuestion().getObservation().getColumns())
        + ",\"chance\":" + hex(Frame.bytes(ask.getChance())) + "}";
  }

  /** Number, id and the two seeds of each. */
  private static String numbers(
      org.capnproto.StructList.Reader<Wire.NumberedEpisode.Reader> episodes) {
    List<String> all = new ArrayList<>();
    for (Wire.NumberedEpisode.Reader from : episodes) {
      all.add("\"" + LongStream.of(from.getNumber(), from.getEpisode().getId(),
          from.getEpisode().getInputs(), from.getEpisode().getDynamics())
          .mapToObj(Long::toUnsignedString).collect(Collectors.joining(" ")) + "\"");
    }
    return "[" + String.join(",", all) + "]";
  }

  private static String welcome(Wire.Envelope.Reader e) {
    Wire.Welcome.Reader w = e.getWelcome();
    return head(e, "welcome") + ",\"minor\":" + Short.toUnsignedInt(w.getMinor())
        + ",\"session\":" + hex(Frame.bytes(w.getSession()))
        + ",\"server\":" + text(w.getServer().toString())
        + ",\"window\":" + unsigned(w.getWindow()) + ",\"leaseMs\":" + unsigned(w.getLeaseMs())
        + ",\"mostBytes\":" + Long.toUnsignedString(w.getMostBytes())
        + ",\"mostSlots\":" + unsigned(w.getMostSlots())
        + ",\"heartbeatMs\":" + unsigned(w.getHeartbeatMs()) + "}";
  }

  private static String streamOpened(Wire.Envelope.Reader e) {
    Wire.StreamOpened.Reader opened = e.getStreamOpened();
    Wire.Spec.Reader spec = opened.getSpec();
    return head(e, "streamOpened") + ",\"stream\":" + unsigned(opened.getStream())
        + ",\"env\":" + text(spec.getName().toString())
        + ",\"layoutHash\":\"" + hex(spec.getLayoutHash())
        + "\",\"observation\":" + names(spec.getObservation())
        + ",\"action\":" + names(spec.getAction())
        + ",\"asked\":" + unsigned(opened.getFirst().getAsked()) + "}";
  }

  private static String decisions(Wire.Envelope.Reader e) {
    Wire.Decisions.Reader d = e.getDecisions();
    return head(e, "decisions") + ",\"stream\":" + unsigned(d.getStream())
        + ",\"asked\":" + unsigned(d.getAsked()) + ",\"ended\":" + unsigned(d.getEnded())
        + ",\"done\":" + d.getDone()
        + ",\"counts\":" + hexes(d.getObservation().getCounts())
        + ",\"columns\":" + hexes(d.getObservation().getColumns())
        + ",\"slot\":" + hex(Frame.bytes(d.getSlot()))
        + ",\"reward\":" + hex(Frame.bytes(d.getReward()))
        + ",\"finalColumns\":" + hexes(d.getFinalObservation().getColumns())
        + ",\"metrics\":" + hex(Frame.bytes(d.getMetrics())) + "}";
  }

  private static String head(Wire.Envelope.Reader e, String is) {
    return "{\"is\":\"" + is + "\",\"sequence\":" + Long.toUnsignedString(e.getSequence());
  }

  private static String unsigned(int value) {
    return Integer.toUnsignedString(value);
  }

  private static String text(String value) {
    return "\"" + value.replace("\\", "\\\\").replace("\"", "\\\"").replace("\n", "\\n") + "\"";
  }

  private static String names(Wire.Record.Reader record) {
    List<String> names = new ArrayList<>();
    for (Wire.Leaf.Reader leaf : record.getLeaves()) {
      names.add(text(leaf.getName().toString()));
    }
    return "[" + String.join(",", names) + "]";
  }

  private static String hexes(DataList.Reader list) {
    List<String> all = new ArrayList<>();
    for (int i = 0; i < list.size(); ++i) {
      all.add(hex(Frame.bytes(list.get(i))));
    }
    return "[" + String.join(",", all) + "]";
  }

  private static String hex(ByteBuffer bytes) {
    StringBuilder to = new StringBuilder("\"");
    while (bytes.hasRemaining()) {
      to.append(String.format(Locale.ROOT, "%02x", bytes.get()));
    }
    return to.append('"').toString();
  }

  private static String hex(long value) {
    return String.format(Locale.ROOT, "%016x", value);
  }

  /** The hash of five episodes in two slots. */
  static long rollout(String endpoint, String env) throws InterruptedException {
    EnvironmentOptions options = EnvironmentOptions.DEFAULT.slots(2).illegal(Illegal.PROJECT);
    try (Client client = Client.connect(endpoint, ClientOptions.DEFAULT.timeout(DEADLINE));
        Environment environment = client.open(env, episodes(EPISODES), options)) {
      DecisionsHash hash = new DecisionsHash();
      hash.add(environment.decisions().wire);
      while (!environment.decisions().done()) {
        hash.add(environment.step(actions(environment)).wire);
      }
      return hash.value();
    }
  }

  /** One episode: "done STEPS", or the code of what went wrong. */
  static String scenario(String endpoint, String env) throws InterruptedException {
    EnvironmentOptions options = EnvironmentOptions.DEFAULT.illegal(Illegal.PROJECT);
    int steps = 0;
    try (Client client = Client.connect(endpoint, ClientOptions.DEFAULT.timeout(DEADLINE));
        Environment environment = client.open(env, episodes(1), options)) {
      for (; !environment.decisions().done(); ++steps) {
        environment.step(actions(environment));
      }
    } catch (ParkException e) {
      return e.code().text();
    }
    return "done " + steps;
  }

  private static Episodes episodes(int count) {
    return k -> k < count ? new Episode(k, 1000 + k, 2000 + k) : null;
  }

  private static Rows actions(Environment environment) {
    Decisions d = environment.decisions();
    Rows actions = environment.newActions();
    for (Leaf leaf : environment.spec().action().leaves()) {
      for (int row = 0; row < d.asked(); ++row) {
        actions.set(leaf.name(), row, value(leaf, d, row));
      }
    }
    return actions;
  }

  private static double value(Leaf leaf, Decisions d, int row) {
    long q = d.sequence(row);
    if (!leaf.indexOf().isEmpty()) {
      int n = d.observation().elements(leaf.indexOf(), row);
      return n == 0 ? 0 : q % n;
    }
    if (leaf.dtype().isInteger()) {
      return leaf.low() + q % (long) (leaf.high() - leaf.low() + 1);
    }
    return (leaf.low() + leaf.high()) / 2;
  }

  private static void serve(String endpoint, PrintStream out) throws InterruptedException {
    try (PolicyServer server =
        PolicyServer.bind(endpoint, "shortest_queue", ShortestQueue::new)) {
      out.println("ready " + server.endpoint());
      Thread.currentThread().join(); // until the process is told to end
    }
  }
}
