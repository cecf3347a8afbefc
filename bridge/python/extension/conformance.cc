// The conformance client in C++: it drives one stream of a server by a rule that every language
// implements, and hashes the messages as they come. Drive opens the stream, sends actions that
// follow from the sequence numbers, and takes replies until the stream is done. GivenEpisodes checks
// that the server plays what it was given. The Python tests
// compare its hashes with those of the other clients.
#include "extension/conformance.h"

#include <cmath>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "bridge/client/given_episodes.h"
#include "bridge/codec/decisions.h"
#include "bridge/codec/rows.h"
#include "bridge/codec/spec.h"
#include "bridge/codec/wire.h"
#include "bridge/session/client_session.h"
#include "bridge/transport/zmq_channel.h"
#include "extension/interruptible.h"
#include "extension/messages.h"
#include "park/core/episodes.h"
#include "park/core/text.h"

namespace park::python {
namespace {

namespace py = pybind11;
using namespace py::literals;
using bridge::Failed;

constexpr std::chrono::seconds kDeadline{2};  // of every call
constexpr std::uint32_t kEpisodes = 5;

/// FNV-1a with 64 bits over bytes.
class Hash {
 public:
  void add(capnp::Data::Reader bytes) {
    for (const auto b : bytes) value_ = (value_ ^ b) * 0x100000001b3ull;
  }
  void add(bridge::wire::Rows::Reader rows) {
    for (const auto data : rows.getCounts()) add(data);
    for (const auto data : rows.getColumns()) add(data);
  }
  void add(bridge::wire::Decisions::Reader d) {
    add(d.getObservation());
    for (const auto data : {d.getSlot(), d.getContext(), d.getSequence(), d.getReward(),
                            d.getElapsedS(), d.getApplied(), d.getSkipped()})
      add(data);
    add(d.getFinalObservation());
    for (const auto data :
         {d.getEndedSlot(), d.getEndedContext(), d.getEndedDecisions(), d.getEndedEvents(),
          d.getEndedReward(), d.getEndedElapsedS(), d.getEndedApplied(), d.getEndedSkipped(),
          d.getTruncated(), d.getMetrics()})
      add(data);
  }
  [[nodiscard]] std::string hex() const { return hash_digits(value_); }

 private:
  std::uint64_t value_ = 0xcbf29ce484222325ull;
};

/// The actions that follow from the sequence numbers.
void write_actions(const Spec& spec, const Decisions& d, Batch& actions) {
  actions.clear();
  actions.resize(d.asked.size());
  for (std::size_t i = 0; i < d.asked.size(); ++i) {
    const auto q = static_cast<std::int64_t>(d.asked[i].sequence);
    for (const Leaf& l : spec.action.leaves) {
      if (l.dtype == DType::f32) {
        for (float& v : actions.row(i)[actions.field<float>(l.name)])
          v = static_cast<float>((l.low + l.high) / 2);
        continue;
      }
      const auto low = static_cast<std::int64_t>(l.low);
      std::int64_t value = low + q % (static_cast<std::int64_t>(l.high) - low + 1);
      if (!l.index_of.empty()) {
        const auto n =
            static_cast<std::int64_t>(d.observation.row(i).count(d.observation.group(l.index_of)));
        value = n == 0 ? 0 : q % n;
      }
      for (std::int32_t& v : actions.row(i)[actions.field<std::int32_t>(l.name)])
        v = static_cast<std::int32_t>(value);
    }
  }
}

/// A session that drives one stream; it sees the messages as they come.
class Drive {
 public:
  Drive(const std::string& endpoint, std::uint32_t slots, std::uint32_t episodes)
      : channel_(context_, {endpoint}),
        session_(channel_, {}),
        slots_(slots),
        source_(numbered(episodes)),
        episodes_(source_, slots) {}

  /// Plays to the end and returns the number of steps.
  std::uint64_t play(const std::string& env) {
    session_.open(deadline());
    open(env);
    std::uint64_t steps = 0;
    for (; !decisions_->done; ++steps) step();
    session_.close();
    return steps;
  }
  [[nodiscard]] const Hash& hash() const noexcept { return hash_; }

 private:
  [[nodiscard]] bridge::Time deadline() { return channel_.now() + kDeadline; }

  void open(const std::string& env) {
    const auto reply = session_.call(deadline(), [&](bridge::wire::Envelope::Builder e) {
      auto to = e.initOpenStream();
      to.setEnv(env);
      to.setSlots(slots_);
      to.setIllegal(bridge::wire::Illegal::PROJECT);
      const auto first = episodes_.first();
      write_episodes(first, to.initEpisodes(static_cast<unsigned>(first.size())));
    });
    if (!reply.isStreamOpened()) throw Failed(bridge::Code::MALFORMED, "another reply");
    const auto opened = reply.getStreamOpened();
    number_ = opened.getStream();
    spec_ = bridge::read(opened.getSpec());
    reader_.emplace(spec_, slots_);
    decisions_.emplace(spec_);
    actions_.emplace(spec_.action);
    if (spec_.traits.system) episodes_.in_any_order();
    take(opened.getFirst());
  }

  void step() {
    write_actions(spec_, *decisions_, *actions_);
    const auto reply = session_.call(deadline(), [&](bridge::wire::Envelope::Builder e) {
      auto to = e.initStep();
      to.setStream(number_);
      bridge::write(*actions_, to.initActions());
      write_episodes(coming_, to.initEpisodes(static_cast<unsigned>(coming_.size())));
    });
    coming_.clear();
    if (!reply.isDecisions()) throw Failed(bridge::Code::MALFORMED, "another reply");
    take(reply.getDecisions());
  }

  void take(bridge::wire::Decisions::Reader from) {
    hash_.add(from);
    reader_->read(from, *decisions_);
    episodes_.take(*decisions_, spec_.metrics, coming_);
  }

  static FixedEpisodes numbered(std::uint32_t count) {
    std::vector<Episode> all;
    for (std::uint32_t k = 0; k < count; ++k)
      all.push_back({.id = k, .inputs = 1000 + k, .dynamics = 2000 + k});
    return FixedEpisodes(std::move(all));
  }
  static void write_episodes(const bridge::GivenEpisodes::Numbered& from,
                             capnp::List<bridge::wire::NumberedEpisode>::Builder to) {
    for (unsigned i = 0; i < to.size(); ++i) {
      to[i].setNumber(from[i].first);
      bridge::write(from[i].second, to[i].initEpisode());
    }
  }

  zmq::context_t context_;
  bridge::ZmqChannel channel_;
  bridge::ClientSession session_;
  std::uint32_t slots_, number_ = 0;
  FixedEpisodes source_;
  bridge::GivenEpisodes episodes_;
  bridge::GivenEpisodes::Numbered coming_;  // to be sent with the next step
  Spec spec_;
  std::optional<bridge::DecisionsReader> reader_;
  std::optional<Decisions> decisions_;
  std::optional<Batch> actions_;
  Hash hash_;
};

std::string rollout(const std::string& endpoint, const std::string& env) {
  return bridge::decoding([&] {
    Drive drive(endpoint, 2, kEpisodes);
    drive.play(env);
    return drive.hash().hex();
  });
}

std::string scenario(const std::string& endpoint, const std::string& env) {
  try {
    return bridge::decoding(
        [&] { return "done " + std::to_string(Drive(endpoint, 1, 1).play(env)); });
  } catch (const Failed& failed) {
    return name_of(failed.code());
  }
}

}  // namespace

void bind_conformance(py::module_& m) {
  const auto waiting = [](std::string (*play)(const std::string&, const std::string&)) {
    return [play](const std::string& endpoint, const std::string& env) {
      return interruptible<std::string>([=] { return play(endpoint, env); });
    };
  };
  m.def("decode", &decode, "frame"_a);
  m.def("rollout", waiting(&rollout), "endpoint"_a, "env"_a);
  m.def("scenario", waiting(&scenario), "endpoint"_a, "env"_a);
}

}  // namespace park::python
