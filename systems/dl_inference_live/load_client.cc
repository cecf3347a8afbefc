#include "systems/dl_inference_live/load_client.h"

#include <algorithm>
#include <chrono>
#include <thread>

#include "bridge/transport/endpoint.h"
#include "bridge/transport/zmq_options.h"
#include "park/core/error.h"

namespace park::inference {
namespace {

using std::chrono::duration;
using std::chrono::milliseconds;

constexpr int kMostUnsent = 1'000'000;            // messages, before sending waits for the server
constexpr double kShortS = 0.002, kLongS = 0.05;  // below the first the poll is too coarse
constexpr milliseconds kBeforeFirst{10};          // so that the first arrival is not late

double since_s(Deadline begin) { return duration<double>(Clock::now() - begin).count(); }

}  // namespace

LoadClient::LoadClient(const std::string& endpoint) : socket_(context_, zmq::socket_type::dealer) {
  static_cast<void>(bridge::read_endpoint(endpoint, bridge::EndpointUse::connect));
  bridge::set_options(socket_);
  socket_.set(zmq::sockopt::sndhwm, kMostUnsent);
  socket_.set(zmq::sockopt::rcvhwm, kMostUnsent);
  socket_.set(zmq::sockopt::linger, 0);
  bridge::connect_to(socket_, endpoint);
}

std::string LoadClient::ask(Wish wish, Deadline until) {
  bridge::send_now(socket_, write_request({.wish = wish}));
  while (Clock::now() < until) {
    zmq::pollitem_t items[] = {{socket_.handle(), 0, ZMQ_POLLIN, 0}};
    bridge::poll(items, milliseconds(50));
    if (!bridge::receive_now(socket_, part_)) continue;
    Reply reply;
    if (read_reply(bridge::bytes_of(part_), reply) && reply.status == Status::done)
      return text_of(reply);
  }
  throw Error(Errc::unavailable, "endpoint: no inference server answers there");
}

LoadEnd LoadClient::play(dl_inference::ArrivalProcess& arrivals, Ledger& ledger,
                         const LoadOptions& options, const std::function<void(Deadline)>& began) {
  const Deadline begin = Clock::now() + kBeforeFirst;
  began(begin);
  double drained_s = kInf;
  for (;;) {
    const double now_s = since_s(begin);
    send_due(arrivals, ledger, options.horizon_s, now_s);
    receive(ledger, begin);
    const double next_s = arrivals.next().time_s;
    const bool more = next_s < options.horizon_s;
    if (!more && drained_s == kInf) drained_s = now_s + options.drain_s;
    const bool complete = next_s == kInf && ledger.open() == 0;
    if (complete || now_s >= std::min(options.horizon_s, drained_s) || !options.goes_on())
      return {std::min(std::max(since_s(begin), 1e-9), options.horizon_s), complete};
    wait(std::min({more ? next_s - now_s : kLongS, options.horizon_s - now_s, kLongS}));
  }
}

/// All arrivals until now, in their order.
void LoadClient::send_due(dl_inference::ArrivalProcess& arrivals, Ledger& ledger, double horizon_s,
                          double now_s) {
  while (arrivals.next().time_s <= now_s && arrivals.next().time_s < horizon_s) {
    const dl_inference::Arrival a = arrivals.next();
    const std::uint64_t id = ledger.arrived(a.app, a.time_s, now_s);
    bridge::send_now(socket_,
                     write_request({.model = static_cast<std::uint16_t>(a.app), .id = id}));
    arrivals.take();
  }
}

void LoadClient::receive(Ledger& ledger, Deadline begin) {
  while (bridge::receive_now(socket_, part_)) {
    Reply reply;
    if (read_reply(bridge::bytes_of(part_), reply)) ledger.answered(reply, since_s(begin));
  }
}

/// For a reply, or so long. A poll takes whole milliseconds, so it does not wait for the last ones.
void LoadClient::wait(double most_s) {
  if (most_s <= 0) return;
  zmq::pollitem_t items[] = {{socket_.handle(), 0, ZMQ_POLLIN, 0}};
  if (most_s >= kShortS)
    return bridge::poll(items,
                        milliseconds(static_cast<std::int64_t>((most_s - kShortS / 2) * 1e3)));
  bridge::poll(items, milliseconds(0));
  constexpr double kNapS = 1e-4;
  if (items[0].revents == 0) std::this_thread::sleep_for(duration<double>(std::min(most_s, kNapS)));
}

}  // namespace park::inference
