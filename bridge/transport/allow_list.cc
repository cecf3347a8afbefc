#include "bridge/transport/allow_list.h"

#include <array>
#include <cstdint>

#include "bridge/transport/zmq_options.h"

namespace park::bridge {
namespace {

constexpr std::chrono::milliseconds kLook{50};  // how soon an end is noticed
constexpr std::size_t kKeyBytes = 32;

std::string binary(const std::string& key) {
  std::array<std::uint8_t, kKeyBytes> bytes{};
  if (zmq_z85_decode(bytes.data(), key.c_str()) == nullptr) return {};
  return {bytes.begin(), bytes.end()};
}

}  // namespace

AllowList::AllowList(zmq::context_t& context, const std::vector<std::string>& keys)
    : socket_(context, zmq::socket_type::rep) {
  for (const std::string& key : keys) keys_.insert(binary(key));
  socket_.set(zmq::sockopt::linger, 0);
  bind_to(socket_, "inproc://zeromq.zap.01");
  thread_ = std::jthread([this](const std::stop_token& stop) { run(stop); });
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
  const bool known = request.size() == 7 && request[5] == "CURVE" && keys_.contains(request[6]);
  const std::array<std::string, 6> reply{request[0],
                                         request.size() > 1 ? request[1] : "",
                                         known ? "200" : "400",
                                         known ? "OK" : "the key is not on the server's list",
                                         "",
                                         ""};
  for (std::size_t i = 0; i < reply.size(); ++i)
    send_now(socket_, std::as_bytes(std::span(reply[i])), i + 1 < reply.size());
}

}  // namespace park::bridge
