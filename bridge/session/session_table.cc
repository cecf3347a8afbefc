// The sessions of a server by key. Each has a window of requests: worked on, or answered with the
// bytes kept for repetition. receive checks the envelope, counts a new request once and passes it
// on; finish keeps the reply and sends it; expire ends sessions whose lease is over. Tables are
// keyed by the server's random numbers or ordered, so that no choice of a client slows them. The
// dispatcher calls it from one thread.
#include "bridge/session/session_table.h"

#include <algorithm>
#include <cstring>
#include <limits>
#include <random>
#include <utility>

#include "bridge/codec/failure.h"
#include "bridge/codec/short_text.h"
#include "bridge/codec/wire_bytes.h"

namespace park::bridge {
namespace {

// Of all sessions beyond their bytes, requests that are smaller go on: they free memory, or need
// little.
constexpr std::uint64_t kSmallRequest = std::uint64_t{64} << 10;

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

/// As much of it as the number can tell.
template <class Number>
Number mib(std::uint64_t bytes) {
  constexpr unsigned kShift = 20;
  constexpr std::uint64_t kMost = std::numeric_limits<Number>::max();
  return static_cast<Number>(std::min(bytes >> kShift, kMost));
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
  if (const std::string why = no_place(route, now); !why.empty())
    return refuse(route, Code::TOO_MUCH, why);
  const SessionKey key = calls_.new_key();
  const bool were_short = places_are_short();
  Session& session = sessions_[key];
  session.route = route;
  session.opened = session.heard = now;
  session.opened_by = opened_by_.try_emplace(route).first;
  ++session.opened_by->second.sessions;
  const bool are_short = places_are_short();
  look_ = are_short && !were_short ? now : std::min(look_, now + limits_.unused);
  nonces_[nonce] = key;
  session.nonce = nonce;
  ++counts_.opened;
  welcome(route, key, from);
}

std::string SessionTable::no_place(const Bytes& route, Time now) {
  if (const auto of = opened_by_.find(route);
      of != opened_by_.end() && of->second.sessions >= limits_.most_of_connection)
    return "the connection has opened " + std::to_string(of->second.sessions) +
           " sessions, which is the most that the server allows";
  if (sessions_.size() >= limits_.most_sessions) static_cast<void>(expire(now));
  if (sessions_.size() < limits_.most_sessions) return {};
  return "the server has " + std::to_string(sessions_.size()) +
         " sessions, which is the most that it allows";
}

bool SessionTable::places_are_short() const noexcept {
  return sessions_.size() >= limits_.most_sessions - limits_.most_sessions / 4;
}

bool SessionTable::bytes_are_short() const noexcept {
  return bytes_ >= limits_.most_server_bytes - limits_.most_server_bytes / 4;
}

void SessionTable::count_bytes(const Session& session, std::uint64_t before) {
  const bool were_short = bytes_are_short();
  const std::uint64_t change = session.bytes() - before;  // less than before: it wraps around
  bytes_ += change;
  session.opened_by->second.bytes += change;
  if (bytes_are_short() && !were_short) look_ = {};
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
    to.setMostSessionMib(mib<std::uint32_t>(limits_.most_session_bytes));
    to.setMostServerMib(mib<std::uint16_t>(limits_.most_server_bytes));
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
  const std::string beyond = beyond_bytes(session, frame.size(), envelope);
  const std::uint64_t before = session.bytes();
  session.requests += frame.size();
  count_bytes(session, before);
  if (beyond.empty()) return calls_.work(key, frame, envelope);
  auto reply = writer_.begin();
  reply.setSession(as_data(key));
  reply.setSequence(sequence);
  reply.initFailure().setCode(Code::TOO_MUCH);
  reply.getFailure().setText(beyond);
  finish(key, sequence, writer_.finish(), {.request = frame.size(), .owned = session.owned});
}

std::string SessionTable::beyond_bytes(const Session& session, std::uint64_t size,
                                       wire::Envelope::Reader request) const {
  if (request.isCloseStream() || request.isClosePolicy()) return {};
  if (session.bytes() + size > limits_.most_session_bytes)
    return "bytes: the session keeps " + std::to_string(session.bytes()) + ", at most " +
           std::to_string(limits_.most_session_bytes) + " are allowed";
  const bool opens = request.isOpenStream() || request.isOpenPolicy();
  if (!opens && size <= kSmallRequest) return {};
  if (bytes_ + size > limits_.most_server_bytes)
    return "bytes: the sessions of the server keep " + std::to_string(bytes_) + ", at most " +
           std::to_string(limits_.most_server_bytes) + " are allowed";
  const std::uint64_t free = limits_.most_server_bytes - bytes_;
  const std::uint64_t of_connection = session.opened_by->second.bytes;
  if (of_connection + size > free)
    return "bytes: the sessions of the connection keep " + std::to_string(of_connection) +
           ", at most the " + std::to_string(free) + " that the server has free are allowed";
  return {};
}

void SessionTable::finish(const SessionKey& key, std::uint64_t sequence,
                          std::span<const std::byte> envelope, const RequestBytes& bytes) {
  const auto found = sessions_.find(key);
  if (found == sessions_.end()) return;
  Session& session = found->second;
  --session.working;
  const std::uint64_t before = session.bytes();
  session.requests -= std::min(session.requests, bytes.request);
  session.owned = bytes.owned;
  const Bytes& kept = keep(session, sequence, envelope);
  count_bytes(session, before);
  calls_.send(session.route, kept);
}

const Bytes& SessionTable::keep(Session& session, std::uint64_t sequence,
                                std::span<const std::byte> envelope) {
  if (session.replies.size() < limits_.window) {
    const auto at =
        session.replies.emplace(sequence, Bytes(envelope.begin(), envelope.end())).first;
    session.kept += at->second.capacity();
    return at->second;
  }
  auto oldest = session.replies.extract(session.replies.begin());  // its memory is used again
  session.kept -= oldest.mapped().capacity();
  oldest.key() = sequence;
  replace_bytes(oldest.mapped(), envelope);
  session.kept += oldest.mapped().capacity();
  return session.replies.insert(std::move(oldest)).position->second;
}

Time SessionTable::expire(Time now) {
  if (now < look_) return look_;
  const bool few = places_are_short(), little = bytes_are_short();
  look_ = now + (few || little ? limits_.unused : limits_.lease);
  for (auto at = sessions_.begin(); at != sessions_.end();) {
    const auto here = at++;
    const Session& session = here->second;
    const bool unused = few && session.begun == 0;
    const Time silent = session.heard + limits_.lease;
    Time over = unused ? std::min(silent, session.opened + limits_.unused) : silent;
    if ((few || little) && is_lost(session)) over = std::min(over, session.heard + limits_.unused);
    if (over > now) {
      look_ = std::min(look_, over);
      continue;
    }
    ++counts_.expired;
    end(here, silent <= now ? "the lease is over"
              : unused      ? "it was never used, and places are short"
              : little      ? "its connection was lost, and bytes are short"
                            : "its connection was lost, and places are short");
  }
  return look_;
}

bool SessionTable::is_lost(const Session& session) const {
  return calls_.connected && !calls_.connected(session.route);
}

void SessionTable::disconnect(const Bytes& route, const std::string& reason) {
  for (auto at = sessions_.begin(); at != sessions_.end();) {
    const auto here = at++;
    if (here->second.route == route) end(here, reason);
  }
}

void SessionTable::shut_down(const std::string& reason) {
  while (!sessions_.empty()) end(sessions_.begin(), reason);
}

void SessionTable::end(Sessions::iterator at, const std::string& reason) {
  const SessionKey key = at->first;
  const Bytes route = std::move(at->second.route);
  nonces_.erase(at->second.nonce);
  const auto opened_by = at->second.opened_by;
  opened_by->second.bytes -= at->second.bytes();
  bytes_ -= at->second.bytes();
  if (--opened_by->second.sessions == 0) opened_by_.erase(opened_by);
  sessions_.erase(at);
  calls_.ended(key);
  reply(route, key, 0, [&](auto answer) { answer.initFarewell().setReason(reason); });
}

void SessionTable::refuse(const Bytes& route, Code code, const std::string& text) {
  ++counts_.refused;
  reply(route, {}, 0, [&](auto answer) {
    auto refused = answer.initRefused();
    refused.setCode(code);
    refused.setText(short_text(text));
  });
}

void SessionTable::fail(const Bytes& route, const SessionKey& key, std::uint64_t sequence,
                        Code code, const std::string& text) {
  reply(route, key, sequence, [&](auto answer) {
    auto failure = answer.initFailure();
    failure.setCode(code);
    failure.setText(short_text(text));
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
