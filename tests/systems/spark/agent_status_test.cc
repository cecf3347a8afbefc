// What people who run an agent are told: /metrics, lines of JSON, and a service manager.
#include "systems/spark/agent_status.h"

#include <arpa/inet.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <optional>
#include <string>
#include <thread>

#include "park/core/error.h"
#include "systems/spark/metrics_server.h"
#include "systems/spark/service_manager.h"

namespace park::spark {
namespace {

using testing::HasSubstr;

TEST(AgentStatus, CountsWhatPrometheusAsksFor) {
  AgentStatus status;
  const std::uint64_t first = status.begun("app-1", "daily", "4.1.3");
  status.begun("app-2", "other", "4.1.3");
  status.answered(1.0 / 2048, false);
  status.answered(1.0 / 64, true);
  status.answered(7, false);
  status.told(first, {.fallbacks = 2, .rejected = 1, .jobs = 3, .failed_jobs = 1});
  status.ended(first, true);
  const std::string text = status.metrics();
  for (const char* line :
       {"\npark_spark_applications_total 2\n", "\npark_spark_applications_open 1\n",
        "\npark_spark_applications_lost_total 1\n", "\npark_spark_declined_total 1\n",
        "\npark_spark_fallbacks_total 2\n", "\npark_spark_rejected_total 1\n",
        "\npark_spark_jobs_total 3\n", "\npark_spark_jobs_failed_total 1\n",
        "_bucket{le=\"0.0005\"} 1\n", "_bucket{le=\"0.01\"} 1\n", "_bucket{le=\"0.025\"} 2\n",
        "_bucket{le=\"1\"} 2\n", "_bucket{le=\"+Inf\"} 3\n",
        "\npark_spark_answer_seconds_sum 7.01611328125\n", "\npark_spark_answer_seconds_count 3\n"})
    EXPECT_THAT(text, HasSubstr(line));
}

TEST(AgentStatus, AppendsLinesOfJson) {
  const std::filesystem::path file =
      std::filesystem::temp_directory_path() / ("park-log-" + std::to_string(::getpid()));
  {
    AgentStatus status(file.string());
    const std::uint64_t number = status.begun("app-1", "a \"name\"", "4.1.3");
    status.told(number, {.fallbacks = 2});
    status.told(number, {.jobs = 1});  // nothing went wrong
    status.ended(number, false);
  }
  std::ifstream in(file);
  std::string first, second, third, fourth;
  std::getline(in, first);
  std::getline(in, second);
  std::getline(in, third);
  EXPECT_FALSE(std::getline(in, fourth));
  std::filesystem::remove(file);
  EXPECT_THAT(first, HasSubstr("application_begun"));
  EXPECT_THAT(first, HasSubstr("a \\\"name\\\""));
  EXPECT_THAT(second, HasSubstr("not_followed"));
  EXPECT_THAT(third, HasSubstr("application_ended"));
  EXPECT_THROW(AgentStatus("/nowhere/log"), Error);
}

/// A connection to a server on this machine that has sent a text.
int connected(std::uint16_t port, const std::string& text) {
  const int socket = ::socket(AF_INET, SOCK_STREAM, 0);
  sockaddr_in to{};
  to.sin_family = AF_INET;
  to.sin_port = htons(port);
  to.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  EXPECT_EQ(::connect(socket, reinterpret_cast<sockaddr*>(&to), sizeof to), 0);
  EXPECT_EQ(::send(socket, text.data(), text.size(), 0), static_cast<ssize_t>(text.size()));
  return socket;
}

/// What a server on this machine says to a request.
std::string exchange(std::uint16_t port, const std::string& request) {
  const int socket = connected(port, request);
  std::string all;
  std::array<char, 1024> some{};
  for (ssize_t n = 0; (n = ::recv(socket, some.data(), some.size(), 0)) > 0;)
    all.append(some.data(), static_cast<std::size_t>(n));
  ::close(socket);
  return all;
}

TEST(MetricsServer, AnswersForItsPathAlone) {
  const MetricsServer server(0, [] { return std::string("a 1\n"); });
  const std::string known = exchange(server.port(), "GET /metrics HTTP/1.1\r\nHost: x\r\n\r\n");
  EXPECT_THAT(known, testing::StartsWith("HTTP/1.0 200 OK\r\n"));
  EXPECT_THAT(known, testing::EndsWith("\r\n\r\na 1\n"));
  EXPECT_THAT(exchange(server.port(), "GET / HTTP/1.1\r\n\r\n"),
              testing::StartsWith("HTTP/1.0 404 "));
  EXPECT_THROW(MetricsServer(server.port(), [] { return std::string(); }), Error);
}

TEST(MetricsServer, ASlowClientHoldsUpOthersForTwoSecondsAndItsEndNotAtAll) {
  using Clock = std::chrono::steady_clock;
  std::optional<MetricsServer> server(std::in_place, 0, [] { return std::string("a 1\n"); });
  int slow = connected(server->port(), "G");
  std::jthread drips([slow](const std::stop_token& stop) {
    while (!stop.stop_requested() && ::send(slow, "x", 1, MSG_NOSIGNAL) == 1)
      std::this_thread::sleep_for(std::chrono::milliseconds(50));
  });
  const auto begin = Clock::now();
  EXPECT_THAT(exchange(server->port(), "GET /metrics HTTP/1.1\r\n\r\n"),
              testing::HasSubstr("200 OK"));
  EXPECT_LT(Clock::now() - begin, std::chrono::seconds(4));
  drips = std::jthread();
  ::close(slow);
  slow = connected(server->port(), "G");
  std::this_thread::sleep_for(std::chrono::milliseconds(50));  // it has been accepted
  const auto end = Clock::now();
  server.reset();
  EXPECT_LT(Clock::now() - end, std::chrono::milliseconds(1500));
  ::close(slow);
}

TEST(ServiceManager, SaysReadyAliveAndStopping) {
  const std::filesystem::path path =
      std::filesystem::temp_directory_path() / ("park-notify-" + std::to_string(::getpid()));
  const int socket = ::socket(AF_UNIX, SOCK_DGRAM, 0);
  sockaddr_un at{};
  at.sun_family = AF_UNIX;
  std::strncpy(at.sun_path, path.c_str(), sizeof at.sun_path - 1);
  ASSERT_EQ(::bind(socket, reinterpret_cast<sockaddr*>(&at), sizeof at), 0);
  ::setenv("NOTIFY_SOCKET", path.c_str(), 1);
  ::setenv("WATCHDOG_USEC", "20000", 1);
  const auto next = [socket] {
    std::array<char, 64> some{};
    const ssize_t n = ::recv(socket, some.data(), some.size(), 0);
    return std::string(some.data(), static_cast<std::size_t>(std::max<ssize_t>(n, 0)));
  };
  std::atomic<int> asked = 0;
  {
    const ServiceManager manager([&asked] { return ++asked > 0; });
    EXPECT_EQ(next(), "READY=1");
    EXPECT_EQ(next(), "WATCHDOG=1");
    EXPECT_GT(asked, 0);
  }
  std::string last = next();
  while (last == "WATCHDOG=1") last = next();
  EXPECT_EQ(last, "STOPPING=1");
  asked = 0;
  {
    const ServiceManager hung([&asked] { return ++asked < 0; });
    while (asked < 2) std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  EXPECT_EQ(next(), "READY=1");
  EXPECT_EQ(next(), "STOPPING=1") << "no sign of life in between";
  ::setenv("WATCHDOG_PID", "1", 1);
  EXPECT_FALSE(ServiceManager::period().has_value());
  for (const char* name : {"NOTIFY_SOCKET", "WATCHDOG_USEC", "WATCHDOG_PID"}) ::unsetenv(name);
  ::close(socket);
  std::filesystem::remove(path);
}

}  // namespace
}  // namespace park::spark
