// A step of load_balance over the bridge beside what carries it: the same bytes over raw ZeroMQ and
// over a bare Unix socket. For latencies both ends share one core, because the wake-ups between two
// would hide everything else; for rates each end has one of its own.
#include <benchmark/benchmark.h>
#include <sched.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdint>
#include <filesystem>
#include <string>
#include <thread>
#include <vector>
#include <zmq.hpp>

#include "bridge/client/remote_stream.h"
#include "bridge/codec/decisions.h"
#include "bridge/codec/rows.h"
#include "bridge/codec/wire_bytes.h"
#include "bridge/server/server.h"
#include "bridge/server/stream_service.h"
#include "bridge/transport/zmq_options.h"
#include "park/core/registry.h"
#include "park/envs/envs.h"

namespace {

using namespace park;
using namespace park::bridge;
using std::chrono::steady_clock;

constexpr const char* kEnv = "load_balance(jobs=1000000)";
constexpr std::size_t kFrame = kPreambleBytes;

/// The thread of the caller, and those that it starts, run on this core alone.
void pin(int core) {
  cpu_set_t cores;
  CPU_ZERO(&cores);
  CPU_SET(core, &cores);
  sched_setaffinity(0, sizeof cores, &cores);
}

class Folder {
 public:
  Folder() {
    char name[] = "/tmp/park-bench-XXXXXX";
    path_ = mkdtemp(name);
  }
  ~Folder() { std::filesystem::remove_all(path_); }
  [[nodiscard]] std::string ipc() const { return "ipc://" + (path_ / "socket").string(); }

 private:
  std::filesystem::path path_;
};

/// Times of round trips, as percentiles.
class Trips {
 public:
  explicit Trips(benchmark::State& state) : state_(state) { times_us_.reserve(1 << 20); }
  ~Trips() {
    if (times_us_.empty()) return;
    std::ranges::sort(times_us_);
    const auto at = [&](double part) {
      return times_us_[static_cast<std::size_t>(part * static_cast<double>(times_us_.size() - 1))];
    };
    state_.counters["p50_us"] = at(0.5);
    state_.counters["p99_us"] = at(0.99);
  }
  template <class Function>
  void time(Function&& function) {
    const auto begin = steady_clock::now();
    function();
    times_us_.push_back(
        std::chrono::duration<double, std::micro>(steady_clock::now() - begin).count());
  }

 private:
  benchmark::State& state_;
  std::vector<double> times_us_;
};

struct Environments {
  explicit Environments(std::uint32_t slots) : episodes(phase_rng(1, Phase::evaluate)) {
    envs::register_all(registry);
    registry.add_stream<RemoteEnv>();
    here = registry.stream(kEnv, episodes, {.slots = slots});
    static_cast<void>(here->recv());
  }
  Registry registry;
  RandomEpisodes episodes;
  std::unique_ptr<Stream> here;
};

/// What a step's request and reply have as second frames.
std::pair<std::size_t, std::size_t> sizes(std::uint32_t slots) {
  Environments all(slots);
  EnvelopeWriter writer;
  const SessionKey key{};
  Batch actions(all.here->spec().action);
  actions.resize(slots);
  auto request = writer.begin();
  request.setSession(as_data(key));
  write(actions, request.initStep().initActions());
  const std::size_t asked = writer.finish().size();
  all.here->send(actions);
  auto reply = writer.begin();
  reply.setSession(as_data(key));
  write(all.here->recv(), reply.initDecisions());
  return {asked, writer.finish().size()};
}

/// Actions of some rounds, in turn, which give each of the ten servers jobs by its rate (0.15, 0.25
/// ... 1.05). Under any that do not, queues grow without end, and their growth is measured.
std::vector<Batch> steady_actions(const Spec& spec, std::uint32_t slots) {
  std::vector<std::int32_t> by_rate;
  for (int server = 0; server < 10; ++server) by_rate.insert(by_rate.end(), 2 * server + 3, server);
  std::vector<Batch> rounds;
  for (std::size_t r = 0; r < by_rate.size(); ++r) {
    Batch& actions = rounds.emplace_back(spec.action);
    actions.resize(slots);
    const auto server = actions.field<std::int32_t>("server");
    constexpr std::size_t kApart = 47;  // shares no factor with the 120 places
    for (std::size_t i = 0; i < slots; ++i)
      actions.row(i).scalar(server) = by_rate[kApart * (r + i) % by_rate.size()];
  }
  return rounds;
}

/// A server, and remote streams of it, each with slots of its own, so many in each session.
class Remote {
 public:
  Remote(std::uint32_t slots, int server_core, int client_core, int sessions = 1,
         int streams_of_each = 1)
      : environments_(slots), actions_(steady_actions(environments_.here->spec(), slots)) {
    pin(server_core);
    server_ =
        std::make_unique<Server>(ServerOptions{.endpoint = folder_.ipc(), .limits = {}}, [this] {
          return std::make_unique<StreamService>(environments_.registry,
                                                 StreamServiceOptions{kEnv});
        });
    thread_ = std::jthread([this](const std::stop_token& stop) { server_->run(stop); });
    pin(client_core);
    for (int i = 0; i < sessions; ++i) {
      const auto connection = std::make_shared<Connection>(
          connect_options(Reach{.endpoint = folder_.ipc(), .key = "", .server_key = ""}));
      for (int k = 0; k < streams_of_each; ++k) {
        streams_.push_back(std::make_unique<RemoteStream>(connection, "", environments_.episodes,
                                                          StreamOptions{.slots = slots}));
        static_cast<void>(streams_.back()->recv());
      }
    }
    for (auto& stream : streams_) stream->send(next_actions());
  }
  ~Remote() {
    for (auto& stream : streams_) static_cast<void>(stream->recv());
  }
  /// A step of the stream whose turn it is; the others' are on their way.
  void step() {
    Stream& stream = *streams_[turn_++ % streams_.size()];
    benchmark::DoNotOptimize(&stream.recv());
    stream.send(next_actions());
  }

 private:
  const Batch& next_actions() { return actions_[round_++ % actions_.size()]; }

  Folder folder_;
  Environments environments_;
  std::vector<Batch> actions_;
  std::unique_ptr<Server> server_;
  std::jthread thread_;
  std::vector<std::unique_ptr<RemoteStream>> streams_;
  std::size_t turn_ = 0, round_ = 0;
};

void BM_Step(benchmark::State& state) {
  Remote remote(1, 0, 0);
  Trips trips(state);
  for (auto _ : state) trips.time([&] { remote.step(); });
  state.SetLabel("a step of one row; the aim: p50_us at most 1.3 of BM_RawZeroMQ's");
}
BENCHMARK(BM_Step)->UseRealTime();

void send_frames(zmq::socket_t& socket, std::string& first, std::string& second) {
  socket.send(zmq::buffer(first), zmq::send_flags::sndmore);
  socket.send(zmq::buffer(second), zmq::send_flags::none);
}

void receive_frames(zmq::socket_t& socket, zmq::message_t& part) {
  do {
    static_cast<void>(socket.recv(part));
  } while (part.more());
}

/// The same frames, which nobody reads or makes anew.
void BM_RawZeroMQ(benchmark::State& state) {
  pin(0);
  const Folder folder;
  const auto [asked, answered] = sizes(1);
  zmq::context_t here, there;
  zmq::socket_t server(there, zmq::socket_type::router), client(here, zmq::socket_type::dealer);
  set_options(server);
  set_options(client);
  server.bind(folder.ipc());
  std::string first(kFrame, 'x'), request(asked, 'x'), reply(answered, 'x');
  const std::jthread serving([&](const std::stop_token& stop) {
    zmq::message_t route, part;
    while (!stop.stop_requested()) {
      zmq::pollitem_t items[] = {{server.handle(), 0, ZMQ_POLLIN, 0}};
      poll(items, std::chrono::milliseconds(100));
      if ((items[0].revents & ZMQ_POLLIN) == 0) continue;
      static_cast<void>(server.recv(route));
      receive_frames(server, part);
      server.send(route, zmq::send_flags::sndmore);
      send_frames(server, first, reply);
    }
  });
  client.connect(folder.ipc());
  Trips trips(state);
  zmq::message_t part;
  for (auto _ : state)
    trips.time([&] {
      send_frames(client, first, request);
      receive_frames(client, part);
    });
  state.SetLabel("the same bytes over ZeroMQ alone");
}
BENCHMARK(BM_RawZeroMQ)->UseRealTime();

/// All of a size, or false at the end.
bool move_all(ssize_t (*move)(int, void*, std::size_t), int fd, std::string& bytes) {
  for (std::size_t done = 0; done < bytes.size();) {
    const ssize_t n = move(fd, bytes.data() + done, bytes.size() - done);
    if (n <= 0) return false;
    done += static_cast<std::size_t>(n);
  }
  return true;
}

ssize_t write_some(int fd, void* bytes, std::size_t n) { return write(fd, bytes, n); }

void BM_UnixSocket(benchmark::State& state) {
  pin(0);
  const auto [asked, answered] = sizes(1);
  std::array<int, 2> ends{};
  if (socketpair(AF_UNIX, SOCK_STREAM, 0, ends.data()) != 0)
    return state.SkipWithError("no socket");
  std::string request(kFrame + asked, 'x'), reply(kFrame + answered, 'x');
  {
    const std::jthread serving([&, request = request, reply = reply]() mutable {
      while (move_all(&read, ends[1], request) && move_all(&write_some, ends[1], reply)) {
      }
    });
    Trips trips(state);
    for (auto _ : state)
      trips.time([&] {
        static_cast<void>(move_all(&write_some, ends[0], request));
        static_cast<void>(move_all(&read, ends[0], reply));
      });
    shutdown(ends[0], SHUT_RDWR);
  }
  close(ends[0]);
  close(ends[1]);
  state.SetLabel("the same bytes over a Unix socket");
}
BENCHMARK(BM_UnixSocket)->UseRealTime();

/// Steps of streams of B rows in turn, while those of the others are on their way.
void step_in_turn(benchmark::State& state, int sessions, int streams_of_each,
                  const std::string& what) {
  const auto slots = static_cast<std::uint32_t>(state.range(0));
  Remote remote(slots, 0, static_cast<int>(std::thread::hardware_concurrency() > 1), sessions,
                streams_of_each);
  for (auto _ : state) remote.step();
  state.counters["steps_per_second"] = benchmark::Counter(
      static_cast<double>(state.iterations()) * slots, benchmark::Counter::kIsRate);
  state.SetLabel(what);
}

/// A stream in each of some sessions.
void BM_Steps(benchmark::State& state) {
  const auto sessions = static_cast<int>(state.range(1));
  step_in_turn(state, sessions, 1,
               sessions == 1 ? "one stream: no step is under way while the client acts"
                             : "a client with so many sessions, a socket and a stream each");
}
BENCHMARK(BM_Steps)
    ->ArgNames({"B", "connections"})
    ->ArgsProduct({{1, 16, 256, 1024}, {1, 2, 4}})
    ->UseRealTime();

/// Streams of one session, of whose window they use W.
void BM_Pipelined(benchmark::State& state) {
  const bool aim = state.range(0) == 256;
  step_in_turn(state, 1, static_cast<int>(state.range(1)),
               std::string("W streams of one session, a step of each under way") +
                   (aim ? "; the aim: 2 M steps/s" : ""));
}
BENCHMARK(BM_Pipelined)
    ->ArgNames({"B", "W"})
    ->ArgsProduct({{1, 16, 256, 1024}, {2, 4}})
    ->UseRealTime();

}  // namespace
