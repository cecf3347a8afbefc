#include "bridge/transport/allow_list.h"

#include <array>
#include <cstdint>
#include <cstring>
#include <utility>

#include "bridge/transport/zmq_options.h"

namespace park::bridge {
namespace {

constexpr std::chrono::milliseconds kLook{50};  // how soon an end is noticed
constexpr std::size_t kKeyBytes = 32, kKeyText = 40;

/// The Z85 of a key in binary; empty for what is no key.
std::string text_of_key(const std::string& binary) {
  if (binary.size() != kKeyBytes) return {};
  std::array<std::uint8_t, kKeyBytes> bytes{};
  std::memcpy(bytes.data(), binary.data(), bytes.size());
  std::array<char, kKeyText + 1> text{};
  if (zmq_z85_encode(text.data(), bytes.data(), bytes.size()) == nullptr) return {};
  return text.data();
}

}  // namespace

AllowList::AllowList(zmq::context_t& context, const std::vector<std::string>& keys)
    : keys_(keys.begin(), keys.end()), socket_(context, zmq::socket_type::rep) {
  socket_.set(zmq::sockopt::linger, 0);
  bind_to(socket_, "inproc://zeromq.zap.01");
  thread_ = std::jthread([this](const std::stop_token& stop) { run(stop); });
}

void AllowList::replace(const std::vector<std::string>& keys) {
  std::set<std::string> all(keys.begin(), keys.end());
  const std::lock_guard lock(mutex_);
  keys_ = std::move(all);
}

bool AllowList::has(const std::string& key) const {
  const std::lock_guard lock(mutex_);
  return keys_.contains(key);
}

void AllowList::run(const std::stop_token& stop) {
  while (!stop.stop_requested()) {
    zmq::pollitem_t items[] = {{socket_.handle(), 0, ZMQ_POLLIN, 0}};
    poll(items, kLook);
    if ((items[0].revents & ZMQ_POLLIN) != 0) answer();
  }
}

/// A request has the frames version, number, domain, address, identity, mechanism, credentials.
void AllowList::answer() {
  std::vector<std::string> request;
  zmq::message_t frame;
  do {
    if (!receive_now(socket_, frame)) return;
    request.push_back(frame.to_string());
  } while (frame.more());
  const std::string key =
      request.size() == 7 && request[5] == "CURVE" ? text_of_key(request[6]) : "";
  const bool known = has(key);
  const std::array<std::string, 6> reply{request[0],
                                         request.size() > 1 ? request[1] : "",
                                         known ? "200" : "400",
                                         known ? "OK" : "the key is not on the server's list",
                                         known ? key : "",
                                         ""};
  for (std::size_t i = 0; i < reply.size(); ++i)
    send_now(socket_, std::as_bytes(std::span(reply[i])), i + 1 < reply.size());
}

}  // namespace park::bridge
