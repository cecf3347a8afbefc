// The front of a server: a loop over the ROUTER socket of clients and a PAIR socket from the device's
// thread, which sends its replies through it. Each client's message is one request: it goes to the
// inbox, or gets its reply at once. Peers watches the connections, as in the bridge's server: it looks
// before messages are taken, and judges when none is left. `park infer serve` and tests run it.
#include "systems/dl_inference_live/server.h"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstring>
#include <exception>
#include <optional>
#include <thread>
#include <utility>
#include <zmq.hpp>

#include "bridge/codec/failure.h"
#include "bridge/transport/bound_endpoint.h"
#include "bridge/transport/peers.h"
#include "bridge/transport/zmq_options.h"
#include "systems/dl_inference_live/profile.h"

namespace park::inference {
namespace {

using std::chrono::milliseconds;

constexpr int kMessagesAtOnce = 64;
constexpr std::size_t kMostParts = 3;  // that are looked at
constexpr milliseconds kLook{50};      // how soon an end is noticed
constexpr const char* kReplies = "inproc://replies";

std::size_t largest_sample(const std::vector<std::unique_ptr<Model>>& models) {
  std::size_t most = 0;
  for (const auto& model : models) most = std::max(most, model->inputs());
  return most;
}

}  // namespace

class InferenceServer::Front {
 public:
  Front(const InferenceServerOptions& options, std::vector<std::unique_ptr<Model>> models,
        std::vector<dl_inference::Application> apps, Decider& decider)
      : bound_(options.endpoint),
        router_(context_, zmq::socket_type::router),
        replies_(context_, zmq::socket_type::pair),
        outbox_(context_, zmq::socket_type::pair),
        inbox_(options.queue) {
    for (const auto& model : models) inputs_.push_back(model->inputs());
    models_text_ = models_json(models, apps);
    table_text_ = table_text(apps);
    bind_router(options, kRequestHead + sizeof(float) * largest_sample(models));
    // The device never waits for the socket's thread; requests in the server bound its replies.
    for (zmq::socket_t* socket : {&replies_, &outbox_}) {
      socket->set(zmq::sockopt::rcvhwm, 0);
      socket->set(zmq::sockopt::sndhwm, 0);
      socket->set(zmq::sockopt::linger, 0);
    }
    bridge::bind_to(replies_, kReplies);
    bridge::connect_to(outbox_, kReplies);
    device_.emplace(
        std::move(models), std::move(apps), options.device, inbox_, decider,
        [this](const auto& route, const MessageBytes& reply) { hand_out(route, reply); });
  }

  [[nodiscard]] const std::string& endpoint() const noexcept { return endpoint_; }

  void run(const std::stop_token& stop) {
    std::stop_source end;
    const std::stop_callback stopped(stop, [&end] { end.request_stop(); });
    std::exception_ptr failed;
    {
      const std::jthread device([&] {
        try {
          device_->run(end.get_token());
        } catch (...) {
          failed = std::current_exception();
          end.request_stop();
        }
      });
      try {
        while (!end.get_token().stop_requested()) turn();
      } catch (...) {
        end.request_stop();
        throw;
      }
    }
    if (failed) std::rethrow_exception(failed);
  }

  [[nodiscard]] ServerCounts counts() const {
    const DeviceCounts& d = device_->counts();
    return {.received = received_,
            .served = served_,
            .failed = failed_,
            .rejected = rejected_,
            .refused = refused_,
            .undelivered = undelivered_,
            .batches = d.batches,
            .decisions = d.decisions,
            .own_rule = d.own_rule,
            .illegal = d.illegal};
  }

 private:
  void bind_router(const InferenceServerOptions& options, std::size_t most_bytes) {
    constexpr std::size_t kLeastBytes = 4096, kMostWaiting = 100'000;
    most_bytes = std::max(most_bytes, kLeastBytes);
    const int waiting = static_cast<int>(std::min(2 * options.queue + 1000, kMostWaiting));
    bridge::set_options(router_);
    router_.set(zmq::sockopt::router_mandatory, true);  // else a lost reply is not counted
    router_.set(zmq::sockopt::maxmsgsize, static_cast<std::int64_t>(most_bytes));
    router_.set(zmq::sockopt::sndhwm, waiting);
    router_.set(zmq::sockopt::rcvhwm, 1000);
    peers_.emplace(context_, router_, most_bytes, bridge::Peers::Allowed{});
    try {
      bridge::bind_to(router_, bound_.text());
    } catch (const zmq::error_t& error) {
      throw bridge::Failed(bridge::Code::NOT_ALLOWED,
                           "endpoint: " + options.endpoint + ": " + error.what());
    }
    endpoint_ = router_.get(zmq::sockopt::last_endpoint);
  }

  static std::string models_json(const std::vector<std::unique_ptr<Model>>& models,
                                 const std::vector<dl_inference::Application>& apps) {
    JsonWriter json;
    json.begin_object().key("models").begin_array();
    for (std::size_t i = 0; i < models.size(); ++i) {
      json.begin_object(JsonWriter::Layout::line).member("name", std::string_view(apps[i].name));
      json.member("inputs", models[i]->inputs()).member("outputs", models[i]->outputs());
      json.member("max_batch", apps[i].max_batch()).key("latency_s");
      json.values(std::span(&apps[i].latency_s[1], apps[i].max_batch())).end_object();
    }
    return json.end_array().end_object().take();
  }

  /// By the thread of the device.
  void hand_out(const std::vector<std::byte>& route, const MessageBytes& reply) {
    constexpr bool kMore = true;
    bridge::send_now(outbox_, route, kMore);
    bridge::send_now(outbox_, reply);
  }

  void turn() {
    zmq::pollitem_t items[] = {{router_.handle(), 0, ZMQ_POLLIN, 0},
                               {replies_.handle(), 0, ZMQ_POLLIN, 0},
                               {nullptr, peers_->events_fd(), ZMQ_POLLIN, 0}};
    bridge::poll(items, std::min(kLook, peers_->longest_wait()));
    if ((items[2].revents & ZMQ_POLLIN) != 0) peers_->take_events();
    while (forward()) {
    }
    peers_->look(Clock::now());
    bool more = true;
    for (int i = 0; i < kMessagesAtOnce && more; ++i) more = receive();
    if (!more) peers_->drained();
  }

  /// Sends one reply of the device; false: there is none.
  bool forward() {
    if (!bridge::receive_now(replies_, route_part_)) return false;
    static_cast<void>(bridge::receive_now(replies_, reply_part_));
    const auto route = bridge::bytes_of(route_part_), reply = bridge::bytes_of(reply_part_);
    Reply head;
    if (read_reply(reply, head)) ++(head.status == Status::done ? served_ : failed_);
    send(route, reply);
    inbox_.left(1);
    return true;
  }

  void send(std::span<const std::byte> route, std::span<const std::byte> reply) {
    constexpr bool kMore = true;
    try {
      if (bridge::send_now(router_, route, kMore) && bridge::send_now(router_, reply)) return;
    } catch (const zmq::error_t& error) {
      if (error.num() != EHOSTUNREACH) throw;
    }
    ++undelivered_;
  }

  /// Takes one message; false: there is none.
  bool receive() {
    std::size_t n = 0;
    for (bool more = true; more; ++n) {
      if (n == parts_.size()) parts_.emplace_back();
      if (!bridge::receive_now(router_, parts_[n])) return false;
      more = parts_[n].more();
      if (n == kMostParts) parts_[--n].rebuild();  // the rest of a message that is none of ours
    }
    const auto route = bridge::bytes_of(parts_[0]);
    route_.assign(route.begin(), route.end());
    static_cast<void>(peers_->heard(parts_[n > 1 ? 1 : 0], route_));
    if (n == 2)
      answer(bridge::bytes_of(parts_[1]));
    else
      refuse(0, "a request has one part");
    return true;
  }

  void answer(std::span<const std::byte> message) {
    Request request;
    if (const std::string wrong = read_request(message, request); !wrong.empty())
      return refuse(request.id, wrong);
    if (request.wish == Wish::models)
      return send(route_, write_text(Status::done, request.id, models_text_));
    if (request.wish == Wish::table)
      return send(route_, write_text(Status::done, request.id, table_text_));
    if (request.wish == Wish::counts)
      return send(route_, write_text(Status::done, request.id, counts_text()));
    if (request.model >= inputs_.size())
      return refuse(request.id, "model " + std::to_string(request.model) +
                                    " is not there; there are " + std::to_string(inputs_.size()));
    const std::size_t bytes = inputs_[request.model] * sizeof(float);
    if (!request.sample.empty() && request.sample.size() != bytes)
      return refuse(request.id, "a sample of this model has " + std::to_string(bytes) +
                                    " bytes, not " + std::to_string(request.sample.size()));
    infer(request);
  }

  void infer(const Request& request) {
    ++received_;
    Waiting waiting{.route = route_, .id = request.id, .model = request.model, .at = Clock::now()};
    waiting.sample.resize(request.sample.size() / sizeof(float));
    if (!waiting.sample.empty())
      std::memcpy(waiting.sample.data(), request.sample.data(), request.sample.size());
    if (inbox_.push(std::move(waiting))) return;
    ++rejected_;
    send(route_, write_text(Status::full, request.id, "the server is full"));
  }

  void refuse(std::uint64_t id, const std::string& why) {
    ++refused_;
    send(route_, write_text(Status::refused, id, why));
  }

  [[nodiscard]] std::string counts_text() const {
    JsonWriter json;
    json.begin_object(JsonWriter::Layout::line);
    write_counts(json, counts());
    return json.end_object().take();
  }

  bridge::BoundEndpoint bound_;
  zmq::context_t context_;
  zmq::socket_t router_;
  zmq::socket_t replies_, outbox_;  // the two ends of a pair; outbox_ is the device's
  std::optional<bridge::Peers> peers_;
  std::string endpoint_, models_text_, table_text_;
  std::vector<std::size_t> inputs_;  // of each model
  Inbox inbox_;
  std::optional<DeviceLoop> device_;
  std::vector<zmq::message_t> parts_;
  zmq::message_t route_part_, reply_part_;
  std::vector<std::byte> route_;
  std::atomic<std::uint64_t> received_{0}, served_{0}, failed_{0}, rejected_{0}, refused_{0},
      undelivered_{0};
};

InferenceServer::InferenceServer(const InferenceServerOptions& options,
                                 std::vector<std::unique_ptr<Model>> models,
                                 std::vector<dl_inference::Application> apps, Decider& decider)
    : front_(std::make_unique<Front>(options, std::move(models), std::move(apps), decider)) {}
InferenceServer::~InferenceServer() = default;
const std::string& InferenceServer::endpoint() const noexcept { return front_->endpoint(); }
void InferenceServer::run(const std::stop_token& stop) { front_->run(stop); }
ServerCounts InferenceServer::counts() const { return front_->counts(); }

void write_counts(JsonWriter& json, const ServerCounts& n) {
  json.member("received", n.received).member("served", n.served).member("failed", n.failed);
  json.member("rejected", n.rejected).member("refused", n.refused);
  json.member("undelivered", n.undelivered).member("batches", n.batches);
  json.member("decisions", n.decisions).member("own_rule", n.own_rule);
  json.member("illegal", n.illegal);
}

}  // namespace park::inference
