package park.sdk;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** The examples and the conformance program as processes of their own, with the real park. */
@Timeout(120)
class ProgramsTest {
  private static final Path EXAMPLES =
      Path.of(System.getProperty("park.source", "."), "examples");
  private static final Pattern FIGURES = Pattern.compile("\"per_episode\": \\{([^}]*)\\}");

  private static List<String> java(String... arguments) {
    List<String> command = new ArrayList<>(List.of(
        Path.of(System.getProperty("java.home"), "bin", "java").toString(),
        "-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC",
        "-cp", System.getProperty("java.class.path")));
    command.addAll(List.of(arguments));
    return command;
  }

  private static String example(String name) throws Exception {
    Path file = EXAMPLES.resolve(name + ".java");
    long lines = Files.lines(file).count();
    assertTrue(lines < 80, name + ": " + lines + " lines; fewer than 80 are allowed");
    return file.toString();
  }

  @Test
  void theExampleDrivesAnEnvironment() throws Exception {
    try (ParkProcess park = new ParkProcess("load_balance(servers=4,jobs=100)")) {
      String printed = ParkProcess.output(java(example("DriveEnvironment"), park.endpoint()));
      assertEquals(3, printed.lines().count(), printed);
      assertTrue(printed.contains("episode 2: 100 decisions, avg_response_s "), printed);
    }
  }

  /** The first lines of docs/java.md, as they stand there but for the port. */
  @Test
  void theLinesOfTheDocumentRun(@TempDir Path folder) throws Exception {
    String document = Files.readString(EXAMPLES.resolve("../../../docs/java.md"));
    int begin = document.indexOf("```java\n") + "```java\n".length();
    String lines = document.substring(begin, document.indexOf("```", begin));
    try (ParkProcess park = new ParkProcess("load_balance")) {
      Path program = folder.resolve("Lines.java");
      Files.writeString(program, "import park.sdk.*;\npublic class Lines {\n"
          + "public static void main(String[] arguments) throws Exception {\n"
          + lines.replace("tcp://127.0.0.1:5555", park.endpoint()) + "}}\n");
      String printed = ParkProcess.output(java(program.toString()));
      assertEquals(3, printed.lines().filter(line -> line.endsWith(" s on average")).count(),
          printed);
    }
  }

  @Test
  void theExampleServesAPolicy() throws Exception {
    compared(java(example("ServePolicy")), "shortest_expected_delay");
  }

  @Test
  void theConformanceProgramServesShortestQueue() throws Exception {
    compared(java("park.sdk.Conformance", "serve", "tcp://127.0.0.1:*"), "shortest_queue");
  }

  /** Starts a server of a policy; park run has to get the figures of its own policy from it. */
  private static void compared(List<String> server, String own) throws Exception {
    String park = ParkProcess.binary();
    Process process = new ProcessBuilder(server).redirectError(ProcessBuilder.Redirect.INHERIT)
        .start();
    try (BufferedReader out = new BufferedReader(
        new InputStreamReader(process.getInputStream(), StandardCharsets.UTF_8))) {
      String endpoint = out.readLine().replace("ready ", "");
      String printed = ParkProcess.output(List.of(park, "run", "load_balance(jobs=200)",
          "--policy", own + ",remote(endpoint=" + endpoint + ")", "--episodes", "4", "--json",
          "--quiet"));
      Matcher found = FIGURES.matcher(printed);
      assertTrue(found.find(), printed);
      String figures = found.group(1);
      assertTrue(figures.contains("reward") && found.find(), printed);
      assertEquals(figures, found.group(1));
    } finally {
      process.destroy();
      process.waitFor();
    }
  }
}
