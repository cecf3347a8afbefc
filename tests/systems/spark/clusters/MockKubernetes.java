import io.fabric8.kubernetes.api.model.Container;
import io.fabric8.kubernetes.api.model.ContainerStateBuilder;
import io.fabric8.kubernetes.api.model.ContainerStatusBuilder;
import io.fabric8.kubernetes.api.model.EnvVar;
import io.fabric8.kubernetes.api.model.GenericKubernetesResource;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.PodStatus;
import io.fabric8.kubernetes.api.model.PodStatusBuilder;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.server.mock.KubernetesCrudDispatcher;
import io.fabric8.kubernetes.client.server.mock.KubernetesMockServer;
import io.fabric8.kubernetes.client.utils.Serialization;
import io.fabric8.mockwebserver.Context;
import io.fabric8.mockwebserver.MockWebServer;
import io.fabric8.mockwebserver.crud.AttributeSet;
import java.io.File;
import java.io.IOException;
import java.net.InetAddress;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * Stands for a Kubernetes: an API server that keeps pods, and a kubelet whose pods are processes of
 * this machine. {@code java -cp JARS MockKubernetes.java SPARK FOLDER} says "ready PORT"; then, for
 * each executor, "asked NAME cpu CPU memory MEMORY" and "started NAME PROCESS". What executors say is
 * in FOLDER/NAME.log.
 */
public final class MockKubernetes {
  private static final String NAMESPACE = "default";
  private static final String MAIN =
      "org.apache.spark.scheduler.cluster.k8s.KubernetesExecutorBackend";
  private static final int POLL_MS = 200;

  private final KubernetesClient client;
  private final Path spark;
  private final Path folder;
  private final Map<String, Process> running = new HashMap<>(); // by the names of pods
  private final Set<String> over = new HashSet<>();

  private MockKubernetes(KubernetesClient client, Path spark, Path folder) {
    this.client = client;
    this.spark = spark;
    this.folder = folder;
  }

  public static void main(String[] arguments) throws Exception {
    KubernetesMockServer server = new KubernetesMockServer(
        new Context(Serialization.jsonMapper()), new MockWebServer(), new HashMap<>(),
        new WithStatus(), false);
    server.init(InetAddress.getLoopbackAddress(), 0);
    MockKubernetes kubelet = new MockKubernetes(
        server.createClient(), Path.of(arguments[0]), Path.of(arguments[1]));
    Runtime.getRuntime().addShutdownHook(
        new Thread(() -> kubelet.running.values().forEach(Process::destroyForcibly)));
    System.out.println("ready " + server.getPort());
    while (true) {
      kubelet.look();
      Thread.sleep(POLL_MS);
    }
  }

  /** The mock leaves out the status of a new pod, which Spark's snapshots do not expect. */
  private static final class WithStatus extends KubernetesCrudDispatcher {
    @Override
    public void processEvent(String path, AttributeSet pathAttributes, AttributeSet oldAttributes,
        GenericKubernetesResource resource, String newState) {
      String state = newState;
      if (newState != null && newState.contains("\"kind\":\"Pod\"")) {
        Pod pod = Serialization.unmarshal(newState, Pod.class);
        if (pod.getStatus() == null || pod.getStatus().getPhase() == null) {
          pod.setStatus(new PodStatusBuilder().withPhase("Pending").build());
          state = Serialization.asJson(pod);
        }
      }
      super.processEvent(path, pathAttributes, oldAttributes, resource, state);
    }
  }

  /** Starts what is new, ends what was deleted, and tells what has ended. */
  private void look() throws IOException {
    Set<String> there = new HashSet<>();
    for (Pod pod : client.pods().inNamespace(NAMESPACE).list().getItems()) {
      String name = pod.getMetadata().getName();
      there.add(name);
      if (!running.containsKey(name) && !over.contains(name)) {
        running.put(name, start(name, pod.getSpec().getContainers().get(0)));
        tell(name, new PodStatusBuilder().withPhase("Running").withPodIP("127.0.0.1").build());
      } else if (running.containsKey(name) && !running.get(name).isAlive()) {
        tell(name, ended(pod, running.remove(name).exitValue()));
        over.add(name);
      }
    }
    running.entrySet().removeIf(entry -> {
      boolean deleted = !there.contains(entry.getKey());
      if (deleted) {
        entry.getValue().destroyForcibly();
      }
      return deleted;
    });
  }

  private void tell(String name, PodStatus status) {
    client.pods().inNamespace(NAMESPACE).withName(name).editStatus(pod -> {
      pod.setStatus(status);
      return pod;
    });
  }

  private static PodStatus ended(Pod pod, int code) {
    return new PodStatusBuilder()
        .withPhase(code == 0 ? "Succeeded" : "Failed")
        .withContainerStatuses(new ContainerStatusBuilder()
            .withName(pod.getSpec().getContainers().get(0).getName())
            .withState(new ContainerStateBuilder()
                .withNewTerminated().withExitCode(code).endTerminated().build())
            .build())
        .build();
  }

  /** What the entry point of Spark's image does. */
  private Process start(String name, Container container) throws IOException {
    Map<String, String> env = new HashMap<>();
    for (EnvVar variable : container.getEnv()) {
      if (variable.getValue() != null) {
        env.put(variable.getName(), variable.getValue());
      }
    }
    System.out.println("asked " + name
        + " cpu " + container.getResources().getRequests().get("cpu")
        + " memory " + container.getResources().getRequests().get("memory"));
    List<String> command = new ArrayList<>(List.of("java"));
    for (int i = 0; env.containsKey("SPARK_JAVA_OPT_" + i); ++i) {
      command.add(env.get("SPARK_JAVA_OPT_" + i));
    }
    String memory = env.get("SPARK_EXECUTOR_MEMORY");
    command.addAll(List.of("-Xms" + memory, "-Xmx" + memory, "-cp", spark + "/jars/*", MAIN,
        "--driver-url", env.get("SPARK_DRIVER_URL"), "--executor-id", env.get("SPARK_EXECUTOR_ID"),
        "--cores", env.get("SPARK_EXECUTOR_CORES"), "--app-id", env.get("SPARK_APPLICATION_ID"),
        "--hostname", "127.0.0.1", "--resourceProfileId", env.get("SPARK_RESOURCE_PROFILE_ID"),
        "--podName", name));
    ProcessBuilder builder = new ProcessBuilder(command);
    builder.environment().putAll(env);
    builder.environment().put("SPARK_EXECUTOR_POD_IP", "127.0.0.1");
    builder.environment().put("SPARK_EXECUTOR_POD_NAME", name);
    builder.environment().put("SPARK_LOCAL_DIRS", folder.toString()); // there are no volumes
    File log = folder.resolve(name + ".log").toFile();
    Process process = builder.redirectErrorStream(true).redirectOutput(log).start();
    System.out.println("started " + name + " " + process.pid());
    return process;
  }
}
