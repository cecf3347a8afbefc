// The commands rollout and scenario of docs/conformance.md, as a client of this library plays them.
#include "tests/bridge/tools/conformance_client.h"

#include <array>
#include <chrono>
#include <cstdint>
#include <cstring>
#include <optional>
#include <utility>
#include <vector>
#include <zmq.hpp>

#include "bridge/codec/failure.h"
#include "bridge/codec/rows.h"
#include "bridge/codec/spec.h"
#include "bridge/session/client_session.h"
#include "bridge/transport/zmq_channel.h"
#include "park/core/batch.h"
#include "tests/bridge/tools/message_json.h"

namespace park::bridge::test {
namespace {

using Envelope = wire::Envelope;

constexpr std::chrono::milliseconds kDeadline{2'000};

class Fnv {
 public:
  void add(capnp::Data::Reader bytes) {
    for (const kj::byte b : bytes) hash_ = (hash_ ^ b) * 0x100000001b3;
  }
  void add(const capnp::List<capnp::Data>::Reader& all) {
    for (const auto bytes : all) add(bytes);
  }
  void add(wire::Decisions::Reader d) {
    add(d.getObservation().getCounts());
    add(d.getObservation().getColumns());
    for (const auto bytes : {d.getSlot(), d.getContext(), d.getSequence(), d.getReward(),
                             d.getElapsedS(), d.getApplied(), d.getSkipped()})
      add(bytes);
    add(d.getFinalObservation().getCounts());
    add(d.getFinalObservation().getColumns());
    for (const auto bytes :
         {d.getEndedSlot(), d.getEndedContext(), d.getEndedDecisions(), d.getEndedEvents(),
          d.getEndedReward(), d.getEndedElapsedS(), d.getEndedApplied(), d.getEndedSkipped(),
          d.getTruncated(), d.getMetrics()})
      add(bytes);
  }
  [[nodiscard]] std::string text() const {
    constexpr std::string_view kDigits = "0123456789abcdef";
    std::string all;
    for (int shift = 60; shift >= 0; shift -= 4) all += kDigits[(hash_ >> shift) & 15U];
    return all;
  }

 private:
  std::uint64_t hash_ = 0xcbf29ce484222325;
};

/// Plays by the rule of the golden rollout, over a session of its own, message by message.
class Player {
 public:
  Player(Channel& channel, const std::string& env, std::uint32_t slots, std::uint64_t episodes,
         std::chrono::milliseconds useful)
      : channel_(channel),
        session_(channel_, {}),
        useful_(useful),
        slots_(slots),
        episodes_(episodes) {
    session_.open(deadline());
    const auto reply = call([&](Envelope::Builder e) {
      auto open = e.initOpenStream();
      open.setEnv(env);
      open.setSlots(slots);
      open.setIllegal(wire::Illegal::PROJECT);
      std::vector<std::uint64_t> first;
      for (std::uint64_t k = 0; k < std::min<std::uint64_t>(episodes, 2 * slots); ++k)
        first.push_back(k);
      write_episodes(open.initEpisodes(static_cast<unsigned>(first.size())), first);
    });
    if (!reply.isStreamOpened()) throw Failed(Code::MALFORMED, "another reply");
    const auto opened = reply.getStreamOpened();
    stream_ = opened.getStream();
    spec_ = read(opened.getSpec());
    observation_.emplace(spec_.observation);
    actions_.emplace(spec_.action);
    for (std::uint32_t s = 0; s < slots; ++s) next_.push_back(s + 2 * slots);
    take(opened.getFirst());
  }

  void play() {
    while (!done_) {
      const auto reply = call([&](Envelope::Builder e) {
        auto step = e.initStep();
        step.setStream(stream_);
        write(*actions_, step.initActions());
        write_episodes(step.initEpisodes(static_cast<unsigned>(coming_.size())), coming_);
      });
      if (!reply.isDecisions()) throw Failed(Code::MALFORMED, "another reply");
      ++steps;
      coming_.clear();
      take(reply.getDecisions());
    }
    static_cast<void>(call([&](Envelope::Builder e) { e.initCloseStream().setStream(stream_); }));
    session_.close();
  }

  Fnv hash;
  int steps = 0;

 private:
  [[nodiscard]] Time deadline() { return channel_.now() + useful_; }
  Envelope::Reader call(const ClientSession::Fill& fill) { return session_.call(deadline(), fill); }

  static void write_episodes(capnp::List<wire::NumberedEpisode>::Builder to,
                             const std::vector<std::uint64_t>& numbers) {
    for (unsigned i = 0; i < to.size(); ++i) {
      to[i].setNumber(numbers[i]);
      auto episode = to[i].initEpisode();
      episode.setId(numbers[i]);
      episode.setInputs(1000 + numbers[i]);
      episode.setDynamics(2000 + numbers[i]);
    }
  }

  void take(wire::Decisions::Reader d) {
    hash.add(d);
    done_ = d.getDone();
    read(d.getObservation(), slots_, *observation_);
    const auto numbers = [](capnp::Data::Reader bytes, std::size_t n, auto zero) {
      std::vector<decltype(zero)> all(n, zero);
      if (n > 0 && bytes.size() == n * sizeof zero)
        std::memcpy(all.data(), bytes.begin(), bytes.size());
      return all;
    };
    const auto sequence = numbers(d.getSequence(), d.getAsked(), std::uint64_t{0});
    actions_->clear();
    for (std::size_t i = 0; i < sequence.size(); ++i) act(i, sequence[i]);
    for (const std::uint32_t slot : numbers(d.getEndedSlot(), d.getEnded(), std::uint32_t{0})) {
      if (next_.at(slot) < episodes_) coming_.push_back(next_[slot]);
      next_[slot] += slots_;
    }
  }

  void act(std::size_t row, std::uint64_t q) {
    const Row to = actions_->append();
    for (const Leaf& leaf : spec_.action.leaves) {
      double value = (leaf.low + leaf.high) / 2;
      if (!leaf.index_of.empty()) {
        const std::uint64_t n = observation_->row(row).count(observation_->group(leaf.index_of));
        value = n == 0 ? 0 : static_cast<double>(q % n);
      } else if (leaf.dtype != DType::f32 && leaf.dtype != DType::f64) {
        const auto values = static_cast<std::uint64_t>(leaf.high - leaf.low) + 1;
        value = leaf.low + static_cast<double>(q % values);
      }
      fill(to, leaf, value);
    }
  }

  void fill(const Row& to, const Leaf& leaf, double value) {
    visit_dtype(leaf.dtype, [&]<class T>(T) {
      for (T& element : to[actions_->field<T>(leaf.name)]) element = static_cast<T>(value);
    });
  }

  template <class Function>
  static void visit_dtype(DType dtype, Function&& function) {
    switch (dtype) {
      case DType::u8:
        return function(std::uint8_t{});
      case DType::i32:
        return function(std::int32_t{});
      case DType::i64:
        return function(std::int64_t{});
      case DType::f32:
        return function(float{});
      case DType::f64:
        return function(double{});
    }
  }

  Channel& channel_;
  ClientSession session_;
  std::chrono::milliseconds useful_;
  std::uint32_t slots_, stream_ = 0;
  std::uint64_t episodes_;
  Spec spec_;
  std::optional<Batch> observation_, actions_;
  std::vector<std::uint64_t> next_, coming_;
  bool done_ = false;
};

}  // namespace

std::string rollout(Channel& channel, const std::string& env, std::chrono::milliseconds deadline) {
  Player player(channel, env, 2, 5, deadline);
  player.play();
  return player.hash.text();
}

std::string rollout(const std::string& endpoint, const std::string& env) {
  zmq::context_t context;
  ZmqChannel channel(context, {.endpoint = endpoint});
  return rollout(channel, env, kDeadline);
}

std::string scenario(const std::string& endpoint, const std::string& env) {
  try {
    zmq::context_t context;
    ZmqChannel channel(context, {.endpoint = endpoint});
    Player player(channel, env, 1, 1, kDeadline);
    player.play();
    return "done " + std::to_string(player.steps);
  } catch (const Failed& failed) {
    return name_of(failed.code());
  }
}

}  // namespace park::bridge::test
