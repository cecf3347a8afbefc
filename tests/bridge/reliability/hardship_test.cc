// Bad connections, many clients, slow ones, strangers: trajectories stay as they are, and a server
// serves everybody else.
#include <arpa/inet.h>
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <csignal>
#include <ctime>
#include <filesystem>
#include <fstream>
#include <functional>
#include <future>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "bridge/client/remote_stream.h"
#include "bridge/client/remotes.h"
#include "bridge/codec/failure.h"
#include "bridge/codec/rows.h"
#include "bridge/transport/zmq_channel.h"
#include "park/core/policy.h"
#include "park/core/rng.h"
#include "park/envs/envs.h"
#include "tests/bridge/in_time.h"
#include "tests/bridge/playing.h"
#include "tests/bridge/reliability/processes.h"
#include "tests/bridge/serving.h"
#include "tests/bridge/tools/conformance_client.h"
#include "tests/bridge/tools/faults.h"
#include "tests/bridge/tools/vectors.h"

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
extern "C" std::size_t __sanitizer_get_current_allocated_bytes();  // its header is not there
#endif

namespace park::bridge {
namespace hardship_test {

using namespace std::chrono_literals;
using std::chrono::steady_clock;
namespace fs = std::filesystem;

class HardshipTest : public ::testing::Test {
 protected:
  HardshipTest() {
    envs::register_all(registry_);
    register_all(registry_);
  }

  /// What some episodes deliver, byte by byte.
  std::string played(const std::string& env, const std::string& policy_text) {
    const RandomEpisodes episodes(Rng(3), {.count = 6});
    const auto stream = registry_.stream(env, episodes, {.slots = 3});
    const auto policy = registry_.policy(policy_text, stream->spec());
    return test::digest(*stream, *policy);
  }
  static std::string remote(const std::string& endpoint, const std::string& more = "") {
    return "remote(endpoint=\"" + endpoint + "\"" + more + ")";
  }

  Registry registry_;
  test::Folder folder_;
};

constexpr const char* kEnv = "load_balance(servers=3,jobs=60)";

TEST_F(HardshipTest, BadWeatherChangesNoTrajectory) {
  const auto expected = played(kEnv, "shortest_queue");
  const test::Serving environments(registry_, "tcp://127.0.0.1:*", kEnv);
  const test::ServingPolicy policies(registry_, "tcp://127.0.0.1:*", "shortest_queue");
  const test::Weather bad{.lost = 0.02, .doubled = 0.1, .most_delay = 10ms};
  const test::Relaying first("tcp://127.0.0.1:*", environments.endpoint(),
                             test::bad_weather(bad, 1));
  const test::Relaying second("tcp://127.0.0.1:*", policies.endpoint(), test::bad_weather(bad, 2));
  EXPECT_TRUE(played(remote(first.endpoint()), remote(second.endpoint())) == expected);
  EXPECT_EQ(test::rollout(first.endpoint(), kEnv), test::rollout(environments.endpoint(), kEnv));
}

/// Interrupts the calls of every thread of this process, which goes on.
class Signals {
 public:
  Signals() {
    struct sigaction nothing {};
    nothing.sa_handler = [](int) {};
    sigaction(SIGUSR1, &nothing, &before_);
    thread_ = std::jthread([](const std::stop_token& stop) {
      while (!stop.stop_requested()) {
        interrupt_each_thread();
        std::this_thread::sleep_for(50us);
      }
    });
  }
  ~Signals() {
    thread_.request_stop();
    thread_.join();
    sigaction(SIGUSR1, &before_, nullptr);
  }
  Signals(const Signals&) = delete;
  Signals& operator=(const Signals&) = delete;

 private:
  static void interrupt_each_thread() {
    for (const auto& thread : fs::directory_iterator("/proc/self/task"))
      syscall(SYS_tgkill, getpid(), std::stoi(thread.path().filename()), SIGUSR1);
  }
  struct sigaction before_ {};
  std::jthread thread_;
};

TEST_F(HardshipTest, SignalsAreNoErrors) {
  const auto expected = played(kEnv, "shortest_queue");
  const Signals signals;
  const test::Serving environments(registry_, "tcp://127.0.0.1:*", kEnv);
  const test::ServingPolicy policies(registry_, "tcp://127.0.0.1:*", "shortest_queue");
  for (int i = 0; i < 30; ++i)
    EXPECT_TRUE(played(remote(environments.endpoint()), remote(policies.endpoint())) == expected);
}

TEST_F(HardshipTest, ARestartInMidEpisodeIsToldAtOnce) {
  std::optional<test::ServerProcess> server(
      std::in_place, folder_, std::vector<std::string>{kEnv, "--endpoint", folder_.ipc()});
  const RandomEpisodes episodes(Rng(3), {.count = 1});
  const auto stream = registry_.stream(remote(server->endpoint()), episodes);
  Batch actions(stream->spec().action);
  actions.resize(1);
  for (int i = 0; i < 5; ++i) {
    static_cast<void>(stream->recv());
    stream->send(actions);
  }
  static_cast<void>(stream->recv());
  server->signal(SIGKILL);
  server.reset();
  server.emplace(folder_, std::vector<std::string>{kEnv, "--endpoint", folder_.ipc()});
  const auto begin = steady_clock::now();
  try {
    stream->send(actions);
    static_cast<void>(stream->recv());
    ADD_FAILURE() << "an episode went on in a server that never began it";
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), Errc::unavailable);
    EXPECT_NE(std::string(error.what()).find("session"), std::string::npos) << error.what();
  }
  EXPECT_LT(steady_clock::now() - begin, 20s);  // long before the 60 s that a reply may take
}

TEST_F(HardshipTest, AServerThatStoodStillGoesOnWhereItWas) {
  constexpr int kLease = 60;
  const test::ServerProcess server(folder_, {kEnv, "--endpoint", folder_.ipc()}, kLease);
  const RandomEpisodes episodes(Rng(3), {.count = 6});
  const StreamOptions options{.slots = 3};
  const auto here = registry_.stream(kEnv, episodes, options);
  const auto there = registry_.stream(remote(server.endpoint()), episodes, options);
  RandomPolicy policy(here->spec());
  const std::string expected = test::digest(*here, policy);
  test::Playing playing(*there, policy);
  for (int i = 0; i < 20; ++i) ASSERT_TRUE(playing.step());
  server.signal(SIGSTOP);
  const auto begin = steady_clock::now();
  const std::jthread wake([&] {
    std::this_thread::sleep_for(1s);
    server.wake();
  });
  ASSERT_TRUE(playing.step());  // receives what was sent before
  ASSERT_TRUE(playing.step());
  EXPECT_GE(steady_clock::now() - begin, 1s) << "it was not stopped";
  while (playing.step()) {
  }
  EXPECT_TRUE(playing.digest() == expected);
}

/// So many descriptors as it takes, as far as the system allows.
bool allow_descriptors(rlim_t wanted) {
  rlimit limit{};
  getrlimit(RLIMIT_NOFILE, &limit);
  limit.rlim_cur = std::min(std::max(limit.rlim_cur, wanted), limit.rlim_max);
  return setrlimit(RLIMIT_NOFILE, &limit) == 0 && limit.rlim_cur >= wanted;
}

TEST_F(HardshipTest, AThousandClientsAtOnce) {
  constexpr int kClients = 1000;
  if (!allow_descriptors(8 * kClients)) GTEST_SKIP() << "the system allows too few descriptors";
  test::ServerProcess server(folder_, {kEnv, "--endpoint", "tcp://127.0.0.1:*"}, 60);
  zmq::context_t context;
  context.set(zmq::ctxopt::max_sockets, 8 * kClients);
  std::vector<std::unique_ptr<ZmqChannel>> channels;
  std::vector<std::unique_ptr<ClientSession>> sessions;
  for (int i = 0; i < kClients; ++i) {
    channels.push_back(
        std::make_unique<ZmqChannel>(context, Address{.endpoint = server.endpoint()}));
    sessions.push_back(std::make_unique<ClientSession>(*channels.back(), ClientOptions{}));
    sessions.back()->open(steady_clock::now() + 20s);
  }
  std::vector<std::uint64_t> asked;
  for (auto& session : sessions)
    asked.push_back(session->send(60s, [](wire::Envelope::Builder e) {
      e.initOpenStream().initEpisodes(1)[0].initEpisode().setInputs(1);
    }));
  std::vector<std::uint32_t> streams;
  for (std::size_t i = 0; i < sessions.size(); ++i)
    streams.push_back(
        sessions[i]->wait(asked[i], steady_clock::now() + 60s).getStreamOpened().getStream());
  Batch actions(registry_.spec(kEnv).action);
  actions.resize(1);
  for (std::size_t i = 0; i < sessions.size(); ++i)
    asked[i] = sessions[i]->send(60s, [&](wire::Envelope::Builder e) {
      e.initStep().setStream(streams[i]);
      write(actions, e.getStep().initActions());
    });
  for (std::size_t i = 0; i < sessions.size(); ++i) {
    const auto reply = sessions[i]->wait(asked[i], steady_clock::now() + 60s);
    ASSERT_TRUE(reply.isDecisions());
    EXPECT_EQ(reply.getDecisions().getAsked(), 1u);
  }
  for (auto& session : sessions) session->close();
  sessions.clear();
  channels.clear();
  const cli::Finished done = server.end();
  EXPECT_EQ(done.code, 0) << done.err;
  EXPECT_NE(done.out.find("1000 sessions"), std::string::npos) << done.out;
}

/// Answers steps; one of stream 1 lasts until it is let go.
class Slow final : public Service {
 public:
  struct Gate {
    std::promise<void> begun, let_go;
  };
  explicit Slow(Gate& gate) : gate_(gate) {}
  void handle(wire::Envelope::Reader request, wire::Envelope::Builder reply) override {
    if (request.isStep() && request.getStep().getStream() == 1) {
      gate_.begun.set_value();
      gate_.let_go.get_future().wait_for(30s);
    }
    reply.initDecisions();
  }

 private:
  Gate& gate_;
};

/// A session with a socket of its own.
struct Client {
  Client(zmq::context_t& context, const std::string& endpoint)
      : channel(context, {.endpoint = endpoint}), session(channel, {}) {
    session.open(steady_clock::now() + 20s);
  }
  void step_once() { EXPECT_TRUE(session.call(steady_clock::now() + 20s, step(0)).isDecisions()); }
  static ClientSession::Fill step(std::uint32_t stream) {
    return [stream](wire::Envelope::Builder e) { e.initStep().setStream(stream); };
  }

  ZmqChannel channel;
  ClientSession session;
};

TEST_F(HardshipTest, FastClientsDoNotWaitForASlowOne) {
  Slow::Gate gate;
  const test::OnThread<Server> server(ServerOptions{.endpoint = folder_.ipc(), .limits = {}},
                                      [&] { return std::make_unique<Slow>(gate); });
  zmq::context_t context;
  Client slow(context, server.endpoint()), fast(context, server.endpoint());
  for (int i = 0; i < 200; ++i) {  // both are known to be fast
    slow.step_once();
    fast.step_once();
  }
  const std::uint64_t late = slow.session.send(60s, Client::step(1));
  gate.begun.get_future().wait();
  for (int i = 0; i < 200; ++i) fast.step_once();
  Client newcomer(context, server.endpoint());
  newcomer.step_once();
  gate.let_go.set_value();
  EXPECT_TRUE(slow.session.wait(late, steady_clock::now() + 20s).isDecisions());
}

std::size_t descriptors(const std::string& process) {
  std::size_t n = 0;
  for ([[maybe_unused]] const auto& entry : fs::directory_iterator("/proc/" + process + "/fd")) ++n;
  return n;
}

double resident_mb(const std::string& process) {
  std::ifstream file("/proc/" + process + "/statm");
  double all = 0, resident = 0;
  file >> all >> resident;
  return resident * static_cast<double>(sysconf(_SC_PAGESIZE)) / 1e6;
}

/// Memory that this process holds. Sanitizers keep freed memory for a while, so that
/// it counts what is allocated instead.
double held_mb() {
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
  return static_cast<double>(__sanitizer_get_current_allocated_bytes()) / 1e6;
#else
  return resident_mb("self");
#endif
}

/// What a million steps leave behind in the process that has both sides.
class MemoryTest : public HardshipTest {
 protected:
  static constexpr std::uint64_t kJobs = 1000;

  /// Plays so many episodes in so many slots, over a session of its own.
  std::uint64_t steps_of(std::uint32_t slots, std::uint64_t episodes) {
    const RandomEpisodes some(Rng(3), {.count = episodes});
    const auto stream = registry_.stream(remote(server_.endpoint()), some, {.slots = slots});
    RandomPolicy policy(stream->spec());
    std::uint64_t steps = 0;
    play(*stream, policy, Rng(1),
         [&](const Decisions& d, const Batch&) { steps += d.asked.size(); });
    return steps;
  }
  /// A million steps, after some that give everything its size.
  void grows_less(std::uint32_t slots, double most_mb) {
    for (int i = 0; i < 3; ++i) steps_of(slots, slots);
    const std::size_t files = descriptors("self");
    const double before_mb = held_mb();
    EXPECT_EQ(steps_of(slots, 1024), 1024 * kJobs);
    std::this_thread::sleep_for(300ms);  // connections close
    EXPECT_LE(descriptors("self"), files + 2);
    EXPECT_LT(held_mb(), before_mb + most_mb);
  }

  test::Serving server_{registry_, folder_.ipc(),
                        "load_balance(jobs=" + std::to_string(kJobs) + ")"};
};

TEST_F(MemoryTest, IsFlatOverAMillionStepsInFewMessages) { grows_less(256, 8); }

using MemoryTestLong = MemoryTest;
TEST_F(MemoryTestLong, IsFlatOverAMillionStepsInManyMessages) { grows_less(8, 2); }

TEST_F(MemoryTestLong, IsFlatOverManySessions) {
  for (int i = 0; i < 10; ++i) steps_of(1, 1);
  const std::size_t files = descriptors("self");
  const double before_mb = held_mb();
  for (int i = 0; i < 50; ++i) steps_of(1, 1);
  std::this_thread::sleep_for(300ms);  // connections close
  EXPECT_LE(descriptors("self"), files + 2);
  EXPECT_LT(held_mb(), before_mb + 8);
}

/// A connection to a port.
int dial(const std::string& endpoint) {
  const std::string text = endpoint.substr(endpoint.rfind(':') + 1);
  const int fd = socket(AF_INET, SOCK_STREAM, 0);
  sockaddr_in to{};
  to.sin_family = AF_INET;
  to.sin_port = htons(static_cast<std::uint16_t>(std::stoi(text)));
  to.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  EXPECT_EQ(connect(fd, reinterpret_cast<const sockaddr*>(&to), sizeof to), 0);
  return fd;
}

/// Bytes to a port, as they are, and a moment for the server to read them.
void shout(const std::string& endpoint, std::string_view bytes) {
  const int fd = dial(endpoint);
  EXPECT_GE(send(fd, bytes.data(), bytes.size(), MSG_NOSIGNAL), 0);
  std::this_thread::sleep_for(1ms);
  close(fd);
}

/// Seconds of the processor that a process has used.
double work_of(pid_t process) {
  clockid_t clock{};
  timespec used{};
  EXPECT_EQ(clock_getcpuclockid(process, &clock), 0);
  EXPECT_EQ(clock_gettime(clock, &used), 0);
  return static_cast<double>(used.tv_sec) + 1e-9 * static_cast<double>(used.tv_nsec);
}

TEST_F(HardshipTest, WithoutDescriptorsAServerClosesAndDoesNotSpin) {
  const test::ServerProcess server(folder_, {kEnv, "--endpoint", "tcp://127.0.0.1:*"}, 60);
  constexpr rlimit kFew{.rlim_cur = 40, .rlim_max = 40};
  ASSERT_EQ(prlimit(server.pid(), RLIMIT_NOFILE, &kFew, nullptr), 0);
  std::vector<int> strangers;
  for (int i = 0; i < 60; ++i) strangers.push_back(dial(server.endpoint()));
  EXPECT_TRUE(test::in_time([&] {
    const double before = work_of(server.pid());
    std::this_thread::sleep_for(1s);
    return work_of(server.pid()) - before < 0.1;
  }));
  int spare = 0;
  for (int fd = 32; fd < 40; ++fd)
    spare += fs::exists(fs::symlink_status("/proc/" + std::to_string(server.pid()) + "/fd/" +
                                           std::to_string(fd)))
                 ? 0
                 : 1;
  EXPECT_GE(spare, 7) << "one is reserved, the others are left for files";
  for (const int fd : strangers) close(fd);
  EXPECT_NE(test::rollout(server.endpoint(), kEnv), "") << "there is room again";
}

TEST_F(HardshipTest, StrangersOnThePortAreNoHarm) {
  test::Serving server(registry_, "tcp://127.0.0.1:*", kEnv);
  Rng rng(1);
  for (int i = 0; i < 100; ++i) {
    shout(server.endpoint(), "GET / HTTP/1.1\r\nHost: localhost\r\n\r\n");
    std::string junk(rng.below(4096), ' ');
    for (char& c : junk) c = static_cast<char>(rng.below(256));
    shout(server.endpoint(), junk);
  }
  EXPECT_EQ(test::scenario(server.endpoint(), kEnv), "done 60");
  EXPECT_EQ(server.ended().counts().malformed, 0u);  // nothing of it came through as a message
}

TEST_F(HardshipTest, HostileMessagesAreAnsweredOrCounted) {
  test::Serving server(registry_, "tcp://127.0.0.1:*", kEnv);
  zmq::context_t context;
  zmq::socket_t socket(context, zmq::socket_type::dealer);
  socket.set(zmq::sockopt::linger, 0);
  socket.connect(server.endpoint());
  const auto send = [&](std::span<const std::byte> first, std::span<const std::byte> second) {
    socket.send(zmq::buffer(first.data(), first.size()), zmq::send_flags::sndmore);
    socket.send(zmq::buffer(second.data(), second.size()), zmq::send_flags::none);
  };
  const auto good = preamble();
  for (const auto& [name, bytes] : test::vectors()) {
    send(good, bytes);
    send(bytes, good);
  }
  auto other = preamble();
  other[3] = std::byte{9};
  send(other, {});
  for (int i = 0; i < 10; ++i) socket.send(zmq::message_t(8), zmq::send_flags::sndmore);
  socket.send(zmq::message_t(0), zmq::send_flags::none);
  const Bytes large(std::size_t{65} << 20);  // ZeroMQ ends the connection
  send(good, large);
  EXPECT_EQ(test::scenario(server.endpoint(), kEnv), "done 60");
  EXPECT_GT(server.ended().counts().malformed, 10u);
}

bool happens(const std::function<bool()>& what) {
  const auto latest = steady_clock::now() + 10s;
  while (!what() && steady_clock::now() < latest) std::this_thread::sleep_for(10ms);
  return what();
}

TEST_F(HardshipTest, AServerMayEndWithTheProcessThatStartedIt) {
  const std::string served = "load_balance(servers=3,jobs=47)";
  const pid_t parent = fork();
  if (parent == 0) {
    const cli::Subprocess server({"serve", served, "--with-parent", "--endpoint", folder_.ipc(),
                                  "--endpoint-file", folder_.file("endpoint")});
    pause();
  }
  ASSERT_TRUE(happens([&] { return fs::exists(folder_.file("endpoint")); }));
  EXPECT_EQ(test::scenario(folder_.ipc(), served), "done 47");
  kill(parent, SIGKILL);
  waitpid(parent, nullptr, 0);
  EXPECT_TRUE(happens([&] { return test::scenario(folder_.ipc(), served) == "late"; }));
}

TEST_F(HardshipTest, AServerStaysWhereOnlyTheThreadThatStartedItEnds) {
  std::optional<cli::Subprocess> server;
  std::thread([&] {
    server.emplace(std::vector<std::string>{"serve", kEnv, "--with-parent", "--endpoint",
                                            folder_.ipc(), "--endpoint-file",
                                            folder_.file("endpoint")});
    ASSERT_TRUE(happens([&] { return fs::exists(folder_.file("endpoint")); }));
  }).join();
  EXPECT_EQ(server->finish(1).code, -SIGKILL) << "it ended by itself";
}

TEST_F(HardshipTest, AnInterruptEndsAWait) {
  const test::Serving serving(registry_, "tcp://127.0.0.1:*", kEnv);
  std::atomic<bool> asked{false};
  const test::Relaying mute("tcp://127.0.0.1:*", serving.endpoint(),
                            [&](std::size_t, test::Way, wire::Envelope::Reader e,
                                std::span<const std::byte> bytes, test::Post& post) {
                              if (!e.isStep()) return post.on(bytes);
                              asked = true;
                            });
  cli::Subprocess client({"run", remote(mute.endpoint()), "--policy", "random"});
  ASSERT_TRUE(happens([&] { return asked.load(); }));
  client.signal(SIGINT);
  const cli::Finished done = client.finish(3);  // docs/conformance.md; kills it afterwards
  EXPECT_EQ(done.code, 130) << done.err;
}

TEST_F(HardshipTest, WhatIsTooLargeIsToldEitherWay) {
  Limits small;
  small.most_bytes = 20'000;
  const test::Serving server(registry_, folder_.ipc(), "load_balance(jobs=5)", small);
  const RandomEpisodes episodes(Rng(3), {.count = 2000});
  const auto opened = [&](std::uint32_t slots) {
    return registry_.stream(remote(server.endpoint()), episodes, {.slots = slots});
  };
  const auto failure = [&](std::uint32_t slots) -> std::string {
    try {
      static_cast<void>(opened(slots));
    } catch (const Error& error) {
      return error.what();
    }
    return "";
  };
  EXPECT_EQ(failure(10), "");
  EXPECT_NE(failure(100).find("the reply has"), std::string::npos) << failure(100);
  EXPECT_NE(failure(1000).find("the server allows 20000"), std::string::npos) << failure(1000);
}

}  // namespace hardship_test
}  // namespace park::bridge
