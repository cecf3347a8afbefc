// A server in this process, with models that sleep: every request is answered once, whatever the
// decider, the model and other clients do.
#include "systems/dl_inference_live/server.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <cstring>
#include <memory>
#include <optional>
#include <string>
#include <thread>
#include <utility>
#include <vector>
#include <zmq.hpp>

#include "bridge/transport/zmq_options.h"
#include "park/core/error.h"
#include "park/envs/dl_inference/arrival_process.h"
#include "systems/dl_inference_live/load_client.h"
#include "systems/dl_inference_live/policy_behind.h"
#include "systems/dl_inference_live/policy_inside.h"
#include "systems/dl_inference_live/profile.h"

namespace park::inference {
namespace {

using namespace std::chrono_literals;
using testing::HasSubstr;

constexpr const char* kTwo =
    "dl_inference_live(models=[model(kind=delay,name=a,a_s=0.002,b_s=0.0005,max_batch=8),"
    "model(kind=delay,name=b,a_s=0.004,b_s=0.001,max_batch=4)],load=0.6,duration_s=0.5)";

/// Answers by a rule of dl_inference, and sees whether the rows are sound.
class RuleDecider final : public Decider {
 public:
  explicit RuleDecider(std::size_t models)
      : spec_(live_spec(models)), rule_({}, spec_), question_(spec_), actions_(spec_.action) {}
  Context open(const Episode&) override { return {0, 1}; }
  Applied decide(Context, const Outcome& since, ConstRow seen, Row action, Deadline) override {
    EXPECT_LE(since.reward, 0);
    EXPECT_GE(since.elapsed_s, 0);
    EXPECT_FALSE(ActionSpace(spec_).stuck_head(seen).has_value());
    question_.clear();
    question_.asked.push_back({});
    question_.observation.append(seen.batch(), seen.index());
    actions_.clear();
    actions_.resize(1);
    rule_.act(question_, actions_);
    action.assign(std::as_const(actions_).row(0));
    ++asked;
    return Applied::policy;
  }
  void close(Context, const Outcome&, ConstRow, std::span<const double>) override { closed = true; }
  int asked = 0;
  bool closed = false;

 private:
  Spec spec_;
  dl_inference::Aged rule_;
  Decisions question_;
  Batch actions_;
};

/// Lets every deadline pass.
class LateDecider final : public Decider {
 public:
  Context open(const Episode&) override { return {}; }
  Applied decide(Context, const Outcome&, ConstRow, Row, Deadline until) override {
    std::this_thread::sleep_until(until);
    return Applied::fallback;
  }
  void close(Context, const Outcome&, ConstRow, std::span<const double>) override {}
};

/// Wants a batch that nobody may have.
class IllegalDecider final : public Decider {
 public:
  explicit IllegalDecider(std::size_t models)
      : layout_(bind_layout<dl_inference::InferenceLayout>(live_spec(models))) {}
  Context open(const Episode&) override { return {}; }
  Applied decide(Context, const Outcome&, ConstRow, Row action, Deadline) override {
    action.scalar(layout_.choice) = 0;
    action.scalar(layout_.batch) = 255;
    return Applied::policy;
  }
  void close(Context, const Outcome&, ConstRow, std::span<const double>) override {}

 private:
  dl_inference::InferenceLayout layout_;
};

/// Answers as aged at first; then it is late, then it throws.
class TiringPolicy final : public Policy {
 public:
  explicit TiringPolicy(const Spec& spec) : rule_({}, spec) {}
  void act(const Decisions& d, Batch& actions) override {
    ++asked_;
    if (asked_ == 6) std::this_thread::sleep_for(250ms);
    if (asked_ > 8) throw Error(Errc::unavailable, "it is tired");
    rule_.act(d, actions);
  }

 private:
  dl_inference::Aged rule_;
  int asked_ = 0;
};

class FailingModel final : public Model {
 public:
  [[nodiscard]] std::size_t inputs() const noexcept override { return 1; }
  [[nodiscard]] std::size_t outputs() const noexcept override { return 1; }
  void run(std::size_t, std::span<const float>, std::span<float>) override {
    throw Error(Errc::unavailable, "it is broken\nand tells more than a line");
  }
};

class Server {
 public:
  Server(const std::string& text, Decider& decider, std::vector<std::unique_ptr<Model>> models = {})
      : config(read_live_config(text)),
        apps(config.applications(dl_inference::LatencyTable::parse(delay_table_text(config), "own"),
                                 "own")) {
    if (models.empty())
      for (const ModelConfig& model : config.models) models.push_back(make_model(model));
    static_cast<void>(dl_inference::ArrivalProcess(config.simulated("own"), apps));
    server_.emplace(
        InferenceServerOptions{.endpoint = "tcp://127.0.0.1:*",
                               .queue = static_cast<std::size_t>(config.queue),
                               .device = {.decision_s = config.decision_s, .wait_max_s = 0.001}},
        std::move(models), apps, decider);
    thread_ = std::jthread([this](const std::stop_token& stop) { server_->run(stop); });
  }
  [[nodiscard]] const std::string& endpoint() const { return server_->endpoint(); }
  [[nodiscard]] ServerCounts counts() const { return server_->counts(); }
  void end() { thread_ = {}; }

  /// Plays an episode and checks that each request got one answer.
  std::vector<double> load(std::uint64_t inputs = 1) {
    auto with_rates = apps;
    dl_inference::ArrivalProcess arrivals(config.simulated("own"), with_rates);
    arrivals.reset(inputs);
    Ledger ledger(apps, 10);
    LoadClient client(endpoint());
    const LoadEnd end = client.play(arrivals, ledger, {.drain_s = 20});
    EXPECT_TRUE(end.complete);
    EXPECT_EQ(ledger.open(), 0u);
    EXPECT_EQ(ledger.strays(), 0u);
    std::vector<double> metrics(live_spec(apps.size()).metrics.size());
    const LiveLayout l(apps.size());
    ledger.metrics(l, end.time_s, metrics);
    const double left = metrics[l.requests_done] + metrics[l.requests_dropped];
    EXPECT_NEAR(ledger.take_cost(end.time_s), left * metrics[l.avg_slowdown],
                1e-9 * (1 + left * metrics[l.avg_slowdown]))
        << "weights are 1";
    return metrics;
  }

  LiveConfig config;
  std::vector<dl_inference::Application> apps;

 private:
  std::optional<InferenceServer> server_;
  std::jthread thread_;
};

/// A client that sends what it likes.
class Raw {
 public:
  explicit Raw(const std::string& endpoint) : socket_(context_, zmq::socket_type::dealer) {
    bridge::set_options(socket_);
    bridge::connect_to(socket_, endpoint);
  }
  void send(std::span<const std::byte> part, bool more = false) {
    EXPECT_TRUE(bridge::send_now(socket_, part, more));
  }
  /// The next reply; nothing where none comes.
  std::optional<Reply> receive(std::chrono::milliseconds limit = 5s) {
    zmq::pollitem_t items[] = {{socket_.handle(), 0, ZMQ_POLLIN, 0}};
    bridge::poll(items, limit);
    Reply reply;
    if (!bridge::receive_now(socket_, part_) || !read_reply(bridge::bytes_of(part_), reply))
      return std::nullopt;
    return reply;
  }
  std::optional<Reply> ask(const Request& request) {
    send(write_request(request));
    return receive();
  }

 private:
  zmq::context_t context_;
  zmq::socket_t socket_;
  zmq::message_t part_;
};

TEST(InferenceServer, AnswersEachRequestOnceByThePolicysBatches) {
  RuleDecider decider(2);
  Server server(kTwo, decider);
  const std::vector<double> m = server.load();
  const LiveLayout l(2);
  server.end();
  const ServerCounts n = server.counts();
  EXPECT_GT(n.received, 20u);
  EXPECT_EQ(n.served, n.received);
  EXPECT_EQ(static_cast<double>(n.served), m[l.requests_done]);
  EXPECT_EQ(n.own_rule, 0u);
  EXPECT_EQ(n.decisions, static_cast<std::uint64_t>(decider.asked));
  EXPECT_TRUE(decider.closed);
  EXPECT_NEAR(m[l.avg_batch] * static_cast<double>(n.batches), m[l.requests_done], 1e-6);
  EXPECT_GE(m[l.macro_slowdown], 1) << "a sleep is never too short";
  EXPECT_GE(m[l.p50_slowdown], 1);
  EXPECT_GT(m[l.device_s[0]], 0);
  EXPECT_LE(m[l.utilisation], 1);
  EXPECT_EQ(m[l.own_rule_batches], 0);
}

TEST(InferenceServer, DecidesItselfWhereTheAnswerIsLateOrIllegal) {
  LateDecider late;
  Server slow(
      "dl_inference_live(models=[model(kind=delay,a_s=0.004)],load=0.3,duration_s=0.3,"
      "decision_s=0.002)",
      late);
  const std::vector<double> m = slow.load();
  EXPECT_EQ(slow.counts().own_rule, slow.counts().decisions);
  EXPECT_NEAR(m[LiveLayout(1).own_rule_batches], static_cast<double>(slow.counts().batches), 1e-6);
  IllegalDecider illegal(2);
  Server wrong(kTwo, illegal);
  static_cast<void>(wrong.load());
  EXPECT_GT(wrong.counts().illegal, 0u);
  EXPECT_EQ(wrong.counts().illegal, wrong.counts().own_rule);
}

TEST(InferenceServer, DecidesItselfWhereAPolicyInsideIsLateOrFails) {
  PolicyInside inside(std::make_unique<TiringPolicy>(live_spec(1)), live_spec(1));
  Server server(
      "dl_inference_live(models=[model(kind=delay,a_s=0.004)],load=0.3,duration_s=0.3,"
      "decision_s=0.2)",
      inside);
  static_cast<void>(server.load());
  const ServerCounts n = server.counts();
  EXPECT_GT(n.decisions, 8u);
  EXPECT_EQ(n.own_rule, n.decisions - 7) << "the sixth was late, eight were answered";
}

TEST(InferenceServer, RejectsBeyondItsQueueAndGoesOn) {
  NoPolicy none;
  Server server("dl_inference_live(models=[model(kind=delay,a_s=0.1,max_batch=1)],queue=3)", none);
  Raw client(server.endpoint());
  constexpr std::uint64_t kSent = 12;
  for (std::uint64_t i = 0; i < kSent; ++i) client.send(write_request({.id = i}));
  std::size_t done = 0, full = 0;
  for (std::uint64_t i = 0; i < kSent; ++i) {
    const auto reply = client.receive();
    ASSERT_TRUE(reply);
    if (reply->status == Status::done) ++done;
    if (reply->status == Status::full) ++full;
  }
  EXPECT_GE(done, 3u);
  EXPECT_EQ(done + full, kSent);
  EXPECT_EQ(server.counts().rejected, full);
  const auto again = client.ask({.id = 77});
  ASSERT_TRUE(again);
  EXPECT_EQ(again->status, Status::done);
  EXPECT_GE(again->service_s, 0.1);
}

TEST(InferenceServer, AnswersHostileMessagesByALine) {
  NoPolicy none;
  Server server(kTwo, none);
  Raw client(server.endpoint());
  const std::vector<std::byte> junk(100, std::byte{0xff});
  const auto refusal = [&](const std::optional<Reply>& reply) -> std::string {
    if (!reply || reply->status != Status::refused) return "not refused";
    return text_of(*reply);
  };
  client.send({});
  EXPECT_THAT(refusal(client.receive()), HasSubstr("at least 16 bytes"));
  client.send(junk);
  EXPECT_THAT(refusal(client.receive()), HasSubstr("PINF"));
  EXPECT_THAT(refusal(client.ask({.model = 2})), HasSubstr("model 2 is not there; there are 2"));
  EXPECT_THAT(refusal(client.ask({.id = 5, .sample = junk})), HasSubstr("has 4 bytes, not 100"));
  for (int i = 0; i < 5; ++i) client.send(junk, true);
  client.send(junk);
  EXPECT_THAT(refusal(client.receive()), HasSubstr("one part"));
  const std::vector<std::byte> large(1U << 20U);
  client.send(large);
  EXPECT_FALSE(client.receive(200ms)) << "ZeroMQ ends the connection";
  EXPECT_EQ(server.counts().refused, 5u);
  Raw other(server.endpoint());
  const float sample = 3.5F;
  const auto served = other.ask({.id = 6, .sample = std::as_bytes(std::span(&sample, 1))});
  ASSERT_TRUE(served);
  EXPECT_EQ(served->status, Status::done);
  float result = 0;
  ASSERT_EQ(served->result.size(), sizeof result);
  std::memcpy(&result, served->result.data(), sizeof result);
  EXPECT_EQ(result, sample);
}

TEST(InferenceServer, TellsItsModelsTableAndCounts) {
  NoPolicy none;
  Server server(kTwo, none);
  LoadClient client(server.endpoint());
  const Deadline until = Clock::now() + 5s;
  EXPECT_THAT(client.ask(Wish::models, until), HasSubstr("\"name\": \"b\""));
  EXPECT_THAT(client.ask(Wish::counts, until), HasSubstr("\"rejected\": 0"));
  const auto table =
      dl_inference::LatencyTable::parse(client.ask(Wish::table, until), "the server's");
  EXPECT_EQ(table.apps()[1].latency_s, server.apps[1].latency_s);
}

TEST(InferenceServer, OutlivesAClientThatIsGone) {
  NoPolicy none;
  Server server(kTwo, none);
  {
    Raw client(server.endpoint());
    for (std::uint64_t i = 0; i < 50; ++i) client.send(write_request({.model = 1, .id = i}));
    ASSERT_TRUE(client.receive());
  }
  static_cast<void>(server.load());
  EXPECT_GT(server.counts().undelivered, 0u);
}

TEST(InferenceServer, ReportsAModelThatFailsInALine) {
  NoPolicy none;
  std::vector<std::unique_ptr<Model>> models;
  models.push_back(std::make_unique<FailingModel>());
  Server server("dl_inference_live(models=[model(kind=delay)])", none, std::move(models));
  Raw client(server.endpoint());
  for (std::uint64_t i = 0; i < 2; ++i) {
    const auto reply = client.ask({.id = i});
    ASSERT_TRUE(reply);
    EXPECT_EQ(reply->status, Status::failed);
    EXPECT_EQ(text_of(*reply), "it is broken");
  }
  EXPECT_EQ(server.counts().failed, 2u);
}

TEST(InferenceServer, CountsWhatHasNoReplyWhereThereIsNoServer) {
  const LiveConfig config = read_live_config(kTwo);
  auto apps = config.applications(
      dl_inference::LatencyTable::parse(delay_table_text(config), "own"), "own");
  dl_inference::ArrivalProcess arrivals(config.simulated("own"), apps);
  arrivals.reset(3);
  Ledger ledger(apps, 10);
  LoadClient client("tcp://127.0.0.1:9");
  const LoadEnd end = client.play(arrivals, ledger, {.horizon_s = 0.1});
  EXPECT_FALSE(end.complete);
  EXPECT_NEAR(end.time_s, 0.1, 1e-9);
  EXPECT_GT(ledger.open(), 0u);
}

}  // namespace
}  // namespace park::inference
