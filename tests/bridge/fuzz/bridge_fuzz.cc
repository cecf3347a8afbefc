// What a fuzzer calls on the bridge with arbitrary bytes, and the promises that must hold then.
#include "tests/bridge/fuzz/bridge_fuzz.h"

#include <array>
#include <cstdlib>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <optional>

#include "bridge/client/given_episodes.h"
#include "bridge/codec/decisions.h"
#include "bridge/codec/failure.h"
#include "bridge/codec/rows.h"
#include "bridge/codec/spec.h"
#include "bridge/codec/wire_bytes.h"
#include "bridge/server/policy_service.h"
#include "bridge/server/stream_service.h"
#include "bridge/session/client_session.h"
#include "park/core/error.h"
#include "park/core/registry.h"
#include "park/envs/envs.h"
#include "tests/bridge/tools/message_json.h"
#include "tests/bridge/tools/vectors.h"
#include "tests/kit/toy_shop.h"

namespace park::bridge::test {
namespace {

using Envelope = wire::Envelope;
using Message = std::span<const std::byte>;

/// A promise that was broken; the fuzzer keeps the input.
void require(bool promise) {
  if (!promise) std::abort();
}

/// The only session: its key is known, so that a fuzzer gets in.
SessionKey known_key() {
  SessionKey key{};
  for (std::size_t i = 0; i < key.size(); ++i) key[i] = static_cast<std::byte>(16 * i + 1);
  return key;
}

const Registry& registry() {
  static const Registry all = [] {
    Registry r;
    envs::register_all(r);
    r.add_env<park::test::ToyShop>();
    return r;
  }();
  return all;
}

std::vector<Message> messages_of(std::span<const std::byte> input) {
  std::vector<Message> all;
  while (input.size() >= 2) {
    const std::size_t length =
        std::to_integer<std::size_t>(input[0]) + 256 * std::to_integer<std::size_t>(input[1]);
    input = input.subspan(2);
    const std::size_t here = std::min(length, input.size());
    all.push_back(input.first(here));
    input = input.subspan(here);
  }
  return all;
}

/// Environments and policies of one session, in the thread of the caller.
class FuzzedServer {
 public:
  FuzzedServer()
      : streams_(registry(), {.env = "", .most_slots = 8}),
        policies_(registry(), {.policy = "", .most_slots = 8}),
        table_(limits(), "fuzzed", calls()) {}

  void receive(Message message) {
    const auto begin = preamble();
    const std::array<Message, 2> frames{begin, message};
    table_.receive({std::byte{1}}, frames, Time{} + std::chrono::milliseconds(++messages_));
    require(table_.size() <= limits().most_sessions);
  }

 private:
  static Limits limits() {
    Limits l;
    l.most_sessions = 4;
    l.most_bytes = 1U << 20U;
    return l;
  }

  SessionTable::Calls calls() {
    return {
        .send = [](const Bytes&, Message e) { require(message_json(e) != "reject" || known(e)); },
        .work = [this](const SessionKey& key, Message, Envelope::Reader e) { work(key, e); },
        .ended = [](const SessionKey&) {},
        .new_key =
            [this] {
              SessionKey key = known_key();
              key[0] ^= static_cast<std::byte>(sessions_++);
              return key;
            }};
  }

  /// A reply that message_json has no words for.
  static bool known(Message bytes) {
    EnvelopeReader reader;
    const auto e = reader.read(bytes);
    return e.isStreamClosed() || e.isPolicyClosed() || e.isScores() || e.isFailure();
  }

  void work(const SessionKey& key, Envelope::Reader request) {
    const std::uint64_t sequence = request.getSequence();
    const auto begin = [&] {
      auto reply = writer_.begin();
      reply.setSession(as_data(key));
      reply.setSequence(sequence);
      return reply;
    };
    try {
      decoding([&] {
        const bool policy = request.isOpenPolicy() || request.isAsk() || request.isAskScores() ||
                            request.isClosePolicy();
        Service& service = policy ? static_cast<Service&>(policies_) : streams_;
        service.handle(request, begin());
      });
    } catch (const std::exception& error) {  // as a server answers it
      auto failure = begin().initFailure();
      failure.setCode(Code::INTERNAL);
      failure.setText(error.what());
    }
    table_.finish(key, sequence, writer_.finish());
  }

  StreamService streams_;
  PolicyService policies_;
  EnvelopeWriter writer_;
  int messages_ = 0;
  unsigned sessions_ = 0;
  SessionTable table_;
};

/// A client's way to a server that says what it likes.
class FuzzedChannel final : public Channel {
 public:
  explicit FuzzedChannel(const std::vector<Message>& messages)
      : messages_(messages.begin(), messages.end()) {}
  void send(Message) override {}
  std::optional<Message> recv(Time until) override {
    if (messages_.empty()) {
      now_ = until;
      return {};
    }
    const Message first = messages_.front();
    messages_.pop_front();
    return first;
  }
  Time now() override { return now_; }
  std::string endpoint() const override { return "fuzzed"; }

 private:
  std::deque<Message> messages_;
  Time now_{};
};

/// Reads replies as RemoteStream and RemotePolicy do.
class Replies {
 public:
  void read(Envelope::Reader reply) {
    decoding([&] {
      if (reply.isStreamOpened()) open(reply.getStreamOpened());
      if (!spec_) return;
      if (reply.isStreamOpened()) take(reply.getStreamOpened().getFirst());
      if (reply.isDecisions()) take(reply.getDecisions());
      Batch actions(spec_->action);
      if (reply.isAnswer()) bridge::read(reply.getAnswer().getActions(), kSlots, actions);
    });
  }

 private:
  static constexpr std::uint32_t kSlots = 2;  // as in the vectors

  void open(wire::StreamOpened::Reader opened) {
    spec_ = bridge::read(opened.getSpec());
    reader_.emplace(*spec_, kSlots);
    episodes_.emplace(source_, kSlots);
    static_cast<void>(episodes_->first());
    if (spec_->traits.system) episodes_->in_any_order();
  }
  void take(wire::Decisions::Reader from) {
    Decisions decisions(*spec_);
    reader_->read(from, decisions);
    GivenEpisodes::Numbered coming;
    episodes_->take(decisions, spec_->metrics, coming);
  }

  RandomEpisodes source_{Rng(3), {.count = 3}};  // those of the vectors
  std::optional<Spec> spec_;
  std::optional<DecisionsReader> reader_;
  std::optional<GivenEpisodes> episodes_;
};

void fuzz_client(const std::vector<Message>& messages) {
  FuzzedChannel channel(messages);
  ClientSession session(channel, {});
  Replies replies;
  try {
    session.open(channel.now() + std::chrono::seconds(1));
  } catch (const Failed&) {
    return;
  }
  for (std::size_t i = 0; i < messages.size(); ++i) {
    try {
      const Time deadline = channel.now() + std::chrono::milliseconds(50);
      replies.read(session.call(deadline, [](Envelope::Builder e) { e.initStep(); }));
    } catch (const Failed&) {  // late, refused, or no message
    } catch (const Error&) {   // a spec that is none
    }
  }
  session.close();
}

std::string packed(bool client, const std::vector<Bytes>& messages) {
  std::string all(1, client ? '\1' : '\0');
  for (const Bytes& m : messages) {
    all += static_cast<char>(m.size() & 255U);
    all += static_cast<char>(m.size() >> 8U);
    all.append(reinterpret_cast<const char*>(m.data()), m.size());
  }
  return all;
}

Bytes request(std::uint64_t sequence, const std::function<void(Envelope::Builder)>& fill) {
  EnvelopeWriter writer;
  auto e = writer.begin();
  if (sequence > 0) e.setSession(as_data(known_key()));
  e.setSequence(sequence);
  fill(e);
  const Message bytes = writer.finish();
  return {bytes.begin(), bytes.end()};
}

Bytes hello() {
  return request(0, [](Envelope::Builder e) {
    auto h = e.initHello();
    h.setClient("fuzzer");
    h.setNonce(as_data(known_key()));
  });
}

/// A session that opens an environment and steps it.
std::vector<Bytes> a_stream(const std::string& env, std::uint32_t slots) {
  const auto some = registry().stream(env, FixedEpisodes({{.id = 1}, {.id = 2}}), {.slots = slots});
  std::vector<Bytes> all{hello(), request(1, [&](Envelope::Builder e) {
                           auto open = e.initOpenStream();
                           open.setEnv(env);
                           open.setSlots(slots);
                           open.setIllegal(wire::Illegal::PROJECT);
                           auto episodes = open.initEpisodes(2);
                           for (unsigned i = 0; i < 2; ++i) {
                             episodes[i].setNumber(i);
                             write({.id = i + 1}, episodes[i].initEpisode());
                           }
                         })};
  for (std::uint64_t n = 2; n < 5; ++n)
    all.push_back(request(n, [&](Envelope::Builder e) {
      Batch actions(some->spec().action);
      actions.resize(slots);
      e.initStep().setStream(1);
      write(actions, e.getStep().initActions());
    }));
  all.push_back(request(5, [](Envelope::Builder e) { e.initCloseStream().setStream(1); }));
  all.push_back(request(6, [](Envelope::Builder e) { e.setGoodbye(); }));
  return all;
}

Spec two_servers() { return registry().spec("load_balance(servers=2)"); }

/// The same with one more leaf of the observation and of the action, which have this shape.
Spec with_shape(const std::vector<std::int64_t>& shape) {
  Spec spec = two_servers();
  for (Record* record : {&spec.observation, &spec.action})
    record->leaves.push_back(
        {.name = "wide", .shape = shape, .low = 0, .high = 1, .doc = "for the fuzzer"});
  return spec;
}

/// Shapes whose products wrap round, and some that are only large.
std::vector<std::vector<std::int64_t>> wide_shapes() {
  constexpr std::int64_t kOne = 1;
  return {{kOne << 62}, {kOne << 32, kOne << 32}, {kOne << 31}, {kOne << 20}, {-1}};
}

/// A session that opens a policy for a spec and asks it about two servers.
std::vector<Bytes> a_policy(const std::string& policy, const Spec& spec) {
  return {hello(),
          request(1,
                  [&](Envelope::Builder e) {
                    e.initOpenPolicy().setPolicy(policy);
                    write(spec, e.getOpenPolicy().initSpec());
                  }),
          request(2,
                  [&](Envelope::Builder e) {
                    Decisions question(two_servers());
                    Ask asked;
                    asked.context = 1;
                    question.asked.push_back(asked);
                    question.observation.resize(1);
                    e.initAsk().setId(1);
                    write(question, e.getAsk().initQuestion());
                    const std::array<kj::byte, 8> chance{};
                    e.getAsk().setChance({chance.data(), chance.size()});
                  }),
          request(3, [](Envelope::Builder e) { e.initClosePolicy().setId(1); })};
}

}  // namespace

void fuzz_bridge(std::span<const std::byte> input) {
  if (input.empty()) return;
  const std::vector<Message> messages = messages_of(input.subspan(1));
  for (const Message m : messages) static_cast<void>(message_json(m));
  if (std::to_integer<unsigned>(input[0]) % 2 == 1) return fuzz_client(messages);
  FuzzedServer server;
  for (const Message m : messages) server.receive(m);
}

std::vector<std::string> fuzz_seeds() {
  std::vector<std::string> all{packed(false, a_stream("toy_shop(customers=2)", 2)),
                               packed(false, a_stream("load_balance(servers=2,jobs=3)", 1)),
                               packed(false, a_policy("shortest_queue", two_servers()))};
  const auto known = vectors();
  for (const auto& shape : wide_shapes()) {
    const Spec spec = with_shape(shape);
    all.push_back(packed(false, a_policy("random", spec)));
    all.push_back(packed(true, {known.at("welcome"), request(1, [&](Envelope::Builder e) {
                                  write(spec, e.initStreamOpened().initSpec());
                                })}));
  }
  for (const auto& [name, bytes] : known) {
    all.push_back(packed(false, {hello(), bytes}));
    all.push_back(packed(true, {known.at("welcome"), known.at("stream_opened"), bytes, bytes}));
  }
  return all;
}

}  // namespace park::bridge::test
