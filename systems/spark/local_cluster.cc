#include "systems/spark/local_cluster.h"

#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <utility>

#include "park/core/error.h"

namespace park::spark {
namespace {

constexpr std::chrono::seconds kReady{120};
constexpr const char* kHost = "127.0.0.1";

/// What Spark's own start scripts open for Java 17.
constexpr std::array kOpened = {"java.lang",
                                "java.lang.invoke",
                                "java.lang.reflect",
                                "java.io",
                                "java.net",
                                "java.nio",
                                "java.util",
                                "java.util.concurrent",
                                "java.util.concurrent.atomic",
                                "sun.nio.ch",
                                "sun.nio.cs",
                                "sun.security.action",
                                "sun.util.calendar"};

/// A port that is free now. Throws Error{io}.
std::uint16_t free_port() {
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  socklen_t size = sizeof address;
  const int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  auto* generic = reinterpret_cast<sockaddr*>(&address);
  const bool done = fd >= 0 && bind(fd, generic, size) == 0 && getsockname(fd, generic, &size) == 0;
  if (fd >= 0) close(fd);
  if (!done) throw Error(Errc::io, std::string("no free port: ") + std::strerror(errno));
  return ntohs(address.sin_port);
}

/// Without what a user has set for a Spark of his own.
std::vector<std::string> environment(const LocalClusterOptions& options) {
  std::vector<std::string> all;
  for (char** at = environ; *at != nullptr; ++at) {
    const std::string one(*at);
    if (!one.starts_with("SPARK_") && !one.starts_with("PARK_")) all.push_back(one);
  }
  all.push_back("SPARK_HOME=" + options.spark.string());
  all.push_back("SPARK_LOCAL_DIRS=" + options.folder.string());
  all.push_back(std::string("SPARK_LOCAL_IP=") + kHost);
  all.emplace_back("SPARK_SCALA_VERSION=2.13");  // what Workers ask of the folder
  return all;
}

}  // namespace

LocalCluster::LocalCluster(LocalClusterOptions options, const std::stop_token& stop)
    : options_(std::move(options)), environment_(environment(options_)) {
  const std::string port = std::to_string(free_port());
  master_ = std::string("spark://") + kHost + ":" + port;
  children_.push_back(
      java("master", "256m",
           {"-Dspark.master.rest.enabled=false", "org.apache.spark.deploy.master.Master", "--host",
            kHost, "--port", port, "--webui-port", "0"}));
  children_.back()->wait_for("elected leader", kReady, stop);
  for (std::uint32_t i = 0; i < options_.workers; ++i) {
    const std::string name = "worker" + std::to_string(i);
    children_.push_back(
        java(name, "256m",
             {"org.apache.spark.deploy.worker.Worker", master_, "--host", kHost, "--cores",
              std::to_string(options_.cores), "--memory", "16g", "--webui-port", "0", "--work-dir",
              (options_.folder / (name + ".work")).string()},
             {"nice"}));
  }
  for (std::size_t i = 1; i < children_.size(); ++i)
    children_[i]->wait_for("Successfully registered with master", kReady, stop);
}

std::unique_ptr<process::Child> LocalCluster::submit(
    const std::string& name, const std::filesystem::path& jar, const std::string& main,
    const std::vector<std::string>& arguments, const std::map<std::string, std::string>& conf) {
  std::map<std::string, std::string> all = {{"spark.driver.host", kHost},
                                            {"spark.driver.bindAddress", kHost},
                                            {"spark.ui.enabled", "false"},
                                            {"spark.executor.cores", "1"},
                                            {"spark.executor.memory", options_.executor_memory},
                                            {"spark.locality.wait", "0s"}};
  for (const auto& [key, value] : conf) all[key] = value;
  std::vector<std::string> words = {"org.apache.spark.deploy.SparkSubmit", "--master", master_};
  if (!options_.properties.empty()) {
    words.emplace_back("--properties-file");
    words.push_back(options_.properties.string());
  }
  for (const auto& [key, value] : all) {
    words.emplace_back("--conf");
    words.push_back(std::string(key).append("=").append(value));
  }
  for (const std::string& word : {std::string("--class"), main, jar.string()})
    words.push_back(word);
  words.insert(words.end(), arguments.begin(), arguments.end());
  return java(name, "1g", std::move(words));
}

std::unique_ptr<process::Child> LocalCluster::java(const std::string& name, const std::string& heap,
                                                   std::vector<std::string> words,
                                                   const std::vector<std::string>& prefix) {
  std::vector<std::string> all = prefix;
  all.insert(all.end(), {"java", "-Xmx" + heap, "-XX:+UseSerialGC",
                         "-Djava.io.tmpdir=" + options_.folder.string()});
  for (const char* package : kOpened)
    all.push_back(std::string("--add-opens=java.base/") + package + "=ALL-UNNAMED");
  all.emplace_back("-cp");
  all.push_back((options_.spark / "jars" / "*").string());
  all.insert(all.end(), words.begin(), words.end());
  return std::make_unique<process::Child>(all, environment_, options_.folder / (name + ".log"));
}

}  // namespace park::spark
