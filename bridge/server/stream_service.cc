// The streams of one session. Each Driven has a stream, the episodes that the client has delivered,
// and the memory of its actions. Opening checks limits and makes the stream; a step takes actions
// and new episodes, steps, and writes the decisions. The dispatcher calls handle, one request at a
// time.
#include "bridge/server/stream_service.h"

#include <algorithm>
#include <unordered_map>
#include <utility>

#include "bridge/codec/decisions.h"
#include "bridge/codec/failure.h"
#include "bridge/codec/rows.h"
#include "bridge/codec/spec.h"
#include "bridge/codec/wire_bytes.h"
#include "park/core/error.h"

namespace park::bridge {
namespace {

/// The episodes that a client has sent; each is asked for once, and one that is not there is none.
class DeliveredEpisodes final : public EpisodeSource {
 public:
  void add(capnp::List<wire::NumberedEpisode>::Reader list) {
    for (const auto numbered : list)
      waiting_.insert_or_assign(numbered.getNumber(), read(numbered.getEpisode()));
  }
  std::optional<Episode> at(std::uint64_t k) const override {
    const auto found = waiting_.find(k);
    if (found == waiting_.end()) return {};
    const Episode episode = found->second;
    waiting_.erase(found);
    return episode;
  }

 private:
  mutable std::unordered_map<std::uint64_t, Episode> waiting_;
};

Illegal rule_of(wire::Illegal rule) {
  switch (rule) {
    case wire::Illegal::ERROR:
      return Illegal::error;
    case wire::Illegal::PROJECT:
      return Illegal::project;
    case wire::Illegal::PENALISE:
      return Illegal::penalise;
  }
  throw Failed(Code::UNSUPPORTED, "illegal: allowed are error, project and penalise");
}

}  // namespace

/// A stream with the episodes that it plays.
class StreamService::Driven {
 public:
  Driven(const EnvOfText& env, wire::OpenStream::Reader from)
      : slots(from.getSlots()), may_wait(!env.simulated()) {
    episodes_.add(from.getEpisodes());
    stream_ = env.stream(
        episodes_,
        {.slots = slots, .illegal = rule_of(from.getIllegal()), .penalty = from.getPenalty()});
    actions_.emplace(stream_->spec().action);
  }
  [[nodiscard]] const Spec& spec() const noexcept { return stream_->spec(); }
  void ask(wire::Decisions::Builder to) {
    const Decisions& d = stream_->recv();
    asked_ = d.asked.size();
    done_ = d.done;
    write(d, to);
  }
  /// Takes actions that are to be applied, and what comes after the episodes that they end.
  void take(wire::Step::Reader from) {
    if (done_) throw Failed(Code::OUT_OF_ORDER, "stream: it is done");
    read(from.getActions(), slots, *actions_);
    if (actions_->rows() != asked_)
      throw Failed(Code::MALFORMED, "actions: " + std::to_string(actions_->rows()) + " rows, " +
                                        std::to_string(asked_) + " were asked");
    episodes_.add(from.getEpisodes());
  }
  void step(wire::Decisions::Builder to) {
    stream_->send(*actions_);
    ask(to);
  }

  std::uint32_t slots;
  bool may_wait;

 private:
  DeliveredEpisodes episodes_;
  std::unique_ptr<Stream> stream_;
  std::optional<Batch> actions_;
  std::size_t asked_ = 0;
  bool done_ = false;
};

StreamService::StreamService(const Registry& registry, StreamServiceOptions options)
    : registry_(registry), options_(std::move(options)) {}
StreamService::~StreamService() = default;

void StreamService::handle(wire::Envelope::Reader request, wire::Envelope::Builder reply) {
  if (request.isOpenStream()) return open(request.getOpenStream(), reply.initStreamOpened());
  if (request.isStep()) return step(request.getStep(), reply.initDecisions());
  if (request.isCloseStream()) {
    const std::uint32_t number = request.getCloseStream().getStream();
    static_cast<void>(stream(number));
    streams_.erase(number);
    return reply.initStreamClosed().setStream(number);
  }
  throw Failed(Code::UNSUPPORTED,
               "this server has environments; it answers openStream, step and "
               "closeStream");
}

bool StreamService::may_wait() const {
  return options_.may_wait ||
         std::ranges::any_of(streams_, [](const auto& s) { return s.second->may_wait; });
}

void StreamService::open(wire::OpenStream::Reader from, wire::StreamOpened::Builder to) {
  std::string env = text_of(from.getEnv());
  if (!options_.env.empty()) {
    if (!env.empty() && registry_.canonical_env(env) != registry_.canonical_env(options_.env))
      throw Failed(Code::NOT_ALLOWED, "env: this server has " + options_.env + " alone");
    env = options_.env;
  }
  if (env.empty()) throw Failed(Code::INVALID_CONFIG, "env: is required");
  std::uint64_t slots = from.getSlots();
  for (const auto& [number, driven] : streams_) slots += driven->slots;
  if (from.getSlots() == 0 || slots > options_.most_slots)
    throw Failed(Code::TOO_MUCH,
                 "slots: a session has 1 to " + std::to_string(options_.most_slots) + " in all");
  auto driven = std::make_unique<Driven>(registry_.env(env), from);
  write(driven->spec(), to.initSpec());
  driven->ask(to.initFirst());
  to.setStream(next_);
  streams_[next_++] = std::move(driven);
}

void StreamService::step(wire::Step::Reader from, wire::Decisions::Builder to) {
  const std::uint32_t number = from.getStream();
  Driven& driven = stream(number);
  driven.take(from);
  try {
    driven.step(to);
  } catch (const Error& error) {
    if (error.code() != Errc::illegal_action) streams_.erase(number);
    throw;
  } catch (...) {
    streams_.erase(number);
    throw;
  }
  to.setStream(number);
}

StreamService::Driven& StreamService::stream(std::uint32_t number) {
  const auto found = streams_.find(number);
  if (found == streams_.end())
    throw Failed(Code::UNKNOWN_NAME, "stream: there is no number " + std::to_string(number));
  return *found->second;
}

}  // namespace park::bridge
