// A running system lets a policy behind a server decide, and goes on by a rule of its own where no
// answer comes in time. Elsewhere the server is `park serve --policy shortest_queue`, or a program
// in another language; here it is a thread.
#include <chrono>
#include <iostream>
#include <memory>
#include <optional>
#include <thread>

#include "bridge/client/remote_decider.h"
#include "bridge/server/policy_service.h"
#include "bridge/server/server.h"
#include "park/envs/envs.h"
#include "park/envs/load_balance/layout.h"

namespace {

using namespace std::chrono_literals;
using park::Applied;

/// Sends jobs to servers; what a decision looks like is told by the spec of load_balance.
class Dispatcher {
 public:
  Dispatcher(park::Decider& decider, const park::Spec& spec)
      : decider_(decider),
        layout_(park::bind_layout<park::load_balance::ServersLayout>(spec)),
        seen_(spec.observation),
        action_(spec.action) {
    seen_.resize(1);
    action_.resize(1);
    context_ = decider_.open({.id = 1});
  }

  /// The server for one more job, and who chose it.
  Applied dispatch() {
    const Applied by = decider_.decide(context_, since_last_, std::as_const(seen_).row(0),
                                       action_.row(0), park::Clock::now() + 200ms);
    if (by == Applied::fallback) action_.row(0).scalar(layout_.server) = 0;  // the rule of its own
    seen_.row(0)[layout_.jobs][static_cast<std::size_t>(action_.row(0).scalar(layout_.server))] +=
        1;
    since_last_ = {.reward = -1, .elapsed_s = 1};
    return by;
  }

 private:
  park::Decider& decider_;
  park::load_balance::ServersLayout layout_;
  park::Batch seen_, action_;
  park::Context context_;
  park::Outcome since_last_;
};

}  // namespace

int main() {
  park::Registry registry;
  park::envs::register_all(registry);
  const park::Spec spec = registry.spec("load_balance(servers=4)");

  park::bridge::Server server({.endpoint = "tcp://127.0.0.1:*", .limits = {}}, [&] {
    return std::make_unique<park::bridge::PolicyService>(
        registry, park::bridge::PolicyServiceOptions{.policy = "shortest_queue"});
  });
  std::optional<std::jthread> serving(std::in_place,
                                      [&](const std::stop_token& stop) { server.run(stop); });

  park::bridge::RemoteDecider decider({.endpoint = server.endpoint(), .timeout_s = 5}, spec);
  while (!decider.trouble().empty()) std::this_thread::sleep_for(10ms);
  Dispatcher dispatcher(decider, spec);
  int by_policy = 0, by_rule = 0;
  for (int job = 0; job < 25; ++job) {
    if (job == 20) serving.reset();  // the server ends; the system does not
    ++(dispatcher.dispatch() == Applied::fallback ? by_rule : by_policy);
  }
  std::cout << by_policy << " jobs sent by the policy, " << by_rule << " by the rule\n";
}
