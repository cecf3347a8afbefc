// The sessions of a server by key. Each has a window of requests: worked on, or answered with the
// bytes kept for repetition. receive checks the envelope, counts a new request once and passes it
// on; finish keeps the reply and sends it; expire ends sessions whose lease is over. The dispatcher
// calls it from one thread.
#include "bridge/session/session_table.h"

#include <algorithm>
#include <cstring>
#include <random>
#include <utility>

#include "bridge/codec/failure.h"
#include "bridge/codec/wire_bytes.h"

namespace park::bridge {
namespace {

bool key_of(capnp::Data::Reader from, SessionKey& key) {
  if (from.size() != key.size()) return false;
  std::memcpy(key.data(), from.begin(), key.size());
  return true;
}

/// Takes the same time wherever they differ.
bool same_secret(capnp::Data::Reader a, const Bytes& b) {
  unsigned difference = a.size() == b.size() ? 0 : 1;
  for (std::size_t i = 0; i < std::min(a.size(), b.size()); ++i)
    difference |= static_cast<unsigned>(a[i]) ^ std::to_integer<unsigned>(b[i]);
  return difference == 0;
}

std::uint32_t ms(std::chrono::milliseconds time) {
  return static_cast<std::uint32_t>(time.count());
}

}  // namespace

SessionKey random_key() {
  std::random_device device;  // of the operating system
  SessionKey key{};
  for (std::byte& b : key) b = static_cast<std::byte>(device());
  return key;
}

std::size_t SessionTable::KeyHash::operator()(const SessionKey& key) const noexcept {
  std::size_t h = 0;  // keys are random
  std::memcpy(&h, key.data(), sizeof h);
  return h;
}

SessionTable::SessionTable(Limits limits, std::string server, Calls calls)
    : limits_(std::move(limits)), server_(std::move(server)), calls_(std::move(calls)) {}

void SessionTable::receive(const Bytes& route, std::span<const std::span<const std::byte>> frames,
                           Time now) {
  const auto major = frames.empty() ? std::nullopt : major_of(frames[0]);
  if (!major || frames.size() != 2) {
    ++counts_.malformed;  // not of this protocol: no answer that it would understand
    return;
  }
  if (*major != kMajor)
    return refuse(route, Code::UNSUPPORTED,
                  "the client speaks version " + std::to_string(*major) + ", the server version " +
                      std::to_string(kMajor) + ": the " + (*major < kMajor ? "client" : "server") +
                      " has to be updated");
  try {
    const auto envelope = reader_.read(frames[1]);
    decoding([&] {
      if (envelope.isHello()) return hello(route, envelope.getHello(), now);
      SessionKey key{};
      if (!key_of(envelope.getSession(), key))
        throw Failed(Code::MALFORMED, "session: is not 16 bytes");
      const auto found = sessions_.find(key);
      if (found == sessions_.end())
        return fail(route, key, envelope.getSequence(), Code::NO_SESSION,
                    "session: it is over or never was; say hello again");
      found->second.heard = now;
      if (envelope.isPing())  // perhaps by a socket of its own
        return reply(route, key, envelope.getSequence(), [](auto answer) { answer.setPong(); });
      found->second.route = route;
      request(found, frames[1], envelope);
    });
  } catch (const Failed& failed) {
    ++counts_.malformed;
    fail(route, {}, 0, failed.code(), failed.what());
  }
}

void SessionTable::hello(const Bytes& route, wire::Hello::Reader from, Time now) {
  if (from.getLeastMinor() > kMostMinor || from.getMostMinor() < kLeastMinor)
    return refuse(route, Code::UNSUPPORTED,
                  "the client speaks minor versions " + std::to_string(from.getLeastMinor()) +
                      " to " + std::to_string(from.getMostMinor()) + ", the server " +
                      std::to_string(kLeastMinor) + " to " + std::to_string(kMostMinor));
  if (!limits_.token.empty() && !same_secret(from.getToken(), limits_.token))
    return refuse(route, Code::NOT_ALLOWED,
                  "token: is not the one that the server's endpoint file holds");
  Nonce nonce{};
  if (!key_of(from.getNonce(), nonce))
    return refuse(route, Code::MALFORMED, "nonce: is not 16 bytes");
  if (const auto known = nonces_.find(nonce); known != nonces_.end()) {
    ++counts_.repeated;
    return welcome(route, known->second, from);
  }
  if (sessions_.size() >= limits_.most_sessions)
    return refuse(route, Code::TOO_MUCH,
                  "the server has " + std::to_string(sessions_.size()) +
                      " sessions, which is the most that it allows");
  const SessionKey key = calls_.new_key();
  Session& session = sessions_[key];
  session.route = route;
  session.heard = now;
  nonces_[nonce] = key;
  session.nonce = nonce;
  ++counts_.opened;
  welcome(route, key, from);
}

void SessionTable::welcome(const Bytes& route, const SessionKey& key, wire::Hello::Reader from) {
  reply(route, {}, 0, [&](wire::Envelope::Builder envelope) {
    auto to = envelope.initWelcome();
    to.setMinor(std::min(from.getMostMinor(), kMostMinor));
    to.setSession(as_data(key));
    to.setServer(server_);
    to.setWindow(limits_.window);
    to.setLeaseMs(ms(limits_.lease));
    to.setMostBytes(limits_.most_bytes);
    to.setMostSlots(limits_.most_slots);
    to.setHeartbeatMs(ms(limits_.heartbeat));
  });
}

void SessionTable::request(Sessions::iterator at, std::span<const std::byte> frame,
                           wire::Envelope::Reader envelope) {
  const SessionKey key = at->first;
  Session& session = at->second;
  const std::uint64_t sequence = envelope.getSequence();
  if (envelope.isGoodbye()) return end(at, "goodbye");
  if (const auto known = session.replies.find(sequence); known != session.replies.end()) {
    ++counts_.repeated;
    return calls_.send(session.route, known->second);
  }
  const std::uint64_t oldest =
      session.begun > limits_.window ? session.begun - limits_.window + 1 : 1;
  if (sequence < oldest || sequence > session.begun + limits_.window)
    return fail(session.route, key, sequence, Code::OUT_OF_ORDER,
                "sequence: " + std::to_string(sequence) + ", allowed are " +
                    std::to_string(oldest) + " to " +
                    std::to_string(session.begun + limits_.window));
  if (sequence <= session.begun) return void(++counts_.repeated);  // is being worked on
  if (sequence != session.begun + 1) return void(++counts_.out_of_order);
  if (session.working >= limits_.window)
    return fail(session.route, key, sequence, Code::TOO_MUCH,
                "window: " + std::to_string(limits_.window) + " requests have no reply yet");
  session.begun = sequence;
  ++session.working;
  calls_.work(key, frame, envelope);
}

void SessionTable::finish(const SessionKey& key, std::uint64_t sequence,
                          std::span<const std::byte> envelope) {
  const auto found = sessions_.find(key);
  if (found == sessions_.end()) return;
  Session& session = found->second;
  --session.working;
  if (session.replies.size() >= limits_.window) {  // its memory is used again
    auto oldest = session.replies.extract(session.replies.begin());
    oldest.key() = sequence;
    oldest.mapped().assign(envelope.begin(), envelope.end());
    calls_.send(session.route, oldest.mapped());
    session.replies.insert(std::move(oldest));
    return;
  }
  const Bytes& stored =
      session.replies.emplace(sequence, Bytes(envelope.begin(), envelope.end())).first->second;
  calls_.send(session.route, stored);
}

Time SessionTable::expire(Time now) {
  Time next = now + limits_.lease;
  for (auto at = sessions_.begin(); at != sessions_.end();) {
    const auto here = at++;
    const Time over = here->second.heard + limits_.lease;
    if (over > now) {
      next = std::min(next, over);
      continue;
    }
    ++counts_.expired;
    end(here, "the lease is over");
  }
  return next;
}

void SessionTable::shut_down(const std::string& reason) {
  while (!sessions_.empty()) end(sessions_.begin(), reason);
}

void SessionTable::end(Sessions::iterator at, const std::string& reason) {
  const SessionKey key = at->first;
  const Bytes route = std::move(at->second.route);
  nonces_.erase(at->second.nonce);
  sessions_.erase(at);
  calls_.ended(key);
  reply(route, key, 0, [&](auto answer) { answer.initFarewell().setReason(reason); });
}

void SessionTable::refuse(const Bytes& route, Code code, const std::string& text) {
  ++counts_.refused;
  reply(route, {}, 0, [&](auto answer) {
    auto refused = answer.initRefused();
    refused.setCode(code);
    refused.setText(text);
  });
}

void SessionTable::fail(const Bytes& route, const SessionKey& key, std::uint64_t sequence,
                        Code code, const std::string& text) {
  reply(route, key, sequence, [&](auto answer) {
    auto failure = answer.initFailure();
    failure.setCode(code);
    failure.setText(text);
  });
}

void SessionTable::reply(const Bytes& route, const SessionKey& key, std::uint64_t sequence,
                         const std::function<void(wire::Envelope::Builder)>& fill) {
  auto envelope = writer_.begin();
  if (key != SessionKey{}) envelope.setSession(as_data(key));
  envelope.setSequence(sequence);
  fill(envelope);
  calls_.send(route, writer_.finish());
}

}  // namespace park::bridge
