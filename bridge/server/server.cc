#include "bridge/server/server.h"

#include <sys/eventfd.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <mutex>
#include <optional>
#include <utility>
#include <vector>
#include <zmq.hpp>

#include "bridge/codec/failure.h"
#include "bridge/codec/wire_bytes.h"
#include "bridge/server/workers.h"
#include "bridge/transport/allow_list.h"
#include "bridge/transport/bound_endpoint.h"
#include "bridge/transport/zmq_options.h"
#include "park/core/error.h"

namespace park::bridge {
namespace {

using std::chrono::duration;
using std::chrono::steady_clock;

// Below this a request costs less than handing it to another thread and back.
constexpr double kQuickS = 1e-4;
constexpr double kForget = 0.2;      // of the mean time of a session's requests
constexpr int kMessagesAtOnce = 64;  // before finished work is looked at

/// Wakes a poll from another thread.
class Wake {
 public:
  Wake() : fd_(eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC)) {}
  ~Wake() { close(fd_); }
  Wake(const Wake&) = delete;
  Wake& operator=(const Wake&) = delete;
  void operator()() const noexcept {
    const std::uint64_t one = 1;
    while (write(fd_, &one, sizeof one) < 0 && errno == EINTR) {
    }
  }
  void clear() const noexcept {
    std::uint64_t n = 0;
    while (read(fd_, &n, sizeof n) < 0 && errno == EINTR) {
    }
  }
  [[nodiscard]] int fd() const noexcept { return fd_; }

 private:
  int fd_;
};

Code code_of(Errc code) {
  switch (code) {
    case Errc::unknown_name:
      return Code::UNKNOWN_NAME;
    case Errc::illegal_action:
      return Code::ILLEGAL_ACTION;
    case Errc::invalid_config:
    case Errc::syntax:
    case Errc::bad_file:
    case Errc::io:
    case Errc::unavailable:
      return Code::INVALID_CONFIG;
    default:
      return Code::ENVIRONMENT_FAILED;
  }
}

wire::Envelope::Builder begin(EnvelopeWriter& writer, const SessionKey& key,
                              std::uint64_t sequence) {
  auto reply = writer.begin();
  reply.setSession(as_data(key));
  reply.setSequence(sequence);
  return reply;
}

/// The reply of a service, or what went wrong.
std::span<const std::byte> answer(Service& service, const SessionKey& key,
                                  wire::Envelope::Reader request, std::uint64_t most_bytes,
                                  EnvelopeWriter& writer) {
  const std::uint64_t sequence = request.getSequence();
  const auto fail = [&](Code code, const std::string& text) {
    auto failure = begin(writer, key, sequence).initFailure();
    failure.setCode(code);
    failure.setText(text);
    return writer.finish();
  };
  try {
    decoding([&] { service.handle(request, begin(writer, key, sequence)); });
    const auto bytes = writer.finish();
    if (bytes.size() + kPreambleBytes <= most_bytes) return bytes;
    return fail(Code::TOO_MUCH, "message: the reply has " + std::to_string(bytes.size()) +
                                    " bytes, at most " + std::to_string(most_bytes) +
                                    " are allowed");
  } catch (const Failed& failed) {
    return fail(failed.code(), failed.what());
  } catch (const Error& error) {
    return fail(code_of(error.code()), error.what());
  } catch (const std::exception& error) {
    return fail(Code::INTERNAL, error.what());
  }
}

}  // namespace

class Server::Loop {
 public:
  Loop(ServerOptions options, MakeService make)
      : options_(std::move(options)),
        make_(std::move(make)),
        bound_(options_.endpoint, encrypted()),
        socket_(context_, zmq::socket_type::router),
        table_(options_.limits, options_.name, calls()),
        workers_(options_.workers) {
    set_options(socket_);
    socket_.set(zmq::sockopt::router_mandatory, true);  // else what cannot be sent is lost unseen
    socket_.set(zmq::sockopt::maxmsgsize, static_cast<std::int64_t>(options_.limits.most_bytes));
    socket_.set(zmq::sockopt::sndhwm, static_cast<int>(2 * options_.limits.window));
    socket_.set(zmq::sockopt::rcvhwm, static_cast<int>(2 * options_.limits.window));
    if (encrypted()) {
      allow_.emplace(context_, options_.allowed);
      socket_.set(zmq::sockopt::curve_server, true);
      socket_.set(zmq::sockopt::curve_secretkey, options_.keys.secret_key);
    }
    try {
      socket_.bind(options_.endpoint);
    } catch (const zmq::error_t& error) {
      throw Failed(Code::NOT_ALLOWED, "endpoint: " + options_.endpoint + ": " + error.what());
    }
    endpoint_ = socket_.get(zmq::sockopt::last_endpoint);
  }

  void run(const std::stop_token& stop) {
    const std::stop_callback wake(stop, [this] { wake_(); });
    while (!stop.stop_requested()) {
      wait();
      for (int i = 0; i < kMessagesAtOnce && receive(); ++i) {
      }
      finish_done();
    }
    table_.shut_down("the server ends");
  }

  [[nodiscard]] const std::string& endpoint() const noexcept { return endpoint_; }
  [[nodiscard]] const SessionCounts& counts() const noexcept { return table_.counts(); }

 private:
  /// What a session has here.
  struct Seat {
    std::unique_ptr<Service> service;
    std::shared_ptr<Workers::Strand> strand;
    double mean_s = 1;  // of a request; whoever does one writes it
  };
  struct Done {
    SessionKey key;
    std::uint64_t sequence;
    Bytes envelope;
  };

  SessionTable::Calls calls() {
    return {.send = [this](const Bytes& to, std::span<const std::byte> e) { send(to, e); },
            .work = [this](const SessionKey& key, std::span<const std::byte> frame,
                           wire::Envelope::Reader e) { work(key, frame, e); },
            .ended = [this](const SessionKey& key) { seats_.erase(key); },
            .new_key = &random_key};
  }

  void wait() {
    const auto now = steady_clock::now();
    const auto left = std::chrono::ceil<std::chrono::milliseconds>(table_.expire(now) - now);
    zmq::pollitem_t items[] = {{socket_.handle(), 0, ZMQ_POLLIN, 0},
                               {nullptr, wake_.fd(), ZMQ_POLLIN, 0}};
    constexpr std::chrono::milliseconds kLongest{1'000};
    poll(items, std::clamp(left, std::chrono::milliseconds(0), kLongest));
    if ((items[1].revents & ZMQ_POLLIN) != 0) wake_.clear();
  }

  /// Takes one message; false where there is none.
  bool receive() {
    frames_.clear();
    std::size_t n = 0;
    bool more = true;
    for (; more; ++n) {
      if (n == parts_.size()) parts_.emplace_back();
      if (!socket_.recv(parts_[n], zmq::recv_flags::dontwait)) return false;
      more = parts_[n].more();
      if (n == kMostParts) parts_[--n].rebuild();  // the rest of a message that is none of ours
    }
    for (std::size_t i = 1; i < n; ++i) frames_.push_back(bytes_of(parts_[i]));
    const auto route = bytes_of(parts_[0]);
    route_.assign(route.begin(), route.end());
    table_.receive(route_, frames_, steady_clock::now());
    return true;
  }

  void send(const Bytes& to, std::span<const std::byte> envelope) {
    const auto first = preamble();
    try {  // what cannot be sent now is asked for again, or its client is gone
      constexpr auto kMore = zmq::send_flags::sndmore | zmq::send_flags::dontwait;
      if (!socket_.send(zmq::buffer(to), kMore)) return;
      static_cast<void>(socket_.send(zmq::buffer(first), kMore));
      static_cast<void>(
          socket_.send(zmq::buffer(envelope.data(), envelope.size()), zmq::send_flags::dontwait));
    } catch (const zmq::error_t& error) {
      if (error.num() != EHOSTUNREACH) throw;
    }
  }

  void work(const SessionKey& key, std::span<const std::byte> frame,
            wire::Envelope::Reader request) {
    std::shared_ptr<Seat>& seat = seats_[key];
    if (!seat) {
      seat = std::make_shared<Seat>();
      seat->service = make_();
      seat->strand = workers_.strand();
    }
    if (workers_.idle(*seat->strand) && seat->mean_s < kQuickS) {
      const std::uint64_t sequence = request.getSequence();
      const std::shared_ptr<Seat> kept = seat;
      table_.finish(key, sequence, timed(*kept, key, request, writer_));
      return;
    }
    workers_.add(seat->strand, [this, seat, key, copy = Bytes(frame.begin(), frame.end())] {
      thread_local EnvelopeReader reader;
      thread_local EnvelopeWriter writer;
      const auto envelope = reader.read(copy);
      const std::uint64_t sequence = envelope.getSequence();
      const auto bytes = timed(*seat, key, envelope, writer);
      const std::lock_guard lock(mutex_);
      done_.push_back({key, sequence, Bytes(bytes.begin(), bytes.end())});
      wake_();
    });
  }

  /// Does a request, and follows how long those of a session take; opening is done once.
  std::span<const std::byte> timed(Seat& seat, const SessionKey& key,
                                   wire::Envelope::Reader request, EnvelopeWriter& writer) {
    const auto begin = steady_clock::now();
    const auto bytes = answer(*seat.service, key, request, options_.limits.most_bytes, writer);
    const double took_s = duration<double>(steady_clock::now() - begin).count();
    if (request.isStep() || request.isAsk()) {
      seat.mean_s = seat.mean_s == 1 ? took_s : seat.mean_s + kForget * (took_s - seat.mean_s);
    }
    return bytes;
  }

  void finish_done() {
    {
      const std::lock_guard lock(mutex_);
      std::swap(done_, finished_);
    }
    for (const Done& d : finished_) table_.finish(d.key, d.sequence, d.envelope);
    finished_.clear();
  }

  /// With keys of its own, and clients that it lets in.
  [[nodiscard]] bool encrypted() const {
    return !options_.keys.secret_key.empty() && !options_.allowed.empty();
  }

  static constexpr std::size_t kMostParts = 4;

  ServerOptions options_;
  MakeService make_;
  BoundEndpoint bound_;
  zmq::context_t context_;
  std::optional<AllowList> allow_;
  zmq::socket_t socket_;
  std::string endpoint_;
  SessionTable table_;
  std::map<SessionKey, std::shared_ptr<Seat>> seats_;
  std::vector<zmq::message_t> parts_;
  std::vector<std::span<const std::byte>> frames_;
  Bytes route_;
  EnvelopeWriter writer_;
  Wake wake_;
  std::mutex mutex_;  // of done_
  std::vector<Done> done_, finished_;
  Workers workers_;  // last: its threads use the rest
};

Server::Server(ServerOptions options, MakeService make)
    : loop_(std::make_unique<Loop>(std::move(options), std::move(make))) {}
Server::~Server() = default;
const std::string& Server::endpoint() const noexcept { return loop_->endpoint(); }
void Server::run(const std::stop_token& stop) { loop_->run(stop); }
const SessionCounts& Server::counts() const noexcept { return loop_->counts(); }

}  // namespace park::bridge
