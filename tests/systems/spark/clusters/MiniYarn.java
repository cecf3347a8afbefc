import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.yarn.conf.YarnConfiguration;
import org.apache.hadoop.yarn.server.MiniYARNCluster;

/**
 * YARN with two node managers in one process: {@code java -cp JARS MiniYarn.java CONF} writes the
 * configuration for clients to the folder CONF, says "ready", and ends at a signal. Its own files
 * are under target/ in the working directory.
 */
public final class MiniYarn {
  private static final int NODES = 2;
  private static final String ADDRESS = YarnConfiguration.RM_ADDRESS;

  private MiniYarn() {}

  public static void main(String[] arguments) throws Exception {
    Path conf = Path.of(arguments[0]);
    MiniYARNCluster cluster = new MiniYARNCluster("park", 1, NODES, 1, 1);
    cluster.init(configuration());
    cluster.start();
    // Containers are processes of their own.
    Runtime.getRuntime().addShutdownHook(new Thread(cluster::stop));
    while (cluster.getConfig().get(ADDRESS).endsWith(":0")) {
      Thread.sleep(50);
    }
    Files.createDirectories(conf);
    write(cluster.getConfig(), conf.resolve("yarn-site.xml"));
    Configuration core = new Configuration(false);
    core.set("fs.defaultFS", "file:///");
    write(core, conf.resolve("core-site.xml"));
    System.out.println("ready");
    Thread.sleep(Long.MAX_VALUE);
  }

  private static YarnConfiguration configuration() {
    YarnConfiguration yarn = new YarnConfiguration();
    yarn.setInt("yarn.nodemanager.resource.memory-mb", 3072);
    yarn.setInt("yarn.nodemanager.resource.cpu-vcores", 4);
    yarn.setInt("yarn.scheduler.minimum-allocation-mb", 128);
    yarn.setBoolean("yarn.nodemanager.pmem-check-enabled", false);
    yarn.setBoolean("yarn.nodemanager.vmem-check-enabled", false);
    yarn.setFloat(
        "yarn.nodemanager.disk-health-checker.max-disk-utilization-per-disk-percentage", 99.9f);
    yarn.setFloat("yarn.scheduler.capacity.maximum-am-resource-percent", 0.9f);
    yarn.set("yarn.scheduler.capacity.root.queues", "default");
    yarn.setInt("yarn.scheduler.capacity.root.default.capacity", 100);
    return yarn;
  }

  private static void write(Configuration from, Path file) throws IOException {
    try (OutputStream to = Files.newOutputStream(file)) {
      from.writeXml(to);
    }
  }
}
