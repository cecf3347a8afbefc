// Many clients, and clients that do not read.
#include <sys/resource.h>

#include <thread>

#include "bridge/codec/failure.h"
#include "tests/siege/attack.h"

namespace park::siege {
namespace {

constexpr milliseconds kPatience{120'000};

/// So many descriptors as it takes, as far as the system allows.
bool allow_own_descriptors(rlim_t wanted) {
  rlimit limit{};
  getrlimit(RLIMIT_NOFILE, &limit);
  limit.rlim_cur = std::min(std::max(limit.rlim_cur, wanted), limit.rlim_max);
  return setrlimit(RLIMIT_NOFILE, &limit) == 0 && limit.rlim_cur >= wanted;
}

void many_clients(Siege& siege) {
  const std::uint64_t clients = siege.count(200, 1000);
  if (!allow_own_descriptors(clients + 100))
    return siege.skip("the system allows too few descriptors");
  const Spec spec = registry().spec(kEnv);
  std::vector<std::unique_ptr<Talker>> talkers;
  std::vector<std::uint32_t> streams;
  for (std::uint64_t i = 0; i < clients; ++i) {
    talkers.push_back(std::make_unique<Talker>(siege.target.endpoint, kPatience));
    talkers.back()->open(siege.rng);
    streams.push_back(open_stream(*talkers.back(), kEnv, 1));
  }
  for (int round = 0; round < 5; ++round) {
    std::vector<std::uint64_t> sent;
    for (std::size_t i = 0; i < talkers.size(); ++i)
      sent.push_back(talkers[i]->send(step_of(streams[i], 1, spec)));
    for (std::size_t i = 0; i < talkers.size(); ++i)
      if (!talkers[i]->wait(sent[i]).isDecisions()) siege.broke("a step of many clients failed");
  }
  siege.did(clients);
}

/// Clients that ask for large replies and read none of them.
void deaf_readers(Siege& siege) {
  constexpr std::uint32_t kRows = 1024;
  constexpr int kSteps = 60;
  const std::string env = "load_balance(servers=20,jobs=5000)";
  const Spec spec = registry().spec(env);
  std::vector<std::unique_ptr<Talker>> deaf;
  for (std::uint64_t i = siege.count(10, 60); i > 0; --i) {
    deaf.push_back(std::make_unique<Talker>(siege.target.endpoint, milliseconds(1'000)));
    Talker& talker = *deaf.back();
    talker.connection().wire().receive_buffer(4096);
    try {
      talker.open(siege.rng);
      const std::uint32_t stream = open_stream(talker, env, kRows);
      for (int k = 0; k < kSteps; ++k)
        talker.post(envelope(talker.session(), talker.next++, step_of(stream, kRows, spec)));
    } catch (const Trouble&) {  // refused: there are places for so many bytes and no more
    }
    siege.did();
  }
  std::this_thread::sleep_for(std::chrono::seconds(2));
}

constexpr rlim_t kFewDescriptors = 40;

void few_descriptors() {
  const rlimit few{kFewDescriptors, kFewDescriptors};
  setrlimit(RLIMIT_NOFILE, &few);
}

/// More connections than the server has descriptors: it must not spin, and recover.
void no_descriptors(Siege& siege) {
  constexpr double kLook = 2;  // seconds
  constexpr double kMostShare = 0.2;
  std::vector<Wire> kept;
  for (std::uint64_t i = siege.count(60, 60); i > 0; --i) {
    kept.push_back(Wire::connect(siege.target.endpoint, Clock::now() + milliseconds(2'000)));
    kept.back().send(greeting(), Clock::now() + milliseconds(100));
    siege.did();
  }
  std::this_thread::sleep_for(milliseconds(500));
  const double before = cpu_s(siege.target.pid);
  std::this_thread::sleep_for(std::chrono::duration<double>(kLook));
  const double share = (cpu_s(siege.target.pid) - before) / kLook;
  if (share > kMostShare)
    siege.broke("the server computes " + std::to_string(static_cast<int>(100 * share)) +
                " % of the time while it has no descriptor");
  kept.clear();
  std::this_thread::sleep_for(milliseconds(500));
  Talker after(siege.target.endpoint);
  after.open(siege.rng);
}

/// Sessions that begin and end at once.
void hello_goodbye(Siege& siege) {
  Talker talker(siege.target.endpoint);
  for (std::uint64_t i = siege.count(2000, 20'000); i > 0; --i) {
    talker.open(siege.rng);
    talker.post(envelope(talker.session(), 0, [](auto e) { e.setGoodbye(); }));
    if (!talker.recv(talker.deadline())) throw Trouble("no farewell in time");
    siege.did();
  }
}

}  // namespace

void add_load_attack(Attacks& all) {
  using enum Attack::On;
  all.push_back({.name = "clients",
                 .about = "1000 clients that play at once",
                 .on = environments,
                 .one_client = false,
                 .run = many_clients});
  all.push_back({.name = "deaf-readers",
                 .about = "60 clients that ask for much and read nothing",
                 .on = environments,
                 .one_client = false,
                 .run = deaf_readers});
  all.push_back({.name = "descriptors",
                 .about = "60 connections to a server with 40 descriptors",
                 .one_client = false,
                 .canary = false,
                 .own = true,
                 .prepare = few_descriptors,
                 .run = no_descriptors});
  all.push_back({.name = "goodbyes",
                 .about = "20 000 sessions that begin and end at once",
                 .run = hello_goodbye});
}

}  // namespace park::siege
