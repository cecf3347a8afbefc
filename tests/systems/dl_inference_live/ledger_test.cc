// What a client makes of replies: costs add up to slowdowns, and every request counts once.
#include "systems/dl_inference_live/ledger.h"

#include <gtest/gtest.h>

#include <vector>

namespace park::inference {
namespace {

std::vector<dl_inference::Application> two_apps() {
  std::vector<dl_inference::Application> apps(2);
  apps[0].latency_s = {0, 0.1, 0.15};
  apps[0].weight = 2;
  apps[0].deadline_s = 0.3;
  apps[1].latency_s = {0, 0.5};
  return apps;
}

std::vector<double> metrics_of(const Ledger& ledger, double now_s) {
  std::vector<double> out(LiveLayout(2).spec().metrics.size());
  ledger.metrics(LiveLayout(2), now_s, out);
  return out;
}

TEST(Ledger, CostsAddUpToTheWeightedSlowdowns) {
  Ledger ledger(two_apps(), 7);
  const LiveLayout l(2);
  double cost = 0;
  const auto first = ledger.arrived(0, 0, 0.01), second = ledger.arrived(0, 0.05, 0.06);
  cost += ledger.take_cost(0.1);
  const auto third = ledger.arrived(1, 0.02, 0.12);  // sent late: it counts from its schedule
  ledger.answered({.batch = 2, .id = first, .dispatch_s = 0.25F, .service_s = 0.15}, 0.2);
  cost += ledger.take_cost(0.25);
  ledger.answered({.batch = 2,
                   .id = second,
                   .own_rule = true,
                   .dispatch_s = 0.25F,
                   .wait_s = 0.1,
                   .service_s = 0.15},
                  0.4);
  ledger.answered({.status = Status::full, .id = third}, 0.5);
  cost += ledger.take_cost(0.6);
  EXPECT_EQ(ledger.open(), 0u);
  const double slow0 = 0.2 / 0.1, slow1 = 0.35 / 0.1, slow2 = 0.48 / 0.5 + 7;
  EXPECT_NEAR(cost, 2 * slow0 + 2 * slow1 + slow2, 1e-12);
  EXPECT_NEAR(ledger.take_cost(9), 0, 1e-12) << "nothing is in the system";
  const std::vector<double> m = metrics_of(ledger, 0.6);
  EXPECT_NEAR(m[l.avg_slowdown], (slow0 + slow1 + slow2) / 3, 1e-12);
  EXPECT_NEAR(m[l.macro_slowdown], ((slow0 + slow1) / 2 + slow2) / 2, 1e-12);
  EXPECT_NEAR(m[l.worst_slowdown], slow2, 1e-12);
  EXPECT_EQ(m[l.requests_done], 2);
  EXPECT_EQ(m[l.requests_dropped], 1);
  EXPECT_NEAR(m[l.in_time_share], 1.0 / 3, 1e-12) << "only the first met its deadline";
  EXPECT_NEAR(m[l.avg_batch], 2, 1e-12);
  EXPECT_NEAR(m[l.own_rule_batches], 0.5, 1e-12);
  EXPECT_NEAR(m[l.device_s[0]], 0.15, 1e-12) << "two halves of one batch";
  EXPECT_NEAR(m[l.avg_requests], (0.2 + 0.35 + 0.48) / 0.6, 1e-12);
  EXPECT_NEAR(m[l.send_lag_s], (0.01 + 0.01 + 0.1) / 3, 1e-12);
  EXPECT_NEAR(m[l.dispatch_s], 0.25, 1e-12) << "once for the batch";
  EXPECT_NEAR(m[l.network_s], (0.05 + 0.1) / 2, 1e-12) << "of the two that were served";
}

TEST(Ledger, ASecondReplyAndOneToNoRequestChangeNothing) {
  Ledger ledger(two_apps(), 7);
  const auto id = ledger.arrived(0, 0, 0);
  ledger.answered({.batch = 1, .id = id, .service_s = 0.1}, 0.2);
  const double cost = ledger.take_cost(0.2);
  ledger.answered({.batch = 1, .id = id, .service_s = 0.1}, 0.3);
  ledger.answered({.batch = 1, .id = 99}, 0.3);
  EXPECT_EQ(ledger.strays(), 2u);
  EXPECT_NEAR(cost, 2 * 2.0, 1e-12);
  EXPECT_NEAR(ledger.take_cost(0.4), 0, 1e-12);
  EXPECT_EQ(metrics_of(ledger, 0.4)[LiveLayout(2).requests_done], 1);
}

TEST(Ledger, ARequestWithoutAReplyKeepsCosting) {
  Ledger ledger(two_apps(), 7);
  static_cast<void>(ledger.arrived(1, 1, 1));
  EXPECT_NEAR(ledger.take_cost(2), 1 / 0.5, 1e-12);
  EXPECT_NEAR(ledger.take_cost(3), 1 / 0.5, 1e-12);
  const std::vector<double> m = metrics_of(ledger, 3);
  EXPECT_EQ(m[LiveLayout(2).requests_unanswered], 1);
  EXPECT_EQ(m[LiveLayout(2).requests_done], 0);
}

}  // namespace
}  // namespace park::inference
