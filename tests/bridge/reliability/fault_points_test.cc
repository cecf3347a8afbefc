// Around every message of the schema one side is killed or stopped: the other one goes on, no call
// outlives its deadline, and the next session works.
#include "tests/bridge/reliability/fault_points.h"

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <thread>

#include "park/envs/envs.h"
#include "tests/bridge/in_time.h"
#include "tests/bridge/reliability/processes.h"
#include "tests/bridge/serving.h"

namespace park::bridge {
namespace {

using namespace std::chrono_literals;
using std::chrono::steady_clock;
using test::FaultPoint;
using test::Moment;
using test::Way;

constexpr auto kTimeout = 400ms;
constexpr auto kSlack = 300ms;
constexpr auto kLongest = 8s;  // until a point is reached; the machine may be busy

enum class Side { client, server };

/// Strikes one side, once, at a fault point.
test::Fault striking(Side side, const FaultPoint& at, std::function<void()> strike,
                     std::atomic<bool>& done) {
  auto waiting = std::make_shared<std::optional<std::uint64_t>>();  // for this reply
  return [=, &done](std::size_t, Way way, wire::Envelope::Reader e,
                    std::span<const std::byte> bytes, test::Post& post) {
    const bool is_it = way == Way::to_server && test::kind_of(e) == at.kind && !done;
    if (is_it && at.moment == Moment::before_sending) {
      strike();
      done = true;
      if (side == Side::server) post.on(bytes);  // else nobody has sent it
      return;
    }
    if (is_it && at.moment == Moment::after_sending) {
      post.now(bytes);
      strike();
      done = true;
      return;
    }
    if (is_it) *waiting = e.getSequence();
    if (way == Way::to_client && *waiting == e.getSequence() && !done) {
      strike();
      done = true;
      return;  // the reply is lost with its sender
    }
    post.on(bytes);
  };
}

class FaultPointTest : public ::testing::TestWithParam<FaultPoint> {
 protected:
  FaultPointTest() { envs::register_all(registry_); }
  [[nodiscard]] bool policies() const { return test::is_of_policies(GetParam().kind); }
  /// Waits until it has happened.
  static bool happens(const std::atomic<bool>& what) {
    const auto latest = steady_clock::now() + kLongest;
    while (!what && steady_clock::now() < latest) std::this_thread::sleep_for(5ms);
    return what;
  }
  /// Strikes a server; the longest time that a call of its client took beyond the timeout.
  std::chrono::milliseconds server_struck();

  Registry registry_;
  test::Folder folder_;
};

std::chrono::milliseconds FaultPointTest::server_struck() {
  std::vector<std::string> words{"--endpoint", folder_.ipc()};
  if (policies()) words.insert(words.end(), {"--policy", "any"});
  std::optional<test::ServerProcess> server(std::in_place, folder_, words);
  std::atomic<bool> struck{false};
  const test::Relaying relaying(
      "tcp://127.0.0.1:*", server->endpoint(),
      striking(
          Side::server, GetParam(), [&] { server->signal(GetParam().signal); }, struck));
  std::chrono::milliseconds overrun{0};
  std::string trouble;
  try {
    test::whole_life(relaying.endpoint(), policies(), kTimeout, overrun);
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), Errc::unavailable) << error.what();
    trouble = error.what();
  }
  EXPECT_TRUE(happens(struck));
  const bool waits = GetParam().kind != "ping" && GetParam().kind != "goodbye";
  if (!waits || GetParam().moment != Moment::after_sending) {  // else the reply may be faster
    EXPECT_EQ(trouble.empty(), !waits) << trouble;
  }

  server.reset();
  server.emplace(folder_, words);  // takes the endpoint of the one that is gone
  EXPECT_NO_THROW(test::whole_life(relaying.endpoint(), policies(), 10s, overrun));
  EXPECT_EQ(server->end().code, 0);
  return overrun;
}

TEST_P(FaultPointTest, TheClientGoesOnWithoutItsServer) {
  EXPECT_TRUE(test::in_time([this] { return server_struck() <= kSlack; }));
}

/// A client in a process of its own that lives a whole life.
class ClientProcess {
 public:
  ClientProcess(const std::string& endpoint, bool policies) : pid_(fork()) {
    if (pid_ != 0) return;
    int code = 0;
    try {
      std::chrono::milliseconds overrun{0};  // of a process that is struck
      test::whole_life(endpoint, policies, 2s, overrun);
    } catch (const Error&) {
      code = 1;
    }
    _exit(code);
  }
  ~ClientProcess() {
    signal(SIGKILL);
    waitpid(pid_, nullptr, 0);
  }
  void signal(int number) const {
    kill(pid_, number);
    test::wait_for_standstill(pid_);
  }

 private:
  pid_t pid_;
};

TEST_P(FaultPointTest, TheServerGoesOnWithoutItsClient) {
  // The client is forked before there are threads, and told where to connect by a fixed path.
  const std::string front = "ipc://" + folder_.file("relay");
  const ClientProcess client(front, policies());
  Limits limits;
  limits.lease = 300ms;
  limits.heartbeat = 75ms;
  using Server = test::OnThread<Server>;
  std::unique_ptr<Server> serving;
  if (policies())
    serving = std::make_unique<test::ServingPolicy>(registry_, folder_.ipc(), "", limits);
  else
    serving = std::make_unique<test::Serving>(registry_, folder_.ipc(), "", limits);
  std::atomic<bool> struck{false};
  const test::Relaying relaying(
      front, serving->endpoint(),
      striking(
          Side::client, GetParam(), [&] { client.signal(GetParam().signal); }, struck));
  EXPECT_TRUE(happens(struck));
  std::chrono::milliseconds overrun{0};
  EXPECT_NO_THROW(test::whole_life(serving->endpoint(), policies(), 10s, overrun));  // meanwhile
  std::this_thread::sleep_for(600ms);
  const SessionCounts& counts = serving->ended().counts();
  EXPECT_GE(counts.opened, 1u);
  const bool said_goodbye =
      GetParam().kind == "goodbye" && GetParam().moment != Moment::before_sending;
  EXPECT_EQ(counts.expired, said_goodbye ? 0 : counts.opened - 1);
  EXPECT_EQ(counts.malformed, 0u);
}

INSTANTIATE_TEST_SUITE_P(Schema, FaultPointTest, ::testing::ValuesIn(test::fault_points()),
                         [](const auto& point) { return point.param.name(); });

}  // namespace
}  // namespace park::bridge
