// A round over environments is the golden rollout of docs/conformance.md; one over policies plays a
// local environment whose decisions the server takes. TimedChannel lies below either and takes the
// time of each step and question. The thread plays rounds between start and stop.
#include "tests/siege/canary.h"

#include <algorithm>
#include <memory>
#include <utility>
#include <zmq.hpp>

#include "bridge/client/remote_policy.h"
#include "bridge/transport/zmq_channel.h"
#include "park/core/policy.h"
#include "tests/bridge/tools/conformance_client.h"

namespace park::siege {
namespace {

constexpr milliseconds kCall{60'000};  // long, so that what is slow is measured
constexpr milliseconds kUndisturbed{1'000};
constexpr std::size_t kMostLines = 3;

std::atomic<bool> no_server = false;  // so that nobody waits for one

/// Takes the time of steps and questions that go through it.
class TimedChannel final : public bridge::Channel {
 public:
  TimedChannel(zmq::context_t& context, const std::string& endpoint,
               std::atomic<std::int64_t>& worst_us)
      : inner_(context, {.endpoint = endpoint}), worst_us_(worst_us) {}
  ~TimedChannel() noexcept override = default;  // else as lax as the messages' destructors
  void send(std::span<const std::byte> bytes) override {
    const auto e = reader_.read(bytes);
    if ((e.isStep() || e.isAsk()) && e.getSequence() != waiting_) {
      waiting_ = e.getSequence();
      begin_ = Clock::now();
    }
    inner_.send(bytes);
  }
  std::optional<std::span<const std::byte>> recv(Time until) override {
    const auto bytes = inner_.recv(until);
    if (!bytes) return bytes;
    const auto e = reader_.read(*bytes);
    if (waiting_ != 0 && e.getSequence() == waiting_ && !e.isPong()) {
      const auto took =
          std::chrono::duration_cast<std::chrono::microseconds>(Clock::now() - begin_);
      worst_us_ = std::max<std::int64_t>(worst_us_, took.count());
    }
    return bytes;
  }
  Time now() override { return inner_.now(); }
  std::string endpoint() const override { return inner_.endpoint(); }

 private:
  bridge::ZmqChannel inner_;
  std::atomic<std::int64_t>& worst_us_;
  bridge::EnvelopeReader reader_;
  std::uint64_t waiting_ = 0;
  Time begin_{};
};

/// What a policy of the server decides in a local environment, as a hash.
std::string asked(const Target& target, zmq::context_t& context,
                  std::atomic<std::int64_t>& worst_us) {
  const auto episodes = RandomEpisodes(Rng(3), {.count = 2});
  const auto stream = registry().stream(kEnv, episodes);
  bridge::ConnectOptions options;
  options.address.endpoint = target.endpoint;
  options.timeout = options.hello = kCall;
  auto connection = std::make_unique<bridge::Connection>(
      options, [&] { return std::make_unique<TimedChannel>(context, target.endpoint, worst_us); });
  const std::string name = target.any ? "shortest_queue" : "";
  bridge::RemotePolicy policy(std::move(connection), name, stream->spec());
  std::uint64_t hash = hash_text("");
  play(*stream, policy, Rng(1), [&](const Decisions&, const Batch& actions) {
    for (std::size_t c = 0; c < actions.columns(); ++c) {
      const auto bytes = actions.bytes(c, 0, actions.rows());
      hash = hash_text({reinterpret_cast<const char*>(bytes.data()), bytes.size()}, hash);
    }
  });
  return std::to_string(hash);
}

}  // namespace

Canary::Canary(const Target& target, milliseconds rest) : target_(target), rest_(rest) {
  static const bool once = [] {
    bridge::end_waits_when([]() noexcept { return no_server.load(); });
    return true;
  }();
  no_server = !once;
  const Time until = Clock::now() + kUndisturbed;
  do {
    std::string hash;
    try {
      hash = round();
    } catch (const std::exception& error) {
      throw Trouble("the canary cannot play: " + one_line(error.what()));
    }
    if (!expected_.empty() && hash != expected_)
      throw Trouble("two rounds of the canary differ without an attack");
    expected_ = hash;
    ++undisturbed_.rounds;
    std::this_thread::sleep_for(rest_);
  } while (Clock::now() < until);
  undisturbed_.worst_ms = static_cast<double>(worst_us_) / 1000;
}

Canary::~Canary() { static_cast<void>(stop(true)); }

std::string Canary::round() {
  zmq::context_t context;
  if (target_.policies) return asked(target_, context, worst_us_);
  TimedChannel channel(context, target_.endpoint, worst_us_);
  return bridge::test::rollout(channel, target_.any ? kEnv : "", kCall);
}

void Canary::start() {
  worst_us_ = 0;
  pulse_ = {};
  thread_ = std::jthread([this](const std::stop_token& stop) { play_until(stop, pulse_); });
}

void Canary::play_until(const std::stop_token& stop, Pulse& pulse) {
  do {
    std::string wrong;
    try {
      if (round() != expected_) wrong = "the canary's trajectory has other bytes";
    } catch (const std::exception& error) {
      wrong = std::string("the canary was stopped: ") + one_line(error.what());
    }
    std::this_thread::sleep_for(wrong.empty() ? rest_ : std::max(rest_, milliseconds(50)));
    ++pulse.rounds;
    if (!wrong.empty() && pulse.wrong.size() < kMostLines) pulse.wrong.push_back(wrong);
  } while (!stop.stop_requested());
}

Canary::Pulse Canary::stop(bool gone) {
  if (!thread_.joinable()) return {};
  no_server = gone;
  thread_.request_stop();
  thread_.join();
  pulse_.worst_ms = static_cast<double>(worst_us_) / 1000;
  return std::move(pulse_);
}

}  // namespace park::siege
