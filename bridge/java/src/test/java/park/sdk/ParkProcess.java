package park.sdk;

import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Assumptions;

/** The command park of this build, whose path the property park.binary tells. */
final class ParkProcess implements AutoCloseable {
  private static final Pattern ENDPOINT = Pattern.compile("\"endpoint\": *\"([^\"]+)\"");
  private static final long START_MS = 30_000;

  private final Process process;
  private final Path folder;
  private String endpoint;

  /** park serve, with more arguments. */
  ParkProcess(String... arguments) throws IOException, InterruptedException {
    folder = Files.createTempDirectory("park-java");
    Path told = folder.resolve("endpoint.json");
    List<String> command = new ArrayList<>(List.of(binary(), "serve", "--endpoint",
        "tcp://127.0.0.1:*", "--endpoint-file", told.toString(), "--quiet"));
    command.addAll(List.of(arguments));
    process = new ProcessBuilder(command).redirectErrorStream(true)
        .redirectOutput(folder.resolve("log").toFile()).start();
    for (long waited = 0; endpoint == null; waited += 10) {
      assertTrue(process.isAlive() && waited < START_MS,
          () -> "park serve did not start: " + read(folder.resolve("log")));
      Thread.sleep(10);
      Matcher found = ENDPOINT.matcher(Files.exists(told) ? read(told) : "");
      endpoint = found.find() ? found.group(1) : null;
    }
  }

  static String binary() {
    String path = System.getProperty("park.binary", "");
    Assumptions.assumeTrue(!path.isEmpty(), "no -Dpark.binary=PATH: tests without park serve");
    return path;
  }

  /** Runs a program to its end and returns what it prints; it has to succeed without complaint. */
  static String output(List<String> command) throws IOException, InterruptedException {
    Path log = Files.createTempFile("park-java", "log");
    Path errors = Files.createTempFile("park-java", "err");
    Process process = new ProcessBuilder(command).redirectOutput(log.toFile())
        .redirectError(errors.toFile()).start();
    try {
      assertTrue(process.waitFor(60, TimeUnit.SECONDS), "it did not end: " + command);
      String text = read(log);
      String complaint = read(errors);
      assertTrue(process.exitValue() == 0 && complaint.isEmpty(),
          command + ": " + text + complaint);
      return text;
    } finally {
      process.destroyForcibly();
      Files.delete(log);
      Files.delete(errors);
    }
  }

  private static String read(Path file) {
    try {
      return Files.readString(file, StandardCharsets.UTF_8);
    } catch (IOException e) {
      return e.toString();
    }
  }

  /** The file that tells the endpoint. */
  String file() {
    return folder.resolve("endpoint.json").toString();
  }

  String endpoint() {
    return endpoint;
  }

  /** Such as STOP. */
  void signal(String name) throws IOException, InterruptedException {
    output(List.of("kill", "-" + name, Long.toString(process.pid())));
  }

  void kill() throws InterruptedException {
    process.destroyForcibly().waitFor();
  }

  @Override
  public void close() throws IOException, InterruptedException {
    process.destroy();
    if (!process.waitFor(10, TimeUnit.SECONDS)) {
      kill();
    }
    try (var files = Files.list(folder)) {
      for (Path file : (Iterable<Path>) files::iterator) {
        Files.delete(file);
      }
    }
    Files.delete(folder);
  }
}
