package park.spark

import java.util.{Collections, Map => JMap}

import org.apache.spark.SparkContext
import org.apache.spark.api.plugin.{DriverPlugin, ExecutorPlugin, PluginContext, SparkPlugin}
import org.apache.spark.scheduler.park.Attachment

/** `spark.plugins=park.spark.ParkPlugin`: an agent of Park takes the scheduling decisions of this
  * application. Without an agent in the settings, Spark is left as it is.
  */
class ParkPlugin extends SparkPlugin {
  override def driverPlugin(): DriverPlugin = new DriverPlugin {
    // Spark calls it before it makes its task scheduler.
    override def init(sc: SparkContext, context: PluginContext): JMap[String, String] = {
      Attachment.attach(sc)
      Collections.emptyMap()
    }
  }

  override def executorPlugin(): ExecutorPlugin = null
}
