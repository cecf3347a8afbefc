package park.spark;

import java.io.IOException;
import java.io.InputStream;
import java.util.Collections;
import java.util.Map;
import java.util.Properties;

import org.apache.spark.SparkContext;
import org.apache.spark.api.plugin.DriverPlugin;
import org.apache.spark.api.plugin.ExecutorPlugin;
import org.apache.spark.api.plugin.PluginContext;
import org.apache.spark.api.plugin.SparkPlugin;
import org.apache.spark.scheduler.park.Attachment;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * {@code spark.plugins=park.spark.ParkPlugin}: an agent of Park takes the scheduling decisions of
 * this application. Without an agent in the settings, Spark is left as it is.
 *
 * <p>This is Java, because it has to run under any Scala: a jar of another line of Spark is told in
 * one line, before anything of it is loaded.
 */
public final class ParkPlugin implements SparkPlugin {
  private static final Logger LOG = LoggerFactory.getLogger(ParkPlugin.class);
  private static final String LINE = "/park/spark/line.properties";

  @Override
  public DriverPlugin driverPlugin() {
    return new DriverPlugin() {
      // Spark calls it before it makes its task scheduler.
      @Override
      public Map<String, String> init(SparkContext context, PluginContext plugin) {
        String wrong = otherLine(context.version(), scala.util.Properties.versionNumberString());
        if (wrong.isEmpty()) {
          Attachment.attach(context);
        } else {
          LOG.warn("Park: {}; this is plain Spark", wrong);
        }
        return Collections.emptyMap();
      }
    };
  }

  @Override
  public ExecutorPlugin executorPlugin() {
    return null;
  }

  /**
   * Why this jar is none for a Spark.
   *
   * @param spark its version
   * @param scala the version of its Scala
   * @return one line for people; empty: it fits
   */
  public static String otherLine(String spark, String scala) {
    Properties line = new Properties();
    try (InputStream from = ParkPlugin.class.getResourceAsStream(LINE)) {
      line.load(from);
    } catch (IOException e) {
      throw new IllegalStateException(LINE + " cannot be read", e);
    }
    String ofSpark = line.getProperty("spark");
    String ofScala = line.getProperty("scala");
    if (spark.startsWith(ofSpark + ".") && scala.startsWith(ofScala + ".")) {
      return "";
    }
    return "the plugin is for Spark " + ofSpark + " with Scala " + ofScala + "; this is Spark "
        + spark + " with Scala " + scala;
  }
}
