// The command `park spark attach`. `prepare` reads every file that an option names once, so that trouble
// is told before anything begins; the options then become the text of the environment, which plays.
#include <fstream>

#include "bridge/transport/keys.h"
#include "bridge/transport/named_field.h"
#include "cli/frame/command.h"
#include "cli/frame/inputs.h"
#include "cli/frame/interrupt.h"
#include "cli/play/results.h"
#include "cli/spark/spark_commands.h"
#include "park/command/output.h"
#include "park/core/text.h"
#include "systems/spark/known_durations.h"

namespace park::cli {
namespace {

constexpr std::uint64_t kMostApplications = 10'000'000;

class SparkAttachCommand final : public Command {
 public:
  CommandInfo info() const override {
    return {.name = "attach",
            .summary = "let a policy take the scheduling decisions of Spark applications",
            .details =
                "Serves the policy to the drivers of stock Spark applications that have the "
                "plugin (scripts/spark.sh builds it) and prints the settings that they "
                "need. Where the policy is silent or gone, Spark goes on by its own order. "
                "Ends with Ctrl-C, or after --applications, and tells the metrics of the "
                "applications that have ended.",
            .example = "park spark attach --policy fair --endpoint tcp://127.0.0.1:5570"};
  }

  void declare(Options& options) override {
    options.text("--policy", "P", policy_text_,
                 "a policy; a run's or checkpoint's folder is one, remote(endpoint=...) another",
                 Options::Need::required);
    options.text("--endpoint", "E", endpoint_, "tcp://127.0.0.1:PORT, with * for a free port");
    options.text("--endpoint-file", "FILE", file_,
                 "tell the endpoint in a file, which drivers may name in its place");
    options.text("--key", "FILE", key_,
                 "keys of the agent, from `park key`, for drivers on other machines");
    options.text("--allow", "FILE", allow_, "public keys of the drivers that it lets in");
    options.integer("--metrics-port", "PORT", metrics_port_, {0, 65'535},
                    "serve /metrics for Prometheus on 127.0.0.1; 0: there is none");
    options.text("--log-json", "FILE", log_,
                 "append a line of JSON for each application that begins or ends, and for trouble");
    options.text("--durations", "FILE", durations_, kDurationsDoc);
    options.integer("--applications", "N", plan_.episodes, {1, kMostApplications},
                    "end after so many; with --share, after so many times that none is left");
    options.integer("--executors", "N", executors_, {1, 100'000},
                    "the most slots of a cluster: what runs one task at a time");
    options.integer("--share", "N", share_, {0, 100'000},
                    "share so many executors over all applications, as many as the cluster has; "
                    "0: each application has those that Spark gives it");
    options.text("--moving-delay", "SECONDS", moving_delay_s_,
                 "with --share: what an executor takes from one application to another, as learned "
                 "policies are told");
  }

  void prepare(Session& session, Violations& wrong) override {
    if (endpoint_.ends_with('*') && file_.empty())
      wrong.add("--endpoint: with a free port it needs --endpoint-file, which tells it");
    if (key_.empty() != allow_.empty()) wrong.add("--key, --allow: an agent has both or none");
    if (!key_.empty() && file_.empty())
      wrong.add("--key: it needs --endpoint-file, which tells drivers the public one");
    if (share_ > executors_)
      wrong.add("--share: " + std::to_string(share_) + " is more than --executors allows, " +
                std::to_string(executors_));
    if (moving_delay_s_ != "0" && share_ == 0)
      wrong.add("--moving-delay: it needs --share; within one application executors do not move");
    command::check_output("--endpoint-file", file_, true, wrong);
    if (!log_.empty() && !std::ofstream(log_, std::ios::app))
      wrong.add("--log-json: " + log_ + " cannot be written");
    check_keys(wrong);
    check_durations(durations_, wrong);
    const bool known = read_env(session.registry(), env_text(), env_, wrong);
    plan_.env = env_.canonical;
    plan_.system = true;
    if (known && !policy_text_.empty())
      policies_ = read_policies(session.registry(), "--policy", {policy_text_}, env_.spec, wrong);
  }

  int run(Session& session) override {
    const InterruptScope scope;
    session.console().info(settings());
    Results results{.plan = plan_, .metrics = result_metrics(env_.spec), .policies = {}};
    Progress progress(session.console(), "applications", 0, "decisions");
    PolicyResult result = play_policy(session.registry(), plan_, policies_[0].canonical,
                                      *policies_[0].policy, nullptr, progress);
    // Without a number of applications an interrupt is the only end.
    const bool cut = interrupted() != 0 && plan_.episodes != kMostApplications;
    results.interrupted = interrupted() != 0;
    if (!result.episodes.empty()) results.policies.push_back(std::move(result));
    session.print(session.json() ? results_json(results) : results_text(results, session.width()));
    return cut ? kSignalled + interrupted() : kDone;
  }

 private:
  [[nodiscard]] std::string env_text() const {
    const auto quoted = [](const std::string& text) {
      return to_text({.kind = Value::Kind::quoted, .text = text});
    };
    return "spark(endpoint=" + quoted(endpoint_) + ",endpoint_file=" + quoted(file_) +
           ",executors=" + std::to_string(executors_) + ",durations=" + quoted(durations_) +
           ",key=" + quoted(key_) + ",allow=" + quoted(allow_) +
           ",metrics_port=" + std::to_string(metrics_port_) + ",log=" + quoted(log_) +
           ",share=" + std::to_string(share_) + ",moving_delay_s=" + quoted(moving_delay_s_) + ")";
  }

  /// The agent reads them again.
  void check_keys(Violations& wrong) const {
    const auto check = [&](const char* option, const std::string& file, const auto& read) {
      if (file.empty()) return;
      try {
        bridge::naming(option, [&] { static_cast<void>(read(file)); });
      } catch (const bridge::Failed& failed) {
        wrong.add(failed.what());
      }
    };
    check("--key", key_, bridge::read_key_file);
    check("--allow", allow_, bridge::read_allowed_keys);
  }

  /// What the user adds to his own.
  [[nodiscard]] std::string settings() const {
    return "the settings of an application (spark-defaults.conf, or --conf NAME=VALUE):\n"
           "  spark.jars            park-spark-4.jar (of scripts/spark.sh; 3.5 for Spark 3.5)\n"
           "  spark.plugins         park.spark.ParkPlugin\n"
           "  spark.park.agent      " +
           (file_.empty() ? endpoint_ : file_) + "\n" +
           (key_.empty() ? ""
                         : "  spark.park.key        a file of `park key`, whose public key is in " +
                               allow_ + "\n") +
           (share_ == 0 ? "" : "  spark.park.executors  shared\n") +
           "  spark.executor.cores  1\n  spark.locality.wait   0s\n"
           "Ctrl-C ends it";
  }

  std::string policy_text_, endpoint_ = "tcp://127.0.0.1:5570", file_, durations_;
  std::string key_, allow_, log_, moving_delay_s_ = "0";
  std::uint64_t executors_ = 1000, metrics_port_ = 0, share_ = 0;
  PlayPlan plan_{.env = "", .episodes = kMostApplications};
  EnvInput env_;
  std::vector<PolicyInput> policies_;
};

}  // namespace

void check_durations(const std::string& file, Violations& wrong) {
  if (!file.empty())
    attempt("--durations", wrong, [&] { static_cast<void>(spark::read_known_durations(file)); });
}

std::unique_ptr<Command> make_spark_attach_command() {
  return std::make_unique<SparkAttachCommand>();
}

}  // namespace park::cli
