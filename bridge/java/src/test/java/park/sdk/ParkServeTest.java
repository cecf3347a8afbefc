package park.sdk;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** The client against a real server of environments. */
@Timeout(120)
class ParkServeTest {
  private static final String SHORT_ENV = "load_balance(servers=3,jobs=20)";

  private static ParkProcess park;

  @BeforeAll
  static void start() throws Exception {
    park = new ParkProcess();
  }

  @AfterAll
  static void stop() throws Exception {
    if (park != null) {
      park.close();
    }
  }

  private static Client connect() throws InterruptedException {
    return Client.connect(park.endpoint(),
        ClientOptions.DEFAULT.timeout(Duration.ofSeconds(30)));
  }

  /** Plays with legal actions drawn by chance; the observation, reward and metrics as text. */
  private static List<String> played(String env, int slots, int episodes) throws Exception {
    List<String> all = new ArrayList<>();
    try (Client client = connect();
        Environment environment = client.open(env, Episodes.seeded(7, episodes),
            EnvironmentOptions.DEFAULT.slots(slots))) {
      Decisions now = environment.decisions();
      while (true) {
        for (Ended e : now.ended()) {
          all.add(e.context() + " ended " + e.decisions() + " " + Arrays.toString(e.metrics()));
        }
        if (now.done()) {
          break;
        }
        Rows actions = environment.newActions();
        for (int row = 0; row < now.asked(); ++row) {
          all.add(now.context(row) + " " + now.sequence(row) + " " + now.since(row).reward() + " "
              + seen(now.observation(), row));
          draw(environment.spec(), now, actions, row);
        }
        now = environment.step(actions);
      }
    }
    all.sort(null); // slots take turns in another order
    return all;
  }

  private static int seen(Rows rows, int row) {
    int hash = 0;
    for (Leaf leaf : rows.space().leaves()) {
      hash = 31 * hash + Arrays.hashCode(rows.doubles(leaf.name(), row));
    }
    return hash;
  }

  private static void draw(Spec spec, Decisions now, Rows actions, int row) {
    Random random = new Random(now.context(row) * 1000 + now.sequence(row));
    for (Leaf head : spec.action().leaves()) {
      if (head.dtype().isInteger()) {
        long[] legal = Choices.of(spec, head.name(), now.observation(), actions, row).values();
        actions.set(head.name(), row, legal[random.nextInt(legal.length)]);
      } else {
        actions.set(head.name(), row, head.low()
            + random.nextDouble() * (head.high() - head.low()));
      }
    }
    Choices.check(spec, now.observation(), actions, row);
  }

  /** A small setting of every environment, from the folders of these. */
  static List<String> smallEnvironments() throws IOException {
    Path folders = Path.of(System.getProperty("park.source", "."), "../../park/envs");
    List<String> small = new ArrayList<>();
    try (DirectoryStream<Path> files = Files.newDirectoryStream(folders)) {
      for (Path folder : files) {
        Path presets = folder.resolve("presets.txt");
        if (Files.exists(presets)) {
          Files.readAllLines(presets).stream().filter(line -> line.startsWith("small "))
              .forEach(line -> small.add(line.substring("small ".length())));
        }
      }
    }
    return small;
  }

  /** With illegal = error: each drawn action has to be what the server calls legal. */
  @ParameterizedTest
  @MethodSource("smallEnvironments")
  void everyEnvironmentPlaysAlikeInAnyNumberOfSlots(String env) throws Exception {
    List<String> one = played(env, 1, 3);
    assertTrue(one.size() > 20, "rows: " + one.size());
    assertEquals(3, one.stream().filter(line -> line.contains("ended")).count());
    assertEquals(one, played(env, 2, 3));
  }

  @Test
  void specsTellWhatTheServerTells() throws Exception {
    try (Client client = connect();
        Environment env = client.open(SHORT_ENV, Episodes.seeded(1, 1))) {
      Spec spec = env.spec(); // its layoutHash was compared with the server's
      assertEquals("load_balance", spec.name());
      assertEquals(List.of(3L), spec.observation().leaf("server.jobs").shape());
      assertEquals(0, spec.action().leaf("server").low());
      assertEquals(2, spec.action().leaf("server").high());
      assertFalse(spec.system());
      assertTrue(spec.text().contains("servers=3"), spec.text());
      assertArrayEquals(new double[3], env.decisions().observation().doubles("server.jobs", 0));
    }
  }

  @Test
  void rolloutsHaveOneHash() throws Exception {
    long hash = Conformance.rollout(park.endpoint(), SHORT_ENV);
    assertEquals(hash, Conformance.rollout(park.endpoint(), SHORT_ENV));
    assertNotEquals(hash, Conformance.rollout(park.endpoint(), "load_balance(servers=3,jobs=21)"));
    assertEquals("done 20", Conformance.scenario(park.endpoint(), SHORT_ENV));
  }

  @Test
  void failuresAreTyped() throws Exception {
    try (Client client = connect()) {
      assertEquals(Code.UNKNOWN_NAME, code(() -> client.open("nothing", Episodes.seeded(1, 1))));
      ParkException config = assertThrows(ParkException.class,
          () -> client.open("load_balance(servers=0)", Episodes.seeded(1, 1)));
      assertEquals(Code.INVALID_CONFIG, config.code());
      assertTrue(config.text().contains("servers"), config.text());
      assertEquals(Code.TOO_MUCH, code(() -> client.open(SHORT_ENV, Episodes.seeded(1, 1),
          EnvironmentOptions.DEFAULT.slots(5000))));
      try (Environment env = client.open(SHORT_ENV, Episodes.seeded(1, 1))) {
        Rows wrong = env.newActions();
        wrong.set("server", 0, 3);
        assertEquals(Code.ILLEGAL_ACTION, code(() -> env.step(wrong)));
        assertEquals(Code.MALFORMED,
            code(() -> env.step(Rows.zeros(env.spec().action(), 2))));
        assertEquals(1, env.step(env.newActions()).sequence(0)); // nothing had moved
      }
    }
  }

  /** What came with a step that has failed is sent again with the next one. */
  @Test
  void aFailedStepLosesNoEpisode() throws Exception {
    try (Client client = connect();
        Environment env = client.open("load_balance(servers=3,jobs=1)", Episodes.seeded(1, 6),
            EnvironmentOptions.DEFAULT.slots(2))) {
      int ended = env.decisions().ended().size();
      while (!env.decisions().done()) {
        Rows wrong = env.newActions();
        wrong.set("server", 0, 3);
        assertEquals(Code.ILLEGAL_ACTION, code(() -> env.step(wrong)));
        ended += env.step(env.newActions()).ended().size();
      }
      assertEquals(6, ended);
    }
  }

  private interface Call {
    void run() throws Exception;
  }

  private static Code code(Call call) {
    return assertThrows(ParkException.class, call::run).code();
  }

  @Test
  void aStepThatWasSentIsReceivedLater() throws Exception {
    try (Client client = connect();
        Environment env = client.open(SHORT_ENV, Episodes.seeded(1, 1))) {
      env.send(env.newActions());
      assertEquals(Code.OUT_OF_ORDER, code(() -> env.send(env.newActions())));
      Thread.currentThread().interrupt();
      try {
        env.receive(Duration.ofSeconds(30)); // the reply may be there already
      } catch (InterruptedException e) {
        env.receive(Duration.ofSeconds(30));
      }
      Thread.interrupted();
      assertEquals(1, env.decisions().sequence(0));
    }
  }

  @Test
  void aServerThatDiesIsLate() throws Exception {
    try (ParkProcess mortal = new ParkProcess();
        Client client = Client.connect(mortal.endpoint());
        Environment env = client.open(SHORT_ENV, Episodes.seeded(1, 1))) {
      mortal.kill();
      env.send(env.newActions());
      long begin = System.nanoTime();
      assertEquals(Code.LATE, code(() -> env.receive(Duration.ofMillis(500))));
      assertTrue(System.nanoTime() - begin < 5e9);
      assertTrue(client.repeated() > 0);
    }
  }

  @Test
  void theServersFileTellsWhereItIs() throws Exception {
    try (Client client = Client.connect(park.file());
        Environment env = client.open(SHORT_ENV, Episodes.seeded(1, 1))) {
      assertEquals(1, env.decisions().asked());
    }
    assertEquals(Code.INVALID_CONFIG, code(() -> Client.connect("no/such/file")));
  }

  /** Two episodes, decided by a policy of park itself; it is stopped for a moment in the second. */
  @Test
  void anAskerAsksAPolicyOfPark() throws Exception {
    try (ParkProcess policies = new ParkProcess("--policy", "shortest_queue");
        Client client = connect();
        Environment env = client.open(SHORT_ENV, Episodes.seeded(1, 2));
        Asker asker = Asker.connect(policies.file(), env.spec(), AskerOptions.DEFAULT)) {
      assertTrue(asker.ready(Duration.ofSeconds(30)), asker.problem());
      Duration patience = Duration.ofSeconds(30);
      for (Decisions now = env.decisions(); !now.done(); ) {
        if (now.sequence(0) == 0) {
          asker.begin(0, now.episode(0), 1);
        }
        boolean stopped = now.context(0) == 1 && now.sequence(0) == 5;
        policies.signal(stopped ? "STOP" : "CONT");
        Decision decision = asker.ask(0, now.observation(), now.since(0).reward(),
            now.since(0).elapsedS(), stopped ? Duration.ofMillis(100) : patience, env::newActions);
        assertEquals(stopped ? Applied.FALLBACK : Applied.POLICY, decision.by(), decision.why());
        Rows actions = env.newActions();
        new ShortestQueue(env.spec()).act(now, actions);
        if (!stopped) {
          assertEquals(actions.column("server"), decision.actions().column("server"));
        }
        now = env.step(actions);
        for (Ended e : now.ended()) {
          asker.end(0, now.finalObservation(), e.last().reward(), e.last().elapsedS(),
              e.truncated(), e.metrics());
        }
      }
      assertEquals(39, asker.answers());
      assertEquals(1, asker.late());
    }
  }

  @Test
  void anIdleClientKeepsItsSession() throws Exception {
    try (ParkProcess hasty = new ParkProcess("--lease", "1");
        Client client = Client.connect(hasty.endpoint());
        Environment env = client.open(SHORT_ENV, Episodes.seeded(1, 1))) {
      Thread.sleep(2500);
      assertEquals(1, env.step(env.newActions()).sequence(0));
    }
  }
}
