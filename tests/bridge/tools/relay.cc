// A relay between clients and a server over ZeroMQ: a fault decides what becomes of each message.
#include "tests/bridge/tools/relay.h"

#include <algorithm>
#include <cstdint>
#include <map>
#include <utility>
#include <vector>
#include <zmq.hpp>

#include "bridge/session/session_table.h"
#include "bridge/transport/bound_endpoint.h"
#include "bridge/transport/zmq_options.h"
#include "tests/bridge/tools/bytes.h"

namespace park::bridge::test {
namespace {

using std::chrono::steady_clock;
using Frames = std::vector<Bytes>;

constexpr std::chrono::milliseconds kLook{20};  // how soon a stop is noticed

Frames whole(std::span<const std::byte> envelope) { return {copy(preamble()), copy(envelope)}; }

/// All frames of a message; none where there is no message.
Frames receive(zmq::socket_t& socket) {
  Frames frames;
  zmq::message_t part;
  do {
    if (!receive_now(socket, part)) return {};
    frames.push_back(copy(bytes_of(part)));
  } while (part.more());
  return frames;
}

void send(zmq::socket_t& socket, const Frames& frames) {
  try {
    for (std::size_t i = 0; i < frames.size(); ++i)
      if (!send_now(socket, frames[i], i + 1 < frames.size())) return;
  } catch (const zmq::error_t& error) {
    if (error.num() != EHOSTUNREACH) throw;
  }
}

}  // namespace

class Relay::Loop {
 public:
  Loop(const std::string& bind, std::string server, Fault fault)
      : server_(std::move(server)),
        fault_(std::move(fault)),
        bound_(bind),
        front_(context_, zmq::socket_type::router) {
    set_options(front_);
    bind_to(front_, bind);
    endpoint_ = front_.get(zmq::sockopt::last_endpoint);
  }

  void run(const std::stop_token& stop) {
    while (!stop.stop_requested()) {
      wait();
      for (Frames frames = receive(front_); !frames.empty(); frames = receive(front_))
        from_client(frames);
      for (auto& client : clients_)
        for (Frames frames = receive(client->back); !frames.empty(); frames = receive(client->back))
          handle(*client, Way::to_client, frames);
      deliver();
    }
  }

  [[nodiscard]] const std::string& endpoint() const noexcept { return endpoint_; }

 private:
  struct Client {
    std::size_t number;
    Bytes route;
    zmq::socket_t back;
  };

  class Ways final : public Post {
   public:
    Ways(Loop& loop, Client& client, Way way) : loop_(loop), client_(client), way_(way) {}
    void on(std::span<const std::byte> envelope, std::chrono::milliseconds delay) override {
      loop_.later_.emplace(steady_clock::now() + delay, Letter{&client_, way_, whole(envelope)});
    }
    void now(std::span<const std::byte> envelope) override {
      loop_.send_to(client_, way_, whole(envelope));
    }
    void back(std::span<const std::byte> envelope) override {
      loop_.send_to(client_, way_ == Way::to_server ? Way::to_client : Way::to_server,
                    whole(envelope));
    }
    void raw(std::span<const std::span<const std::byte>> frames) override {
      Frames all;
      for (const auto& frame : frames) all.push_back(copy(frame));
      loop_.send_to(client_, Way::to_client, std::move(all));
    }

   private:
    Loop& loop_;
    Client& client_;
    Way way_;
  };

  struct Letter {
    Client* client;
    Way way;
    Frames frames;
  };

  void wait() {
    std::vector<zmq::pollitem_t> items{{front_.handle(), 0, ZMQ_POLLIN, 0}};
    for (auto& client : clients_) items.push_back({client->back.handle(), 0, ZMQ_POLLIN, 0});
    auto left = kLook;
    if (!later_.empty())
      left = std::clamp(
          std::chrono::ceil<std::chrono::milliseconds>(later_.begin()->first - steady_clock::now()),
          std::chrono::milliseconds(0), kLook);
    poll(items, left);
  }

  void from_client(Frames& frames) {
    auto found = std::ranges::find_if(
        clients_, [&](const auto& client) { return client->route == frames.front(); });
    if (found == clients_.end()) {
      clients_.push_back(std::make_unique<Client>(
          clients_.size(), frames.front(), zmq::socket_t(context_, zmq::socket_type::dealer)));
      found = clients_.end() - 1;
      set_options((*found)->back);
      connect_to((*found)->back, server_);
    }
    frames.erase(frames.begin());
    handle(**found, Way::to_server, frames);
  }

  void handle(Client& client, Way way, const Frames& frames) {
    try {
      if (frames.size() == 2 && major_of(frames[0]) == kMajor) {
        const auto envelope = reader_.read(frames[1]);
        Ways post(*this, client, way);
        return fault_(client.number, way, envelope, frames[1], post);
      }
    } catch (const Failed&) {  // no message
    }
    send_to(client, way, frames);
  }

  void deliver() {
    while (!later_.empty() && later_.begin()->first <= steady_clock::now()) {
      const Letter letter = std::move(later_.extract(later_.begin()).mapped());
      send_to(*letter.client, letter.way, letter.frames);
    }
  }

  void send_to(Client& client, Way way, Frames frames) {
    if (way == Way::to_client) frames.insert(frames.begin(), client.route);
    send(way == Way::to_server ? client.back : front_, frames);
  }

  std::string server_, endpoint_;
  Fault fault_;
  BoundEndpoint bound_;
  zmq::context_t context_;
  zmq::socket_t front_;
  EnvelopeReader reader_;
  std::vector<std::unique_ptr<Client>> clients_;
  std::multimap<steady_clock::time_point, Letter> later_;
};

Relay::Relay(const std::string& bind, std::string server, Fault fault)
    : loop_(std::make_unique<Loop>(bind, std::move(server), std::move(fault))) {}
Relay::~Relay() = default;
const std::string& Relay::endpoint() const noexcept { return loop_->endpoint(); }
void Relay::run(const std::stop_token& stop) { loop_->run(stop); }

}  // namespace park::bridge::test
