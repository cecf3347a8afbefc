// An honest server in little, whose replies an Evil spoils before they are sent. A thread accepts
// connections, one thread each reads requests. A session has a service of the bridge, which makes
// the honest reply, and all its replies by number: a repeated request gets the same bytes. All
// sessions are behind one lock.
#include <algorithm>
#include <map>
#include <mutex>
#include <thread>

#include "bridge/codec/failure.h"
#include "bridge/codec/spec.h"
#include "bridge/codec/wire_bytes.h"
#include "bridge/server/policy_service.h"
#include "bridge/server/stream_service.h"
#include "bridge/session/session_table.h"
#include "park/core/error.h"
#include "tests/siege/evil/evil.h"

namespace park::siege {
namespace {

constexpr const char* kServed = "load_balance(servers=3,jobs=20)";  // where a client names none
constexpr milliseconds kEvilLook{100};

/// A session with its service; it begins with the first request.
struct EvilSession {
  std::unique_ptr<bridge::Service> service;
  std::map<std::uint64_t, Bytes> replies;
  std::map<int, std::uint64_t> requests;  // by kind
};

std::unique_ptr<bridge::Service> service_for(bool policies, Envelope::Reader first) {
  if (policies)
    return std::make_unique<bridge::PolicyService>(
        registry(), bridge::PolicyServiceOptions{.policy = "shortest_queue"});
  const bool named = first.isOpenStream() && first.getOpenStream().getEnv().size() > 0;
  return std::make_unique<bridge::StreamService>(
      registry(), bridge::StreamServiceOptions{.env = named ? "" : kServed});
}

void welcome(Envelope::Builder reply) {
  auto to = reply.initWelcome();
  to.setSession(bridge::as_data(bridge::random_key()));
  to.setServer("park_siege");
  to.setWindow(8);
  to.setLeaseMs(30'000);
  to.setMostBytes(std::uint64_t{64} << 20U);
  to.setMostSlots(4096);
  to.setHeartbeatMs(5'000);
}

void fail(Envelope::Builder reply, wire::Code code, const std::string& text) {
  auto to = reply.initFailure();
  to.setCode(code);
  to.setText(text);
}

}  // namespace

class EvilServer::Loop {
 public:
  Loop(Evil evil, const std::string& endpoint)
      : evil_(std::move(evil)),
        listener_(endpoint),
        accepting_([this](const std::stop_token& stop) {
          while (!stop.stop_requested())
            if (auto wire = listener_.accept(Clock::now() + kEvilLook)) admit(std::move(*wire));
        }) {}
  [[nodiscard]] const std::string& endpoint() const noexcept { return listener_.endpoint(); }

 private:
  void admit(Wire wire) {
    peers_.emplace_back([this, peer = Zmtp(std::move(wire))](const std::stop_token& stop) mutable {
      constexpr std::chrono::seconds kHandshake{5};
      if (!peer.shake_hands("ROUTER", Clock::now() + kHandshake)) return;
      while (!stop.stop_requested() && !peer.wire().over()) {
        const auto got = peer.recv(Clock::now() + kEvilLook);
        if (got && got->size() == 2 && !take(peer, (*got)[1])) return;
      }
    });
  }

  /// One request; false where the connection is to end.
  bool take(Zmtp& peer, const Bytes& frame) {
    const std::lock_guard lock(mutex_);
    try {
      bridge::EnvelopeReader reader;
      return bridge::decoding([&] { return answer(peer, reader.read(frame)); });
    } catch (const bridge::Failed&) {  // of a client that is no better
      return true;
    }
  }

  bool answer(Zmtp& peer, Envelope::Reader request) {
    const auto key = request.getSession();
    EvilSession& session =
        sessions_[std::string(reinterpret_cast<const char*>(key.begin()), key.size())];
    const std::uint64_t sequence = request.getSequence();
    const bool counts = sequence != 0 && !request.isPing() && !request.isGoodbye();
    if (const auto known = session.replies.find(sequence); counts && known != session.replies.end())
      return known->second.empty() || peer.send(message(known->second), soon());
    bridge::EnvelopeWriter writer;
    auto reply = writer.begin();
    if (!request.isHello()) reply.setSession(request.getSession());
    reply.setSequence(sequence);
    fill(session, request, reply);
    Turn turn{request, reply, peer, session.requests[static_cast<int>(request.which())]++};
    const After after = evil_.spoil ? evil_.spoil(turn) : After::send;
    if (after == After::close) return false;
    Bytes bytes;
    if (after == After::send) {
      const auto done = writer.finish();
      bytes.assign(done.begin(), done.end());
    }
    if (counts) session.replies[sequence] = bytes;
    return bytes.empty() || peer.send(message(bytes), soon());
  }

  /// The honest reply.
  void fill(EvilSession& session, Envelope::Reader request, Envelope::Builder reply) {
    if (request.isHello()) return welcome(reply);
    if (request.isPing()) return reply.setPong();
    if (request.isGoodbye()) return reply.initFarewell().setReason("goodbye");
    if (!session.service) session.service = service_for(evil_.policies, request);
    try {
      session.service->handle(request, reply);
    } catch (const bridge::Failed& failed) {
      fail(reply, failed.code(), failed.what());
    } catch (const Error& error) {
      fail(reply, wire::Code::INVALID_CONFIG, error.what());
    }
  }

  static Time soon() { return Clock::now() + std::chrono::seconds(10); }

  Evil evil_;
  Listener listener_;
  std::mutex mutex_;
  std::map<std::string, EvilSession> sessions_;
  std::vector<std::jthread> peers_;
  std::jthread accepting_;  // last: it uses the rest
};

EvilServer::EvilServer(const Evil& evil, const std::string& endpoint)
    : loop_(std::make_unique<Loop>(evil, endpoint)) {}
EvilServer::~EvilServer() = default;
const std::string& EvilServer::endpoint() const noexcept { return loop_->endpoint(); }

Spoil on(bool (Envelope::Builder::*kind)(), std::function<After(Turn&)> spoil) {
  return [=](Turn& turn) { return (turn.reply.*kind)() ? spoil(turn) : After::send; };
}

Spoil respec(std::function<void(Spec&)> change) {
  return on(&Envelope::Builder::isStreamOpened, [=](Turn& turn) {
    auto opened = turn.reply.getStreamOpened();
    Spec spec = bridge::read(opened.getSpec().asReader());
    change(spec);
    bridge::write(spec, opened.initSpec());
    return After::send;
  });
}

Spoil redecide(std::function<void(wire::Decisions::Builder)> change) {
  return [=](Turn& turn) {
    if (turn.reply.isStreamOpened()) change(turn.reply.getStreamOpened().getFirst());
    if (turn.reply.isDecisions()) change(turn.reply.getDecisions());
    return After::send;
  };
}

const Evil& evil_of(const std::string& name) {
  const auto found = std::ranges::find(evils(), name, &Evil::name);
  if (found != evils().end()) return *found;
  throw Trouble("--serve: \"" + name + "\" is no evil server; --list has them as evil-NAME");
}

}  // namespace park::siege
