// `park infer serve`: loads the models, measures them where no table is given, and serves until
// Ctrl-C. Everything that may be refused is refused before it says that it serves.
#include <chrono>
#include <mutex>
#include <optional>
#include <thread>
#include <utility>

#include "bridge/codec/failure.h"
#include "bridge/transport/endpoint_file.h"
#include "bridge/transport/named_field.h"
#include "cli/frame/console.h"
#include "cli/frame/inputs.h"
#include "cli/frame/interrupt.h"
#include "cli/infer/infer_commands.h"
#include "systems/dl_inference_live/policy_behind.h"
#include "systems/dl_inference_live/policy_inside.h"
#include "systems/dl_inference_live/profile.h"
#include "systems/dl_inference_live/server.h"

namespace park::cli {
namespace {

constexpr std::chrono::milliseconds kLookAtInterrupt{50};
// A server does not wait longer for its policy, which may come later.
constexpr std::chrono::seconds kPolicyThere{2};
// So long a policy may be silent; a decision has a deadline of its own.
constexpr double kSilentS = 1;
// As many as a start may take.
constexpr inference::ProfileOptions kAtStart{.repeats = 11, .warm_up = 20, .powers = true};

class InferServeCommand final : public Command {
 public:
  CommandInfo info() const override {
    return {
        .name = "serve",
        .summary = "serve the models of ENV in batches",
        .details =
            "Clients send one message for each sample (message.h of dl_inference_live; park "
            "infer load is one). One thread computes the batches that the policy chooses; where "
            "that is missing, late or illegal, the rule max_slowdown chooses. Ends with Ctrl-C.",
        .example = "park infer serve dl_inference_live --endpoint tcp://127.0.0.1:5571"};
  }

  void declare(Options& options) override {
    options.text("ENV", "", env_text_, kLiveDoc, Options::Need::required);
    options.text("--endpoint", "E", endpoint_,
                 "where clients find it: tcp://127.0.0.1:PORT, with * for a free port, or "
                 "ipc://PATH");
    options.text("--endpoint-file", "FILE", file_, "tell the endpoint in a file");
    options.text("--policy", "P", policy_text_,
                 "a policy in this process; without one the server's own rule decides");
    options.text("--policy-endpoint", "E", policy_,
                 "a policy in another one: of `park serve --policy P`, or the path of its endpoint "
                 "file");
    options.text("--table", "FILE", table_,
                 "latencies that policies see; without it, and without one in ENV, they are "
                 "measured");
  }

  void prepare(Session& session, Violations& wrong) override {
    if (!read_live(session.registry(), env_text_, config_, canonical_, wrong)) return;
    if (table_.empty()) table_ = config_.table;
    if (!table_.empty()) apps_ = config_.applications(table_);
    try {
      if (!policy_.empty()) policy_ = endpoint_of(policy_);
    } catch (const bridge::Failed& failed) {
      wrong.add(std::string("--policy-endpoint: ") + failed.what());
    }
    if (!policy_.empty() && !policy_text_.empty())
      wrong.add("--policy, --policy-endpoint: a server has one policy");
    if (!policy_text_.empty())
      inside_ = read_policies(session.registry(), "--policy", {policy_text_},
                              inference::live_spec(config_.models.size()), wrong);
    if (!wrong.empty()) return;
    for (const inference::ModelConfig& model : config_.models)
      models_.push_back(inference::make_model(model));
  }

  int run(Session& session) override {
    const InterruptScope scope;
    if (apps_.empty() && !measure()) throw Interrupted{};
    // It sets the rates, which policies see.
    static_cast<void>(inference::ArrivalProcess(config_.simulated("a table"), apps_));
    try {
      inference::InferenceServer server(
          {.endpoint = endpoint_,
           .queue = static_cast<std::size_t>(config_.queue),
           .device = {.decision_s = config_.decision_s, .wait_max_s = config_.inputs.wait_max_s}},
          std::move(models_), apps_, decider());
      return serve(session, server);
    } catch (const bridge::Failed& failed) {
      throw Error(Errc::invalid_config, failed.what());
    }
  }

 private:
  bool measure() {
    const auto profiles = inference::measure(inference::to_measure(config_, models_), kAtStart,
                                             [] { return interrupted() == 0; });
    if (interrupted() != 0) return false;
    const std::string text = inference::table_text(profiles, inference::ProfileClock::wall);
    apps_ = config_.applications(inference::LatencyTable::parse(text, "measured"), "measured");
    return true;
  }

  Decider& decider() {
    if (!inside_.empty())
      return policy_inside_.emplace(std::move(inside_[0].policy),
                                    inference::live_spec(apps_.size()));
    if (policy_.empty()) return none_;
    behind_.emplace(
        bridge::RemotePolicyConfig{.endpoint = policy_,
                                   .timeout_s = std::max(kSilentS, 2 * config_.decision_s)},
        inference::live_spec(apps_.size()));
    const auto until = std::chrono::steady_clock::now() + kPolicyThere;
    while (!behind_->trouble().empty() && std::chrono::steady_clock::now() < until &&
           interrupted() == 0)
      std::this_thread::sleep_for(std::chrono::milliseconds(5));
    return *behind_;
  }

  int serve(Session& session, inference::InferenceServer& server) {
    std::optional<bridge::OwnEndpointFile> told;
    bridge::naming("--endpoint-file", [&] {
      told.emplace(file_, bridge::EndpointFile{
                              .endpoint = server.endpoint(), .server_key = {}, .token = {}});
    });
    if (behind_ && !behind_->trouble().empty())
      session.console().warn("--policy-endpoint: " + behind_->trouble());
    session.console().info("serves " + std::to_string(apps_.size()) + " models at " +
                           server.endpoint() + "; Ctrl-C ends it");
    {
      std::stop_source stop;
      const std::jthread watch([&](const std::stop_token& done) {
        while (!done.stop_requested() && interrupted() == 0)
          std::this_thread::sleep_for(kLookAtInterrupt);
        stop.request_stop();
      });
      server.run(stop.get_token());
    }
    told.reset();
    print(session, server.counts());
    return kDone;
  }

  void print(Session& session, const inference::ServerCounts& n) const {
    const bridge::DeciderCounts asked = behind_ ? behind_->counts() : bridge::DeciderCounts{};
    if (session.json()) {
      JsonWriter json;
      json.begin_object(JsonWriter::Layout::line);
      inference::write_counts(json, n);
      json.member("policy_sessions", asked.connected).member("late", asked.late);
      return session.print(json.end_object().take());
    }
    session.print(std::to_string(n.received) + " requests: " + std::to_string(n.served) +
                  " served in " + std::to_string(n.batches) + " batches, " +
                  std::to_string(n.rejected) + " rejected, " + std::to_string(n.failed) +
                  " failed; " + std::to_string(n.refused) + " messages refused\n" +
                  std::to_string(n.decisions) + " decisions, " + std::to_string(n.own_rule) +
                  " by the server's own rule (" + std::to_string(n.illegal + asked.illegal) +
                  " answers illegal, " + std::to_string(asked.late) + " late)\n");
  }

  std::string env_text_, endpoint_ = "tcp://127.0.0.1:5571", file_, policy_text_, policy_, table_,
                         canonical_;
  inference::LiveConfig config_;
  std::vector<inference::Application> apps_;
  std::vector<std::unique_ptr<inference::Model>> models_;
  std::vector<PolicyInput> inside_;
  inference::NoPolicy none_;
  std::optional<inference::PolicyInside> policy_inside_;
  std::optional<inference::PolicyBehind> behind_;
};

}  // namespace

std::unique_ptr<Command> make_infer_serve_command() {
  return std::make_unique<InferServeCommand>();
}

}  // namespace park::cli
