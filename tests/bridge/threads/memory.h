#pragma once

#include <algorithm>
#include <array>
#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <cstring>
#include <deque>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <stop_token>
#include <string>
#include <utility>

#include "bridge/codec/frame.h"
#include "bridge/server/dispatcher.h"
#include "bridge/session/client_session.h"

namespace park::bridge::test {

/// Messages from some threads to one.
class Queue {
 public:
  struct Message {
    std::size_t from = 0;
    Bytes bytes;
  };
  void put(Message message) {
    const std::lock_guard lock(mutex_);
    messages_.push_back(std::move(message));
    ready_.notify_one();
  }
  void wake() {
    const std::lock_guard lock(mutex_);
    woken_ = true;
    ready_.notify_one();
  }
  /// The next message; nothing at the time, or where it was woken.
  std::optional<Message> take(Time until) {
    std::unique_lock lock(mutex_);
    ready_.wait_until(lock, until, [&] { return !messages_.empty() || woken_; });
    woken_ = false;
    if (messages_.empty()) return {};
    Message first = std::move(messages_.front());
    messages_.pop_front();
    return first;
  }

 private:
  std::mutex mutex_;
  std::condition_variable ready_;
  std::deque<Message> messages_;
  bool woken_ = false;
};

/// A client's way to a server in this process.
class QueueChannel final : public Channel {
 public:
  QueueChannel(Queue& out, Queue& in, std::size_t number) : out_(out), in_(in), number_(number) {}
  void send(std::span<const std::byte> envelope) override {
    out_.put({number_, {envelope.begin(), envelope.end()}});
  }
  std::optional<std::span<const std::byte>> recv(Time until) override {
    auto message = in_.take(until);
    if (!message) return {};
    received_ = std::move(message->bytes);
    return received_;
  }
  Time now() override { return std::chrono::steady_clock::now(); }
  std::string endpoint() const override { return "memory"; }

 private:
  Queue& out_;
  Queue& in_;
  std::size_t number_;
  Bytes received_;
};

/// Ways between servers, one after the other, and clients in one process, without sockets: the
/// thread sanitizer sees all of it.
class Memory {
 public:
  /// A client's way; from any thread.
  [[nodiscard]] std::unique_ptr<Channel> channel() {
    const std::lock_guard lock(mutex_);
    to_clients_.emplace_back();
    return std::make_unique<QueueChannel>(to_server_, to_clients_.back(), to_clients_.size() - 1);
  }

  /// Serves until it is told to stop.
  void serve(const std::stop_token& stop, const Dispatcher::Options& options,
             Dispatcher::MakeService make) {
    Dispatcher dispatcher(options, std::move(make),
                          {.send =
                               [this](const Bytes& route, std::span<const std::byte> e) {
                                 to_client(route).put({0, {e.begin(), e.end()}});
                               },
                           .wake = [this] { to_server_.wake(); }});
    const std::stop_callback wake(stop, [this] { to_server_.wake(); });
    while (!stop.stop_requested()) {
      const Time now = std::chrono::steady_clock::now();
      const Time look = now + std::chrono::milliseconds(100);
      if (const auto message = to_server_.take(std::min(dispatcher.expire(now), look))) {
        const auto begin = preamble();
        const std::array<std::span<const std::byte>, 2> frames{begin, message->bytes};
        dispatcher.receive(route_of(message->from), frames, std::chrono::steady_clock::now());
      }
      dispatcher.finish_done();
    }
    dispatcher.shut_down("the end");
  }

 private:
  static Bytes route_of(std::size_t client) {
    Bytes route(sizeof client);
    std::memcpy(route.data(), &client, sizeof client);
    return route;
  }
  Queue& to_client(const Bytes& route) {
    std::size_t client = 0;
    std::memcpy(&client, route.data(), sizeof client);
    const std::lock_guard lock(mutex_);
    return to_clients_.at(client);
  }

  Queue to_server_;
  std::mutex mutex_;  // of the next; what is in it stays where it is
  std::deque<Queue> to_clients_;
};

}  // namespace park::bridge::test
