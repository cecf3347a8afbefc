// A client's session: a ring of places, one per request of the window. send writes a request, wait
// reads messages until its reply is there and repeats all requests without a reply when the time is
// up. Hello is repeated until Welcome comes. There is no thread and no clock of its own;
// connections call it.
#include "bridge/session/client_session.h"

#include <algorithm>
#include <cstring>
#include <limits>
#include <utility>

#include "bridge/codec/failure.h"
#include "bridge/codec/short_text.h"
#include "bridge/codec/wire_bytes.h"
#include "park/core/text.h"

namespace park::bridge {
namespace {

/// What is wrong with a Welcome: a limit that no client can work with.
std::optional<Failed> wrong_with(wire::Welcome::Reader from) {
  if (from.getSession().size() != SessionKey{}.size())
    return Failed(Code::MALFORMED, "welcome: session: is not 16 bytes");
  const std::pair<const char*, std::uint64_t> limits[] = {{"window", from.getWindow()},
                                                          {"leaseMs", from.getLeaseMs()},
                                                          {"mostBytes", from.getMostBytes()},
                                                          {"mostSlots", from.getMostSlots()},
                                                          {"heartbeatMs", from.getHeartbeatMs()}};
  for (const auto& [name, limit] : limits)
    if (limit == 0)
      return Failed(Code::MALFORMED,
                    std::string("welcome: ") + name + ": is 0, allowed is 1 or more");
  return {};
}

Limits limits_of(wire::Welcome::Reader from) {
  Limits limits;
  limits.window = from.getWindow();
  limits.lease = std::chrono::milliseconds(from.getLeaseMs());
  limits.heartbeat = std::chrono::milliseconds(from.getHeartbeatMs());
  limits.most_bytes = from.getMostBytes();
  limits.most_slots = from.getMostSlots();
  return limits;
}

/// Whether it answers a request; another kind is a pong, or of a version that this client does not
/// know.
bool is_reply(wire::Envelope::Reader envelope) {
  switch (envelope.which()) {
    case wire::Envelope::FAILURE:
    case wire::Envelope::STREAM_OPENED:
    case wire::Envelope::DECISIONS:
    case wire::Envelope::STREAM_CLOSED:
    case wire::Envelope::POLICY_OPENED:
    case wire::Envelope::ANSWER:
    case wire::Envelope::SCORES:
    case wire::Envelope::POLICY_CLOSED:
    case wire::Envelope::FAMILY:
      return true;
    default:
      return false;
  }
}

// The first one may come before the connection is there.
constexpr std::chrono::milliseconds kFirstHello{5};
constexpr int kMostBacklog = 64;  // messages that are looked at when it is late
// Rounds of repeats in which the server cannot read a message before the client gives up. A message
// that was damaged on its way is read when it comes again.
constexpr int kMostUnreadable = 4;
constexpr std::uint32_t kMostWindow =
    1024;  // places that a client keeps, whatever the server allows

/// A text of the server's, for people. What is shown is longer than what came, so both are cut.
std::string shown(capnp::Text::Reader from) {
  return short_text(printable(short_text(text_of(from)), "\n"));
}

}  // namespace

ClientSession::ClientSession(Channel& channel, ClientOptions options)
    : channel_(channel), options_(std::move(options)) {}

void ClientSession::open(Time deadline) {
  repeat_after_ = kFirstHello;
  const SessionKey nonce = random_key();
  while (!open_) {
    auto hello = writer_.begin().initHello();
    hello.setLeastMinor(kLeastMinor);
    hello.setMostMinor(kMostMinor);
    hello.setClient(options_.name);
    hello.setToken(as_data(options_.token));
    hello.setNonce(as_data(nonce));
    channel_.send(writer_.finish());
    told_ = false;
    const Time until = std::min(deadline, channel_.now() + repeat_after_);
    for (int late = 0; !open_ && late <= kMostBacklog;) {
      const auto envelope = channel_.recv(until);
      if (!envelope) break;
      receive(*envelope);
      if (channel_.now() >= until) ++late;
    }
    repeat_after_ = std::min(2 * repeat_after_, options_.repeat_most);
    if (!open_ && channel_.now() >= deadline)
      throw Failed(Code::LATE, "no server answers at " + channel_.endpoint());
  }
}

std::uint64_t ClientSession::send(std::chrono::milliseconds useful, const Fill& fill) {
  Place& p = place(next_);
  for (const Time latest = channel_.now() + useful;
       p.sequence != 0 && p.forgotten && open_ && channel_.now() < latest;)
    pump(latest);
  if (p.sequence != 0)
    throw Failed(Code::TOO_MUCH, "window: the reply to request " + std::to_string(p.sequence) +
                                     " has not been taken yet; at most " +
                                     std::to_string(window_.size()) + " may be under way");
  auto envelope = writer_.begin();
  envelope.setSession(as_data(key_));
  envelope.setSequence(next_);
  envelope.setDeadlineMs(static_cast<std::uint32_t>(
      std::clamp<std::int64_t>(useful.count(), 0, std::numeric_limits<std::uint32_t>::max())));
  fill(envelope);
  const std::span<const std::byte> bytes = writer_.finish();
  if (bytes.size() + kPreambleBytes > limits_.most_bytes)
    throw Failed(Code::TOO_MUCH, "message: " + std::to_string(bytes.size()) +
                                     " bytes, the server allows " +
                                     std::to_string(limits_.most_bytes));
  if (pending() == 0) {
    repeat_after_ = options_.repeat_first;
    repeat_at_ = channel_.now() + repeat_after_;
  }
  p.sequence = next_;
  p.answered = p.forgotten = false;
  p.request.assign(bytes.begin(), bytes.end());
  channel_.send(bytes);
  return next_++;
}

wire::Envelope::Reader ClientSession::wait(std::uint64_t sequence, Time deadline) {
  Place& p = place(sequence);
  if (p.sequence != sequence)
    throw Failed(Code::OUT_OF_ORDER,
                 "sequence: " + std::to_string(sequence) + " is not waited for");
  for (int late = 0; !p.answered;) {
    if (!open_) throw Failed(Code::NO_SESSION, "the session is over");
    if (channel_.now() >= deadline) ++late;  // it may be there all the same
    if (!pump(deadline) ? late > 0 : late > kMostBacklog)
      throw Failed(Code::LATE, "no reply from " + channel_.endpoint() + " in time");
  }
  return take(p);
}

wire::Envelope::Reader ClientSession::call(Time deadline, const Fill& fill) {
  const auto left =
      std::chrono::duration_cast<std::chrono::milliseconds>(deadline - channel_.now());
  return wait(send(left, fill), deadline);
}

void ClientSession::forget(std::uint64_t sequence) noexcept {
  Place& p = place(sequence);
  if (p.sequence != sequence) return;
  p.forgotten = true;
  if (p.answered) p.sequence = 0;
}

void ClientSession::close() noexcept {
  if (!open_) return;
  open_ = false;
  try {
    auto envelope = writer_.begin();
    envelope.setSession(as_data(key_));
    envelope.setGoodbye();
    channel_.send(writer_.finish());
  } catch (...) {  // the lease frees what the server keeps
  }
}

std::size_t ClientSession::pending() const noexcept {
  return static_cast<std::size_t>(std::ranges::count_if(
      window_, [](const Place& p) { return p.sequence != 0 && !p.answered; }));
}

bool ClientSession::is_pending(std::uint64_t sequence) const noexcept {
  const Place& p = window_[sequence % window_.size()];
  return p.sequence == sequence && !p.answered;
}

bool ClientSession::pump(Time deadline) {
  if (const auto envelope = channel_.recv(std::min(deadline, repeat_at_))) {
    receive(*envelope);
    return true;
  }
  if (channel_.now() >= repeat_at_) repeat_all();
  return false;
}

/// In their order, because the server takes them in no other.
void ClientSession::repeat_all() {
  for (std::uint64_t s = next_ > window_.size() ? next_ - window_.size() : 1; s < next_; ++s) {
    const Place& p = place(s);
    if (p.sequence != s || p.answered) continue;
    channel_.send(p.request);
    ++repeated_;
  }
  told_ = false;
  repeat_after_ = std::min(2 * repeat_after_, options_.repeat_most);
  repeat_at_ = channel_.now() + repeat_after_;
}

void ClientSession::receive(std::span<const std::byte> bytes) {
  std::optional<Failed> over;
  try {
    decoding([&] {
      const auto envelope = reader_.read(bytes);
      over = open_ ? heard(envelope, bytes) : welcomed(envelope);
    });
  } catch (const Failed&) {  // no message: as if it were lost
    ++malformed_;
  }
  if (over) throw Failed(*over);
}

std::optional<Failed> ClientSession::welcomed(wire::Envelope::Reader envelope) {
  if (envelope.isRefused())
    return Failed(envelope.getRefused().getCode(), shown(envelope.getRefused().getText()));
  if (envelope.isFailure() && envelope.getSession().size() == 0)
    return unreadable(envelope.getFailure());
  if (!envelope.isWelcome()) return {};  // of a session before
  const auto welcome = envelope.getWelcome();
  if (auto wrong = wrong_with(welcome)) return wrong;
  limits_ = limits_of(welcome);
  minor_ = welcome.getMinor();
  server_ = shown(welcome.getServer());
  std::memcpy(key_.data(), welcome.getSession().begin(), key_.size());
  window_.assign(std::min(limits_.window, kMostWindow), {});
  open_ = true;
  unreadable_ = 0;
  return {};
}

std::optional<Failed> ClientSession::unreadable(wire::Failure::Reader failure) {
  if (failure.getCode() != Code::MALFORMED || std::exchange(told_, true)) return {};
  if (++unreadable_ < kMostUnreadable) return {};
  return Failed(Code::MALFORMED,
                "the server cannot read what this client sends: " + shown(failure.getText()));
}

std::optional<Failed> ClientSession::heard(wire::Envelope::Reader envelope,
                                           std::span<const std::byte> bytes) {
  if (envelope.isFailure() && envelope.getSession().size() == 0 && envelope.getSequence() == 0)
    return pending() == 0 ? std::nullopt : unreadable(envelope.getFailure());
  if (!std::ranges::equal(envelope.getSession(), key_, {}, {},
                          [](std::byte b) { return std::to_integer<kj::byte>(b); }))
    return {};
  if (envelope.isFarewell()) {
    open_ = false;
    return Failed(Code::SHUTTING_DOWN,
                  "the server ended the session: " + shown(envelope.getFarewell().getReason()));
  }
  if (!is_reply(envelope)) return {};
  Place& p = place(envelope.getSequence());
  if (p.sequence != envelope.getSequence() || p.answered) return {};  // came twice
  p.reply.assign(bytes.begin(), bytes.end());
  p.answered = true;
  if (p.forgotten) p.sequence = 0;
  unreadable_ = 0;
  repeat_after_ = options_.repeat_first;
  repeat_at_ = channel_.now() + repeat_after_;
  return {};
}

wire::Envelope::Reader ClientSession::take(Place& p) {
  std::swap(taken_bytes_, p.reply);
  p.sequence = 0;
  const auto envelope = taken_.read(taken_bytes_);
  if (envelope.isFailure()) {
    const auto failure = envelope.getFailure();
    if (failure.getCode() == Code::NO_SESSION) open_ = false;
    throw Failed(failure.getCode(), shown(failure.getText()));
  }
  return envelope;
}

}  // namespace park::bridge
