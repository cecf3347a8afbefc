// A client's socket and the events of its connection. recv polls both: an event tells of a failed
// handshake or of a connection's descriptor; a message has two frames, and one with more is
// dropped. What waits and what is under way is compared with its limit. Connection makes it.
#include "bridge/transport/zmq_channel.h"

#include <algorithm>
#include <array>
#include <atomic>

#include "bridge/codec/failure.h"
#include "bridge/transport/endpoint.h"
#include "bridge/transport/greeting.h"
#include "bridge/transport/zmq_options.h"

namespace park::bridge {
namespace {

// Of the whole process, as signals are.
std::atomic<bool (*)() noexcept> g_interrupted{nullptr};

}  // namespace

void end_waits_when(bool (*interrupted)() noexcept) noexcept { g_interrupted = interrupted; }

ZmqChannel::ZmqChannel(zmq::context_t& context, const Address& address)
    : context_(context),
      endpoint_(address.endpoint),
      encrypted_(!address.server_key.empty()),
      socket_(context, zmq::socket_type::dealer),
      events_(context, zmq::socket_type::pair),
      under_way_(kMostPartBytes) {
  static_cast<void>(read_endpoint(endpoint_, EndpointUse::connect));
  set_options(socket_);
  read_always(socket_);                        // check_under_way and note_taken limit what waits
  socket_.set(zmq::sockopt::immediate, true);  // queues nothing for a server that is not there
  socket_.set(zmq::sockopt::reconnect_ivl, 100);
  socket_.set(zmq::sockopt::reconnect_ivl_max, 2000);
  if (encrypted_) {
    socket_.set(zmq::sockopt::curve_serverkey, address.server_key);
    socket_.set(zmq::sockopt::curve_publickey, address.keys.public_key);
    socket_.set(zmq::sockopt::curve_secretkey, address.keys.secret_key);
  }
  watch();
  try {
    connect_to(socket_, endpoint_);
  } catch (const zmq::error_t& error) {
    throw Failed(Code::INVALID_CONFIG, "endpoint: " + endpoint_ + ": " + error.what());
  }
}

ZmqChannel::~ZmqChannel() {
  drop_under_way();
  zmq_socket_monitor(socket_.handle(), nullptr, 0);
}

/// ZeroMQ frees the parts of a message without an end where its connection ends, but not where the socket
/// ends first.
void ZmqChannel::drop_under_way() noexcept try {
  if (!under_way_.cut()) return;
  constexpr std::chrono::seconds kLongest{2};
  zmq::pollitem_t item{events_.handle(), 0, ZMQ_POLLIN, 0};
  for (const Time until = now() + kLongest; now() < until;) {
    poll({&item, 1}, std::chrono::milliseconds(100));
    while (const std::optional<SocketEvent> event = receive_event(events_))
      if (event->kind == ZMQ_EVENT_DISCONNECTED) return;
  }
} catch (const zmq::error_t&) {  // the memory of those parts is all that is lost
}

/// ZeroMQ tries a connection that was turned away again and again, without a word.
void ZmqChannel::watch() {
  static std::atomic<std::uint64_t> number{0};
  const std::string at = "inproc://handshake" + std::to_string(number++);
  constexpr int kFailures = ZMQ_EVENT_HANDSHAKE_FAILED_NO_DETAIL |
                            ZMQ_EVENT_HANDSHAKE_FAILED_PROTOCOL | ZMQ_EVENT_HANDSHAKE_FAILED_AUTH;
  monitor(socket_, at, kFailures | ZMQ_EVENT_CONNECTED | ZMQ_EVENT_DISCONNECTED);
  events_.set(zmq::sockopt::linger, 0);
  events_.set(zmq::sockopt::rcvhwm, 0);  // ZeroMQ's thread would wait where there is no room
  connect_to(events_, at);
}

bool ZmqChannel::other_mechanism(Time until) {
  constexpr std::chrono::milliseconds kLongest{300};
  const std::string found = mechanism_of(context_, endpoint_, std::min(until, now() + kLongest));
  return !found.empty() && (found == "CURVE") != encrypted_;
}

void ZmqChannel::look_at_event(Time until) {
  const std::optional<SocketEvent> event = receive_event(events_);
  if (!event) return;
  const auto [kind, value] = *event;
  if (kind == ZMQ_EVENT_CONNECTED)
    under_way_.connected(value);
  else if (kind == ZMQ_EVENT_DISCONNECTED)
    under_way_.connected(-1);
  else
    look_at_handshake(kind, value, until);
}

void ZmqChannel::look_at_handshake(int event, std::int32_t value, Time until) {
  if (event == ZMQ_EVENT_HANDSHAKE_FAILED_AUTH)
    throw Failed(Code::NOT_ALLOWED, endpoint_ + ": the server does not let this client's key in (" +
                                        std::to_string(value) +
                                        "); it has to be on the server's list");
  if ((event == ZMQ_EVENT_HANDSHAKE_FAILED_PROTOCOL &&
       value == ZMQ_PROTOCOL_ERROR_ZMTP_MECHANISM_MISMATCH) ||
      (event == ZMQ_EVENT_HANDSHAKE_FAILED_NO_DETAIL && other_mechanism(until)))
    throw Failed(Code::NOT_ALLOWED, endpoint_ +
                                        ": one side encrypts (CURVE) and the other does not; a "
                                        "client needs server_key and key where its server has a "
                                        "key, and only there");
  trouble_ = event == ZMQ_EVENT_HANDSHAKE_FAILED_PROTOCOL
                 ? " (what listens there does not speak ZMTP 3)"
                 : " (the connection was closed in its handshake: is the server_key right?)";
}

void ZmqChannel::send(std::span<const std::byte> envelope) {
  const auto begin = preamble();
  // What cannot be sent now is lost; the session repeats it.
  constexpr bool kMore = true;
  if (send_now(socket_, begin, kMore)) send_now(socket_, envelope);
}

bool ZmqChannel::waiting() {
  zmq::pollitem_t item{socket_.handle(), 0, ZMQ_POLLIN, 0};
  poll({&item, 1}, std::chrono::milliseconds(0));
  return (item.revents & ZMQ_POLLIN) != 0;
}

/// REQUIRES that a poll has found no whole message.
void ZmqChannel::check_under_way() {
  if (!under_way_.too_large(1) || waiting()) return;  // or its end came meanwhile
  throw Failed(Code::TOO_MUCH, endpoint_ + ": a message of the server does not end; at most " +
                                   std::to_string(kMostPartBytes) + " bytes are read");
}

void ZmqChannel::note_taken(std::uint64_t bytes) {
  under_way_.heard(bytes);
  if (!waiting()) return under_way_.drained();
  if (under_way_.too_large(kMessagesWaiting))
    throw Failed(Code::TOO_MUCH, endpoint_ + ": the server sends much more than it is asked for");
}

/// Takes a message that waits; false: it is none of this protocol.
bool ZmqChannel::take() {
  if (!receive_now(socket_, first_)) return false;
  std::uint64_t bytes = wire_bytes(first_.size(), encrypted_);
  std::size_t frames = 1;
  zmq::message_t more;
  for (zmq::message_t* last = &first_; last->more(); ++frames) {
    last = frames == 1 ? &second_ : &more;
    if (!receive_now(socket_, *last)) return false;
    bytes += wire_bytes(last->size(), encrypted_);
  }
  note_taken(bytes);
  if (frames == 1) return false;
  if (const auto major = major_of(bytes_of(first_)); major && *major != kMajor)
    throw Failed(Code::UNSUPPORTED, "the server speaks version " + std::to_string(*major) +
                                        ", this client version " + std::to_string(kMajor));
  return frames == 2;
}

std::optional<std::span<const std::byte>> ZmqChannel::recv(Time until) {
  for (;;) {
    const auto left = std::chrono::ceil<std::chrono::milliseconds>(until - now());
    zmq::pollitem_t items[] = {{socket_.handle(), 0, ZMQ_POLLIN, 0},
                               {events_.handle(), 0, ZMQ_POLLIN, 0}};
    if (g_interrupted.load() != nullptr && g_interrupted.load()())
      throw Failed(Code::LATE, "interrupted while waiting for " + endpoint_);
    constexpr std::chrono::milliseconds kLongest{100};  // until a signal is noticed
    poll(items, std::clamp(left, std::chrono::milliseconds(0), kLongest));
    if ((items[1].revents & ZMQ_POLLIN) != 0) look_at_event(until);
    if ((items[0].revents & ZMQ_POLLIN) == 0)
      check_under_way();
    else if (take())
      return bytes_of(second_);
    if (now() >= until) return {};
  }
}

}  // namespace park::bridge
