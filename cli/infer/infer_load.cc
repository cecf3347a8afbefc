// `park infer load`: sends the requests of episodes to a server that runs already, and prints the
// metrics of the simulator. The latencies that slowdowns are relative to are the server's own.
#include <chrono>
#include <limits>
#include <utility>

#include "bridge/codec/failure.h"
#include "cli/frame/inputs.h"
#include "cli/frame/interrupt.h"
#include "cli/infer/infer_commands.h"
#include "cli/play/results.h"
#include "systems/dl_inference_live/device_loop.h"
#include "systems/dl_inference_live/load_client.h"

namespace park::cli {
namespace {

class InferLoadCommand final : public Command {
 public:
  CommandInfo info() const override {
    return {.name = "load",
            .summary = "send requests to an inference server at their scheduled times",
            .details =
                "An open-loop client: it sends each request of the episodes' inputs when it is to "
                "arrive, no matter how many have no reply. Latencies count from the scheduled "
                "arrival, so a client or server that is late hides no waiting. Exit code 1 where "
                "the server leaves requests without a reply.",
            .example = "park infer load dl_inference_live --endpoint tcp://127.0.0.1:5571"};
  }

  void declare(Options& options) override {
    options.text("ENV", "", env_text_, kLiveDoc, Options::Need::required);
    options.text("--endpoint", "E", endpoint_,
                 "of the server: tcp://127.0.0.1:PORT, ipc://PATH, or its endpoint file");
    options.integer("--wait", "S", wait_s_, {1, 3600}, "longest wait for the server, in seconds");
    options.integer("--episodes", "N", plan_.episodes, {1, 1'000'000}, "one after the other");
    options.integer("--seed", "S", plan_.seed, {0, std::numeric_limits<std::uint64_t>::max()},
                    "same seed, same requests: those of park run");
    options.choice("--phase", phase_text_, phase_names(), "which inputs");
  }

  void prepare(Session& session, Violations& wrong) override {
    static_cast<void>(read_live(session.registry(), env_text_, config_, plan_.env, wrong));
    plan_.phase = phase_of(phase_text_);
    plan_.system = true;
    try {
      endpoint_ = endpoint_of(endpoint_);
      client_.emplace(endpoint_);
    } catch (const bridge::Failed& failed) {
      wrong.add(std::string("--endpoint: ") + failed.what());
    }
  }

  int run(Session& session) override {
    const InterruptScope scope;
    const auto until = std::chrono::steady_clock::now() + std::chrono::seconds(wait_s_);
    const std::string table = client_->ask(inference::Wish::table, until);
    const std::string name = "the table of " + endpoint_;
    const auto apps = config_.applications(inference::LatencyTable::parse(table, name), name);
    const Spec spec = inference::live_spec(apps.size());
    Results results{.plan = plan_, .metrics = result_metrics(spec), .policies = {}};
    Progress progress(session.console(), "episodes", plan_.episodes, "requests");
    PolicyResult result{.policy = "server", .episodes = {}};
    const double begin_s = monotonic_s();
    const RandomEpisodes episodes(phase_rng(plan_.seed, plan_.phase));
    for (std::uint64_t k = 0; k < plan_.episodes && interrupted() == 0; ++k)
      play(*episodes.at(k), apps, spec, result, progress);
    result.wall_s = monotonic_s() - begin_s;
    results.interrupted = interrupted() != 0;
    if (!result.episodes.empty()) results.policies.push_back(std::move(result));
    session.print(session.json() ? results_json(results) : results_text(results, session.width()));
    if (unanswered_ > 0)
      session.console().error(std::to_string(unanswered_) + " requests have no reply");
    if (interrupted() != 0) return kSignalled + interrupted();
    return unanswered_ > 0 ? kFailed : kDone;
  }

 private:
  void play(const Episode& episode, const std::vector<inference::Application>& served,
            const Spec& spec, PolicyResult& result, Progress& progress) {
    std::vector<inference::Application> apps = served;
    inference::ArrivalProcess arrivals(config_.simulated("the server's"), apps);
    arrivals.reset(episode.inputs);
    inference::Ledger ledger(apps, config_.inputs.drop_cost);
    const inference::LoadEnd end =
        client_->play(arrivals, ledger,
                      {.drain_s = config_.drain_s, .goes_on = [] { return interrupted() == 0; }});
    if (interrupted() != 0) return;
    unanswered_ += ledger.open();
    EpisodeResult one{.id = episode.id,
                      .reward = 0.0 - ledger.take_cost(end.time_s),
                      .metrics = std::vector<double>(spec.metrics.size())};
    const inference::LiveLayout layout(apps.size());
    ledger.metrics(layout, end.time_s, one.metrics);
    progress.advance(1, static_cast<std::uint64_t>(one.metrics[layout.requests_done]));
    result.episodes.push_back(std::move(one));
  }

  std::string env_text_, endpoint_ = "tcp://127.0.0.1:5571",
                         phase_text_ = phase_name(Phase::evaluate);
  inference::LiveConfig config_;
  PlayPlan plan_{.env = "", .episodes = 1};
  std::optional<inference::LoadClient> client_;
  std::uint64_t wait_s_ = 10, unanswered_ = 0;
};

}  // namespace

std::unique_ptr<Command> make_infer_load_command() { return std::make_unique<InferLoadCommand>(); }

}  // namespace park::cli
