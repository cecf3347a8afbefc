// A session in a process of its own: it plays the same, its end is that of one session, and it has
// no rights but to read and to compute. This program is the process, too: with the words of kWords, and without
// the variables by which its tests are shared out.
#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <functional>
#include <memory>
#include <new>
#include <string>
#include <thread>
#include <vector>

#include "bridge/codec/failure.h"
#include "bridge/codec/rows.h"
#include "bridge/isolation/isolated_service.h"
#include "bridge/isolation/sandbox.h"
#include "bridge/server/stream_service.h"
#include "park/core/env.h"
#include "park/core/thread_bytes.h"
#include "park/envs/envs.h"
#include "tests/kit/memory.h"

namespace park::bridge {
namespace isolation_test {

constexpr std::uint64_t kMostBytes = std::uint64_t{1} << 20, kMemory = std::uint64_t{512} << 20;
const std::vector<std::string> kWords{"bridge_test", "--gtest_brief=1",
                                      "--gtest_also_run_disabled_tests",
                                      "--gtest_filter=SessionProcess.DISABLED_Serves"};

enum Whim : std::int32_t { moves, crashes, fills, hangs, throws, ends };

/// Does what its action says.
class Whimsical final : public Env {
 public:
  static Spec spec() {
    Spec s{.name = "whimsical", .summary = "for tests", .reference = "none"};
    s.observation.leaves = {{.name = "moves", .low = 0, .high = 1e9, .doc = "so far"}};
    s.action.leaves = {
        {.name = "whim", .dtype = DType::i32, .low = moves, .high = ends, .doc = "what"}};
    s.metrics = {{"moves", "1", true, "of an episode"}};
    return s;
  }
  void reset(const Episode&, Row row) override { row.scalar(moves_) = 0; }
  Outcome step(ConstRow action, Row row) override {
    switch (action.scalar(whim_)) {
      case crashes:
        std::signal(SIGSEGV, SIG_DFL);  // a sanitizer would report it
        static_cast<void>(raise(SIGSEGV));
        break;
      case fills:
        for (;;) filled_.push_back(std::make_unique<char[]>(std::size_t{64} << 20));
      case hangs:
        for (;;) std::this_thread::sleep_for(std::chrono::seconds(1));
      case throws:
        throw Error(Errc::capacity, "it is full");
      case ends:
        std::_Exit(7);
      default:
        row.scalar(moves_) = ++count_;
    }
    return {0, 1, End::none};
  }
  void metrics(std::span<double> out) const override { out[0] = static_cast<double>(count_); }

 private:
  Field<std::int32_t> whim_ = Batch(spec().action).field<std::int32_t>("whim");
  Field<float> moves_ = Batch(spec().observation).field<float>("moves");
  float count_ = 0;
  std::vector<std::unique_ptr<char[]>> filled_;
};

Registry environments() {
  Registry registry;
  envs::register_all(registry);
  registry.add_env(Whimsical::spec(), [] { return std::make_unique<Whimsical>(); });
  return registry;
}

TEST(SessionProcess, DISABLED_Serves) {
  if (fcntl(kSessionSocket, F_GETFD) < 0) GTEST_SKIP() << "it is for IsolatedService to start";
  set_thread_bytes(&park::test::allocated_by_thread);
  const Registry registry = environments();
  StreamService service(registry, {.env = ""});
  enter_sandbox(kMemory);
  serve_session(kSessionSocket, service, kMostBytes);
}

/// A client of a service.
class Client {
 public:
  explicit Client(std::unique_ptr<Service> service) : service_(std::move(service)) {}

  wire::Envelope::Reader handle() {
    service_->handle(reader_.read(request_.finish()), reply_.begin());
    return answer_.read(reply_.finish());
  }
  std::uint32_t open(const std::string& env, std::uint32_t slots = 1) {
    auto to = request_.begin().initOpenStream();
    to.setEnv(env);
    to.setSlots(slots);
    auto episodes = to.initEpisodes(slots);
    for (std::uint32_t i = 0; i < slots; ++i) episodes[i].setNumber(i);
    return handle().getStreamOpened().getStream();
  }
  float step(std::uint32_t stream, Whim whim) {
    Batch action(Whimsical::spec().action), observation(Whimsical::spec().observation);
    action.resize(1);
    action.row(0).scalar(action.field<std::int32_t>("whim")) = whim;
    auto to = request_.begin().initStep();
    to.setStream(stream);
    write(action, to.initActions());
    read(handle().getDecisions().getObservation(), 1, observation);
    return observation.row(0).scalar(observation.field<float>("moves"));
  }
  /// The failure of a step: its code and its text.
  std::pair<Code, std::string> failure(std::uint32_t stream, Whim whim) {
    try {
      step(stream, whim);
    } catch (const Failed& failed) {
      return {failed.code(), failed.what()};
    }
    return {Code::INTERNAL, "nothing failed"};
  }
  [[nodiscard]] Service& service() { return *service_; }
  [[nodiscard]] std::vector<std::byte> opened(const std::string& env, std::uint32_t slots) {
    open(env, slots);
    const auto bytes = reply_.finish();
    return {bytes.begin(), bytes.end()};
  }

 private:
  std::unique_ptr<Service> service_;
  EnvelopeWriter request_, reply_;
  EnvelopeReader reader_, answer_;
};

Client isolated(std::chrono::milliseconds longest = std::chrono::seconds(60)) {
  for (const char* const of_this : {"GTEST_TOTAL_SHARDS", "GTEST_SHARD_INDEX"}) unsetenv(of_this);
  return Client(std::make_unique<IsolatedService>(
      IsolationOptions{.words = kWords, .most_bytes = kMostBytes, .longest = longest}));
}

TEST(IsolatedService, AnswersAsTheServiceItself) {
  const Registry registry = environments();
  Client near(std::make_unique<StreamService>(registry, StreamServiceOptions{}));
  Client far = isolated();
  for (const std::uint32_t slots : {1u, 100u})
    EXPECT_EQ(near.opened("load_balance(servers=5)", slots),
              far.opened("load_balance(servers=5)", slots));
  EXPECT_TRUE(far.service().may_wait()) << "never on the thread that serves everybody";
}

TEST(IsolatedService, FailuresAreThoseOfTheService) {
  Client client = isolated();
  EXPECT_THROW(client.open("nonsense"), Error);
  try {
    client.open("load_balance(servers=0)");
    ADD_FAILURE();
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), Errc::invalid_config);
    EXPECT_STREQ(error.what(), "servers = 0 is outside [1, 4096]");
  }
  const std::uint32_t stream = client.open("whimsical");
  EXPECT_EQ(client.step(stream, moves), 1);
  EXPECT_THROW(client.step(stream, throws), Error);
  EXPECT_EQ(client.failure(stream, moves).first, Code::UNKNOWN_NAME);
  EXPECT_EQ(client.failure(99, moves).second, "stream: there is no number 99");
}

TEST(IsolatedService, AReplyThatIsTooLargeHasNoEffect) {
  Client client = isolated();
  try {
    client.open("load_balance(servers=4096)", 100);
    ADD_FAILURE();
  } catch (const Failed& failed) {
    EXPECT_EQ(failed.code(), Code::TOO_MUCH);
    EXPECT_NE(std::string(failed.what()).find("; no stream is open"), std::string::npos)
        << failed.what();
  }
  EXPECT_EQ(client.failure(1, moves).second, "stream: there is no number 1");
  EXPECT_EQ(client.open("whimsical"), 2u);
  EXPECT_EQ(client.service().retract(), "; no stream is open") << "of the last request";
  EXPECT_EQ(client.failure(2, moves).second, "stream: there is no number 2");
}

TEST(IsolatedService, ACrashEndsOneSession) {
  Client a = isolated(), b = isolated();
  const std::uint32_t of_a = a.open("whimsical"), of_b = b.open("whimsical");
  EXPECT_EQ(b.step(of_b, moves), 1);
  const auto [code, text] = a.failure(of_a, crashes);
  EXPECT_EQ(code, Code::ENVIRONMENT_FAILED);
  EXPECT_NE(text.find("was ended by signal 11"), std::string::npos) << text;
  EXPECT_EQ(a.failure(of_a, moves).second, text) << "and it stays so";
  EXPECT_EQ(b.step(of_b, moves), 2);
}

TEST(IsolatedService, TellsWhatItsProcessHasAllocated) {
  Client client = isolated();
  const std::uint32_t whimsical = client.open("whimsical");
  const std::uint64_t before = client.service().bytes_elsewhere();
  const std::uint32_t kSlots = 20;
  client.open("load_balance(servers=200)", kSlots);
  EXPECT_GT(client.service().bytes_elsewhere(), before + kSlots * std::uint64_t{1000});
  static_cast<void>(client.failure(whimsical, ends));
  EXPECT_EQ(client.service().bytes_elsewhere(), 0u);
}

TEST(IsolatedService, TheEndOfItsProcessIsTold) {
  Client client = isolated();
  const auto [code, text] = client.failure(client.open("whimsical"), ends);
  EXPECT_EQ(code, Code::ENVIRONMENT_FAILED);
  EXPECT_NE(text.find("ended with code 7"), std::string::npos) << text;
}

TEST(IsolatedService, NobodyWaitsForOneThatHangs) {
  Client client = isolated(std::chrono::milliseconds(1500));
  const std::uint32_t stream = client.open("whimsical");
  const auto begin = std::chrono::steady_clock::now();
  const auto [code, text] = client.failure(stream, hangs);
  EXPECT_EQ(code, Code::ENVIRONMENT_FAILED);
  EXPECT_NE(text.find("took longer than 1500 ms"), std::string::npos) << text;
  EXPECT_LT(std::chrono::steady_clock::now() - begin, std::chrono::seconds(20));
}

// Sanitizers reserve more than any limit.
#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
TEST(IsolatedService, ItsMemoryIsLimited) {
  Client client = isolated();
  const auto [code, text] = client.failure(client.open("whimsical"), fills);
  EXPECT_EQ(code, Code::TOO_MUCH);
  EXPECT_EQ(text, "memory: this session has no more");
  EXPECT_EQ(client.step(client.open("whimsical"), moves), 1) << "what was taken is free again";
}
#endif

/// Whether a call is refused in a sandbox; every other end is a failure.
bool is_refused(const std::function<bool()>& call) {
  constexpr int kRefused = 3, kDone = 4;
  const pid_t child = fork();
  if (child == 0) {
    enter_sandbox(kMemory);
    errno = 0;
    const bool done = call();
    std::_Exit(done ? kDone : errno == EPERM ? kRefused : 0);
  }
  int status = 0;
  EXPECT_EQ(waitpid(child, &status, 0), child);
  EXPECT_TRUE(WIFEXITED(status)) << status;
  EXPECT_TRUE(WEXITSTATUS(status) == kRefused || WEXITSTATUS(status) == kDone) << status;
  return WEXITSTATUS(status) == kRefused;
}

TEST(Sandbox, RefusesAllButReadingAndComputing) {
  const pid_t parent = getpid();
  EXPECT_TRUE(is_refused([] { return socket(AF_INET, SOCK_STREAM, 0) >= 0; }));
  EXPECT_TRUE(is_refused([] { return socket(AF_UNIX, SOCK_STREAM, 0) >= 0; }));
  EXPECT_TRUE(is_refused([] { return open("/dev/null", O_WRONLY) >= 0; }));
  EXPECT_TRUE(is_refused([] { return open("/tmp/park-sandbox", O_RDONLY | O_CREAT, 0600) >= 0; }));
  EXPECT_TRUE(is_refused([] { return unlink("/tmp/park-sandbox") == 0; }));
  EXPECT_TRUE(is_refused([] { return fork() >= 0; }));
  EXPECT_TRUE(is_refused([] { return execl("/bin/true", "true", nullptr) == 0; }));
  EXPECT_TRUE(is_refused([&] { return kill(parent, 0) == 0; }));
  EXPECT_TRUE(is_refused([] { return setuid(0) == 0; }));
  EXPECT_TRUE(is_refused([] {
    const rlimit all{RLIM_INFINITY, RLIM_INFINITY};
    return setrlimit(RLIMIT_AS, &all) == 0;
  }));
}

TEST(Sandbox, LeavesReadingAndThreads) {
  EXPECT_FALSE(is_refused([] { return open("/dev/null", O_RDONLY) >= 0; }));
  EXPECT_FALSE(is_refused([] {
    return std::filesystem::directory_iterator("/") != std::filesystem::directory_iterator();
  }));
  EXPECT_FALSE(is_refused([] {
    bool ran = false;
    std::thread([&ran] { ran = true; }).join();
    return ran;
  }));
}

}  // namespace isolation_test
}  // namespace park::bridge
