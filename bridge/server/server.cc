// The loop of a server over a ROUTER socket. It polls the socket and a wake-up descriptor, hands
// every message to the dispatcher, sends the replies of finished work, and lets sessions expire.
// Workers wake the loop when they have finished something. Peers watches the connections: it looks
// before messages are taken, and judges when none is left. Two threads share the loop: if a request
// that the first one does itself takes long, the other one goes on with the loop. `park serve` and
// the Python package run it.
#include "bridge/server/server.h"

#include <sys/eventfd.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <exception>
#include <optional>
#include <thread>
#include <utility>
#include <vector>
#include <zmq.hpp>

#include "bridge/codec/failure.h"
#include "bridge/server/dispatcher.h"
#include "bridge/server/lead.h"
#include "bridge/transport/allow_list.h"
#include "bridge/transport/bound_endpoint.h"
#include "bridge/transport/peers.h"
#include "bridge/transport/under_way.h"
#include "bridge/transport/zmq_options.h"

namespace park::bridge {
namespace {

using std::chrono::steady_clock;

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
    while (::write(fd_, &one, sizeof one) < 0 && errno == EINTR) {
    }
  }
  void clear() const noexcept {
    std::uint64_t n = 0;
    while (::read(fd_, &n, sizeof n) < 0 && errno == EINTR) {
    }
  }
  [[nodiscard]] int fd() const noexcept { return fd_; }

 private:
  int fd_;
};

}  // namespace

class Server::Loop {
 public:
  Loop(ServerOptions options, MakeService make)
      : options_(checked(std::move(options))),
        bound_(options_.endpoint, encrypted()),
        socket_(context_, zmq::socket_type::router),
        dispatcher_({options_.limits, options_.name, options_.workers}, std::move(make),
                    {.send = [this](const Bytes& to, std::span<const std::byte> e) { send(to, e); },
                     .wake = [this] { wake_(); },
                     .apart = [this](const auto& work) { return lead_.keep_during(work); },
                     .connected = [this](const Bytes& route) { return peers_->has(route); }}) {
    set_options(socket_);
    socket_.set(zmq::sockopt::router_mandatory, true);  // else what cannot be sent is lost unseen
    socket_.set(zmq::sockopt::maxmsgsize, static_cast<std::int64_t>(options_.limits.most_bytes));
    socket_.set(zmq::sockopt::sndhwm, static_cast<int>(2 * options_.limits.window));
    read_always(socket_);  // Peers limits what waits
    peers_.emplace(context_, socket_, options_.limits.most_bytes, allowed());
    if (encrypted()) {
      allow_.emplace(context_, options_.allowed);
      socket_.set(zmq::sockopt::curve_server, true);
      socket_.set(zmq::sockopt::curve_secretkey, options_.keys.secret_key);
    }
    try {
      bind_to(socket_, bound_.text());
    } catch (const zmq::error_t& error) {
      throw Failed(Code::NOT_ALLOWED, "endpoint: " + options_.endpoint + ": " + error.what());
    }
    endpoint_ = socket_.get(zmq::sockopt::last_endpoint);
  }

  void run(const std::stop_token& stop) {
    const std::stop_callback told(stop, [this] { end(); });
    std::exception_ptr failed;
    const auto serve_safely = [&] {
      try {
        serve(end_.get_token());
      } catch (...) {  // of the thread that leads; the other one ends too
        failed = std::current_exception();
        end();
      }
    };
    lead_.take();
    {
      const std::jthread other(serve_safely);
      serve_safely();
    }
    if (failed) std::rethrow_exception(failed);
    dispatcher_.shut_down("the server ends");
  }

  /// From any thread.
  void allow(const std::vector<std::string>& keys) {
    allow_->replace(keys);
    keys_changed_ = true;
    wake_();
  }

  [[nodiscard]] const std::string& endpoint() const noexcept { return endpoint_; }
  [[nodiscard]] const SessionCounts& counts() const noexcept { return dispatcher_.counts(); }

 private:
  enum class Received { nothing, message, and_lost_lead };

  void end() {
    end_.request_stop();
    wake_();
  }

  /// Of one of the two threads.
  void serve(const std::stop_token& stop) {
    while (lead_.wait(stop))
      while (!stop.stop_requested() && turn()) {
      }
  }

  /// False: the other thread leads.
  bool turn() {
    wait();
    peers_->look(steady_clock::now());
    auto received = Received::message;
    for (int i = 0; i < kMessagesAtOnce && received == Received::message; ++i) received = receive();
    if (received == Received::and_lost_lead) return false;
    if (received == Received::nothing) peers_->drained();
    dispatcher_.finish_done();
    return true;
  }

  void wait() {
    const auto now = steady_clock::now();
    const auto left = std::chrono::ceil<std::chrono::milliseconds>(dispatcher_.expire(now) - now);
    zmq::pollitem_t items[] = {{socket_.handle(), 0, ZMQ_POLLIN, 0},
                               {nullptr, wake_.fd(), ZMQ_POLLIN, 0},
                               {nullptr, peers_->events_fd(), ZMQ_POLLIN, 0}};
    constexpr std::chrono::milliseconds kLongest{1'000};
    const auto most = std::min(kLongest, peers_->longest_wait());
    poll(items, std::clamp(left, std::chrono::milliseconds(0), most));
    if ((items[1].revents & ZMQ_POLLIN) != 0) wake_.clear();
    if ((items[2].revents & ZMQ_POLLIN) != 0) peers_->take_events();
  }

  /// Of connections and sessions whose key is not on the list any more.
  void end_strangers() {
    for (const Bytes& route : peers_->check_keys())
      dispatcher_.disconnect(route, "the client's key is not on the server's list any more");
  }

  /// Takes one message.
  Received receive() {
    if (keys_changed_ && keys_changed_.exchange(false)) end_strangers();
    frames_.clear();
    std::size_t n = 0;
    std::uint64_t bytes = 0;
    bool more = true;
    for (; more; ++n) {
      if (n == parts_.size()) parts_.emplace_back();
      if (!receive_now(socket_, parts_[n])) return Received::nothing;
      more = parts_[n].more();
      if (n > 0) bytes += wire_bytes(parts_[n].size(), encrypted());  // the first one is the route
      if (n == kMostParts) parts_[--n].rebuild();  // the rest of a message that is none of ours
    }
    for (std::size_t i = 1; i < n; ++i) frames_.push_back(bytes_of(parts_[i]));
    const auto route = bytes_of(parts_[0]);
    route_.assign(route.begin(), route.end());
    if (!peers_->heard(parts_[n > 1 ? 1 : 0], route_, bytes)) return Received::message;
    const bool leads = dispatcher_.receive(route_, frames_, steady_clock::now());
    return leads ? Received::message : Received::and_lost_lead;
  }

  void send(const Bytes& to, std::span<const std::byte> envelope) {
    const auto first = preamble();
    try {  // what cannot be sent now is asked for again, or its client is gone
      constexpr bool kMore = true;
      if (!send_now(socket_, to, kMore)) return;
      send_now(socket_, first, kMore);
      send_now(socket_, envelope);
    } catch (const zmq::error_t& error) {
      if (error.num() != EHOSTUNREACH) throw;
    }
  }

  /// Keys without a list would let everybody in, or nobody.
  static ServerOptions checked(ServerOptions options) {
    if (options.keys.secret_key.empty() == options.allowed.empty()) return options;
    throw Failed(Code::NOT_ALLOWED,
                 "keys, allowed: a server has keys and a list of the clients that it lets in, or "
                 "none of both");
  }
  [[nodiscard]] bool encrypted() const { return !options_.keys.secret_key.empty(); }
  /// Which keys are let in; empty for a server without keys.
  [[nodiscard]] Peers::Allowed allowed() {
    if (!encrypted()) return {};
    return [this](const std::string& key) { return allow_->has(key); };
  }

  static constexpr std::size_t kMostParts = 4;

  ServerOptions options_;
  BoundEndpoint bound_;
  zmq::context_t context_;
  std::optional<AllowList> allow_;
  zmq::socket_t socket_;
  std::optional<Peers> peers_;
  std::atomic<bool> keys_changed_ = false;
  std::string endpoint_;
  std::vector<zmq::message_t> parts_;
  std::vector<std::span<const std::byte>> frames_;
  Bytes route_;
  Wake wake_;
  Lead lead_;
  std::stop_source end_;   // of both threads
  Dispatcher dispatcher_;  // last: its workers use the rest
};

Server::Server(ServerOptions options, MakeService make)
    : loop_(std::make_unique<Loop>(std::move(options), std::move(make))) {}
Server::~Server() = default;
const std::string& Server::endpoint() const noexcept { return loop_->endpoint(); }
void Server::run(const std::stop_token& stop) { loop_->run(stop); }
void Server::allow(const std::vector<std::string>& keys) { loop_->allow(keys); }
const SessionCounts& Server::counts() const noexcept { return loop_->counts(); }

}  // namespace park::bridge
