// The streams of one session. Each Driven has a stream, the episodes that the client has delivered,
// and the memory of its actions. Opening checks limits and makes the stream; a step takes actions
// and new episodes, steps, and writes the decisions. What a request did is remembered, so that it
// can be undone if its reply is too large. The dispatcher calls handle, one request at a time.
#include "bridge/server/stream_service.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "bridge/codec/decisions.h"
#include "bridge/codec/failure.h"
#include "bridge/codec/rows.h"
#include "bridge/codec/short_text.h"
#include "bridge/codec/spec.h"
#include "bridge/server/delivered_episodes.h"
#include "bridge/session/memory.h"
#include "park/core/error.h"
#include "park/core/thread_bytes.h"

namespace park::bridge {
namespace {

// So many environments are opened at once; of more, one and two are measured first.
constexpr std::uint32_t kFewSlots = 4;

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

std::uint64_t grown_since(std::int64_t before) {
  return static_cast<std::uint64_t>(std::max<std::int64_t>(thread_bytes() - before, 0));
}

/// What a stream of so many environments takes that begin the first episode of a client.
std::uint64_t bytes_of(const EnvOfText& env, wire::OpenStream::Reader from, std::uint32_t slots) {
  std::vector<Episode> first;
  if (from.getEpisodes().size() > 0) first.assign(slots, read(from.getEpisodes()[0].getEpisode()));
  const FixedEpisodes episodes(std::move(first));
  const std::int64_t before = thread_bytes();
  const auto stream = env.stream(episodes, {.slots = slots});
  static_cast<void>(stream->recv());
  return grown_since(before);
}

/// What the environments of a client will take: one, and so much more for each further one.
std::uint64_t expected_bytes(const EnvOfText& env, wire::OpenStream::Reader from) {
  const std::uint64_t one = bytes_of(env, from, 1), two = bytes_of(env, from, 2);
  return one + (from.getSlots() - 1) * (two - std::min(one, two));
}

}  // namespace

/// A stream with the episodes that it plays.
class StreamService::Driven {
 public:
  Driven(const EnvOfText& env, wire::OpenStream::Reader from)
      : slots(from.getSlots()), may_wait(!env.simulated()), episodes_(slots) {
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
    try {
      stream_->send(*actions_);
    } catch (...) {
      episodes_.undo();
      throw;
    }
    ask(to);
  }

  std::uint32_t slots;
  bool may_wait;
  std::uint64_t bytes = 0;  // as measured when it was opened

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
  opened_ = moved_ = 0;
  if (request.isOpenStream()) return open(request.getOpenStream(), reply.initStreamOpened());
  if (request.isStep()) return step(request.getStep(), reply.initDecisions());
  if (request.isCloseStream()) {
    const std::uint32_t number = request.getCloseStream().getStream();
    close(number);
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

std::string StreamService::env_of(wire::OpenStream::Reader from) const {
  std::string env = asked_text(from.getEnv(), "env");
  if (options_.env.empty()) {
    if (env.empty()) throw Failed(Code::INVALID_CONFIG, "env: is required");
    return env;
  }
  if (!env.empty() && registry_.canonical_env(env) != registry_.canonical_env(options_.env))
    throw Failed(Code::NOT_ALLOWED, "env: this server has " + options_.env + " alone");
  return options_.env;
}

void StreamService::check_slots(std::uint64_t more) const {
  std::uint64_t slots = more;
  for (const auto& [number, driven] : streams_) slots += driven->slots;
  if (more == 0 || slots > options_.most_slots)
    throw Failed(Code::TOO_MUCH,
                 "slots: a session has 1 to " + std::to_string(options_.most_slots) + " in all");
}

void StreamService::check_bytes(std::uint64_t more, std::uint32_t slots) const {
  std::uint64_t bytes = 0;
  for (const auto& [number, driven] : streams_) bytes += driven->bytes;
  if (bytes + more <= options_.most_bytes) return;
  throw Failed(Code::TOO_MUCH,
               "slots: " + std::to_string(slots) + " of this environment take " +
                   std::to_string(more) + " bytes, the session has " +
                   std::to_string(options_.most_bytes - std::min(bytes, options_.most_bytes)) +
                   " of " + std::to_string(options_.most_bytes) + " left");
}

void StreamService::open(wire::OpenStream::Reader from, wire::StreamOpened::Builder to) {
  const std::string text = env_of(from);
  check_slots(from.getSlots());
  const EnvOfText env = options_.env.empty() && !options_.trusted
                            ? registry_.env(text, options_.access)
                            : registry_.env(text);
  if (from.getSlots() > kFewSlots && env.simulated() && knows_thread_bytes())
    check_bytes(expected_bytes(env, from), from.getSlots());
  const std::int64_t before = thread_bytes();
  auto driven = std::make_unique<Driven>(env, from);
  write(driven->spec(), to.initSpec());
  driven->ask(to.initFirst());
  driven->bytes = grown_since(before);
  check_bytes(driven->bytes, driven->slots);
  to.setStream(next_);
  streams_[next_] = std::move(driven);
  opened_ = next_++;
}

void StreamService::step(wire::Step::Reader from, wire::Decisions::Builder to) {
  const std::uint32_t number = from.getStream();
  Driven& driven = stream(number);
  driven.take(from);
  try {
    driven.step(to);
  } catch (const Error& error) {
    if (error.code() != Errc::illegal_action) close(number);
    throw;
  } catch (...) {
    close(number);
    throw;
  }
  to.setStream(number);
  moved_ = number;
}

std::string StreamService::retract() {
  const std::uint32_t number = opened_ + moved_;  // one of them is 0
  if (number == 0) return {};
  close(number);
  if (moved_ == 0) return "; no stream is open";
  return "; stream " + std::to_string(number) + " has moved and is closed";
}

void StreamService::close(std::uint32_t number) {
  const std::uint64_t bytes = stream(number).bytes;
  streams_.erase(number);
  give_back_memory(bytes);
}

StreamService::Driven& StreamService::stream(std::uint32_t number) {
  const auto found = streams_.find(number);
  if (found == streams_.end())
    throw Failed(Code::UNKNOWN_NAME, "stream: there is no number " + std::to_string(number));
  return *found->second;
}

}  // namespace park::bridge
