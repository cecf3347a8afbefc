// The conformance vectors: messages of a server and of a client, and the lines that decode prints.
#include "tests/bridge/tools/vectors.h"

#include <cstring>
#include <functional>
#include <memory>
#include <vector>

#include "bridge/codec/decisions.h"
#include "bridge/codec/rows.h"
#include "bridge/codec/spec.h"
#include "bridge/codec/wire_bytes.h"
#include "park/core/policy.h"
#include "park/core/registry.h"
#include "park/core/rng.h"
#include "tests/bridge/tools/bytes.h"
#include "tests/bridge/tools/message_json.h"
#include "tests/bridge/tools/newer.capnp.h"
#include "tests/kit/toy_shop.h"

namespace park::bridge::test {
namespace {

using Envelope = wire::Envelope;

constexpr std::uint64_t kSequence = 2;

SessionKey session() {
  SessionKey key{};
  for (std::size_t i = 0; i < key.size(); ++i) key[i] = static_cast<std::byte>(16 * i + 1);
  return key;
}

Bytes message(const std::function<void(Envelope::Builder)>& fill) {
  EnvelopeWriter writer;
  auto e = writer.begin();
  e.setSession(as_data(session()));
  e.setSequence(kSequence);
  fill(e);
  return copy(writer.finish());
}

Bytes welcome() {
  return message([](Envelope::Builder e) {
    e.disownSession();
    e.setSequence(0);
    auto w = e.initWelcome();
    w.setSession(as_data(session()));
    w.setServer("park 0.1.0");
    w.setWindow(8);
    w.setLeaseMs(30'000);
    w.setMostBytes(std::uint64_t{64} << 20);
    w.setMostSlots(4096);
    w.setHeartbeatMs(5'000);
  });
}

Bytes refused() {
  return message([](Envelope::Builder e) {
    e.disownSession();
    e.setSequence(0);
    e.initRefused().setCode(Code::UNSUPPORTED);
    e.getRefused().setText("the client speaks version 1, the server version 2");
  });
}

Bytes failure(Code code, const std::string& text) {
  return message([&](Envelope::Builder e) {
    e.initFailure().setCode(code);
    e.getFailure().setText(text);
  });
}

/// An environment with ragged groups that is made for tests, and what it asks and ends.
void add_decisions(std::map<std::string, Bytes>& all) {
  Registry registry;
  registry.add_env<park::test::ToyShop>();
  const RandomEpisodes episodes(Rng(3), {.count = 3});
  const auto stream = registry.stream("toy_shop(customers=3)", episodes, {.slots = 2});
  RandomPolicy policy(stream->spec());
  Batch actions(stream->spec().action);
  for (int i = 0;; ++i) {
    const Decisions& d = stream->recv();
    const auto fill = [&](Envelope::Builder e) { write(d, e.initDecisions()); };
    if (i == 0) {
      all["stream_opened"] = message([&](Envelope::Builder e) {
        auto opened = e.initStreamOpened();
        opened.setStream(1);
        write(stream->spec(), opened.initSpec());
        write(d, opened.initFirst());
      });
      all["decisions_first"] = message(fill);
    }
    if (!d.ended.empty() && !d.asked.empty()) all["decisions_ended"] = message(fill);
    if (d.done) {
      all["decisions_done"] = message(fill);
      return;
    }
    for (const Ask& a : d.asked)
      if (a.sequence == 0) policy.start(a.slot, a.episode, Rng(a.episode.id));
    actions.resize(d.asked.size());
    policy.act(d, actions);
    if (i == 0) {
      all["answer"] = message([&](Envelope::Builder e) {
        e.initAnswer().setId(1);
        write(actions, e.getAnswer().initActions());
      });
    }
    stream->send(actions);
  }
}

/// The same message in segments of one or two words, so that pointers lead from one to another.
Bytes in_segments(const Bytes& whole) {
  EnvelopeReader reader;
  capnp::MallocMessageBuilder many(1, capnp::AllocationStrategy::FIXED_SIZE);
  many.setRoot(reader.read(whole));
  const auto words = capnp::messageToFlatArray(many);
  return copy({reinterpret_cast<const std::byte*>(words.begin()), words.size() * 8});
}

Bytes newer_message(const std::function<void(newer::Envelope::Builder)>& fill) {
  capnp::MallocMessageBuilder builder;
  auto e = builder.initRoot<newer::Envelope>();
  e.setSession(as_data(session()));
  e.setSequence(kSequence);
  e.setTrace("a field that readers of today do not know");
  fill(e);
  const auto words = capnp::messageToFlatArray(builder);
  return copy({reinterpret_cast<const std::byte*>(words.begin()), words.size() * 8});
}

void add_newer(std::map<std::string, Bytes>& all) {
  all["newer_welcome"] = newer_message([](newer::Envelope::Builder e) {
    auto w = e.initWelcome();
    w.setSession(as_data(session()));
    w.setServer("park 9.0.0");
    w.setWindow(4);
    w.setLeaseMs(1'000);
    w.setMostBytes(1'000'000);
    w.setMostSlots(16);
    w.setHeartbeatMs(100);
    w.setMostPolicies(7);
    w.setMotto("more");
  });
  all["reject_kind"] =
      newer_message([](newer::Envelope::Builder e) { e.setNovelty("a kind of its own"); });
}

/// A list of two thousand columns that all are the same bytes: small to send, large to read. Its
/// pointers are written by hand, since a builder has no two pointers to one object.
Bytes amplified(const Bytes& answer) {
  constexpr std::uint32_t kColumns = 2'000;
  capnp::MallocMessageBuilder builder;
  EnvelopeReader reader;
  builder.setRoot(reader.read(answer));
  auto columns = builder.getRoot<Envelope>().getAnswer().getActions().initColumns(kColumns);
  const Bytes large(8'000, std::byte{7});
  columns.set(kColumns - 1, as_data(large));
  const auto words = capnp::messageToFlatArray(builder);
  Bytes bytes = copy({reinterpret_cast<const std::byte*>(words.begin()), words.size() * 8});
  // The last pointer of the list is followed at once by what it points to: offset 0. One that
  // stands k places before it has offset k.
  const std::size_t last = bytes.size() - large.size() - 8;
  std::uint64_t pointer = 0;
  std::memcpy(&pointer, &bytes[last], 8);
  for (std::uint64_t k = 1; k < kColumns; ++k) {
    const std::uint64_t earlier = pointer + (k << 2U);
    std::memcpy(&bytes[last - 8 * k], &earlier, 8);
  }
  return bytes;
}

void add_rejected(std::map<std::string, Bytes>& all) {
  const Bytes& whole = all.at("decisions_first");
  all["reject_truncated"] = Bytes(whole.begin(), whole.begin() + 8 * (whole.size() / 16));
  all["reject_empty"] = {};
  all["reject_short"] = Bytes(4);
  all["reject_random"] = [] {
    Bytes bytes(256);
    Rng rng(1);
    for (std::byte& b : bytes) b = static_cast<std::byte>(rng.below(256));
    return bytes;
  }();
  all["reject_segments"] = Bytes(64, std::byte{0xff});
  all["reject_pointer"] = [&] {
    Bytes bytes = all.at("pong");
    bytes[11] = std::byte{0x7f};  // the root pointer leads far beyond the end
    return bytes;
  }();
  all["reject_code"] = failure(static_cast<Code>(99), "a code of later");
  all["reject_request"] = message([](Envelope::Builder e) { e.setPing(); });
  all["reject_amplified"] = amplified(all.at("answer"));
}

void write_episodes(capnp::List<wire::NumberedEpisode>::Builder to, std::uint64_t first) {
  for (std::uint32_t i = 0; i < to.size(); ++i) {
    const std::uint64_t k = first + i;
    to[i].setNumber(k);
    write(Episode{.id = 7 * k, .inputs = 1000 + k, .dynamics = ~k}, to[i].initEpisode());
  }
}

}  // namespace

std::map<std::string, Bytes> request_vectors() {
  std::map<std::string, Bytes> all;
  all["hello"] = message([](Envelope::Builder e) {
    e.disownSession();
    e.setSequence(0);
    auto hello = e.initHello();
    hello.setMostMinor(3);
    hello.setClient("a \"client\"");
    hello.setToken(as_data(session()));
    hello.setNonce(as_data(session()));
  });
  all["open_stream"] = message([](Envelope::Builder e) {
    auto open = e.initOpenStream();
    open.setEnv("toy_shop(customers=3)");
    open.setSlots(2);
    open.setIllegal(wire::Illegal::PENALISE);
    write_episodes(open.initEpisodes(2), 0);
  });
  Registry registry;
  registry.add_env<park::test::ToyShop>();
  const RandomEpisodes episodes(Rng(3), {.count = 3});
  const auto stream = registry.stream("toy_shop(customers=3)", episodes, {.slots = 2});
  const Decisions& first = stream->recv();
  all["open_policy"] = message([&](Envelope::Builder e) {
    e.initOpenPolicy().setPolicy("power_of_d(d=3)");
    write(stream->spec(), e.getOpenPolicy().initSpec());
  });
  all["ask"] = message([&](Envelope::Builder e) {
    e.setDeadlineMs(30);
    auto ask = e.initAsk();
    ask.setId(1);
    write(first, ask.initQuestion());
    ask.setChance(as_data(session()));
  });
  RandomPolicy policy(stream->spec());
  Batch actions(stream->spec().action);
  for (const Ask& a : first.asked) policy.start(a.slot, a.episode, Rng(a.episode.id));
  actions.resize(first.asked.size());
  policy.act(first, actions);
  all["step"] = message([&](Envelope::Builder e) {
    auto step = e.initStep();
    step.setStream(1);
    write(actions, step.initActions());
    write_episodes(step.initEpisodes(1), 4);
  });
  return all;
}

std::map<std::string, Bytes> vectors() {
  std::map<std::string, Bytes> all;
  all["welcome"] = welcome();
  all["refused"] = refused();
  all["failure"] = failure(Code::ILLEGAL_ACTION, "illegal action in row 1");
  all["failure_text"] =
      failure(Code::INVALID_CONFIG, "servers: \"0\" is not allowed\nrates: C:\\x is none, \u00e4");
  all["pong"] = message([](Envelope::Builder e) { e.setPong(); });
  all["farewell"] = message([](Envelope::Builder e) { e.initFarewell().setReason("goodbye"); });
  all["policy_opened"] = message([](Envelope::Builder e) {
    e.initPolicyOpened().setId(1);
    e.getPolicyOpened().setPolicy("power_of_d(d=3)");
  });
  add_decisions(all);
  all["segments"] = in_segments(all.at("decisions_ended"));
  add_newer(all);
  add_rejected(all);
  return all;
}

std::string expected_lines(const std::map<std::string, Bytes>& all) {
  std::string lines;
  for (const auto& [name, bytes] : all) lines += name + ".bin " + message_json(bytes) + '\n';
  return lines;
}

}  // namespace park::bridge::test
