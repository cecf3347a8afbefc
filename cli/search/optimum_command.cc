// `park optimum`: the best decisions of small cases, and how far policies are from them. A case is an
// evaluation episode. It is solved first, then every policy plays it.
#include <cmath>
#include <limits>
#include <memory>
#include <optional>

#include "cli/frame/commands.h"
#include "cli/frame/inputs.h"
#include "cli/frame/interrupt.h"
#include "cli/frame/names.h"
#include "cli/play/play.h"
#include "park/command/table.h"
#include "park/core/json_writer.h"
#include "park/core/text.h"
#include "park/search/exact.h"
#include "park/search/orders.h"

namespace park::cli {
namespace {

/// What is known of one case.
struct SolvedCase {
  std::uint64_t episode = 0, states = 0;
  double optimum = 0;
  std::optional<search::JobOrders::Best> by_order;
  std::vector<double> rewards;  ///< of the policies
};

/// Costs over the least cost; NaN where rewards are no costs.
double ratio(double reward, double optimum) {
  const bool costs = optimum < 0 && reward <= 0;
  return costs ? reward / optimum : std::numeric_limits<double>::quiet_NaN();
}

std::string shown(double value) {
  return std::isnan(value) ? "-" : number_text(std::round(value * 1e4) / 1e4);
}

class OptimumCommand final : public Command {
 public:
  CommandInfo info() const override {
    return {
        .name = "optimum",
        .summary = "solve small cases exactly, and say how far policies are from the best",
        .details =
            "Searches all decisions of each episode, with everything known that will happen. "
            "The environment has to give copies and to tell its state. "
            "Cases with a few jobs, stages and executors are feasible. The table has the cost of "
            "each policy over the least cost. --orders also tries all orders of up to 8 jobs, "
            "each with all executors for the first job that can use them.",
        .example =
            "park optimum 'dag_scheduling(jobs=2,executors=2)' --policy fair,fifo --episodes 3"};
  }

  void declare(Options& options) override {
    options.text("ENV", "", env_text_, "a simulated environment", Options::Need::required);
    options.text("--policy", "P[,P...]", policy_text_, "policies to compare; none: only solves");
    options.integer("--episodes", "N", plan_.episodes, {1, 1'000'000}, "cases");
    options.integer("--seed", "S", plan_.seed, {0, std::numeric_limits<std::uint64_t>::max()},
                    "same seed, same episodes as of park run");
    options.integer("--states", "M", most_states_, {1, 100'000'000},
                    "a case with more states is too large; a million take some 100 MB");
    options.flag("--orders", orders_, "try all orders of the jobs too");
    options.flag("--only-orders", only_orders_, "try all orders of the jobs instead");
  }

  void prepare(Session& session, Violations& wrong) override {
    const Registry& registry = session.registry();
    std::vector<std::string> texts;
    if (!policy_text_.empty())
      attempt("--policy", wrong, [&] { texts = split_policies(policy_text_); });
    if (!read_env(registry, env_text_, env_, wrong))
      return check_policies(registry, "--policy", texts, wrong);
    plan_.env = env_.canonical;
    if (!registry.env(env_.canonical).simulated() || !env_.spec.traits.cloneable) {
      wrong.add("ENV: " + env_.canonical + " is not simulated here, or cannot be copied");
      return;
    }
    policies_ = read_policies(registry, "--policy", texts, env_.spec, wrong);
    attempt("ENV", wrong, [&] {
      if (!only_orders_) exact_ = std::make_unique<search::ExactSearch>(env_.spec, most_states_);
      if (orders_ || only_orders_) by_order_ = std::make_unique<search::JobOrders>(env_.spec);
    });
  }

  int run(Session& session) override {
    const InterruptScope scope;
    const auto env = session.registry().env_factory(env_.canonical)();
    {
      Progress progress(session.console(), "cases", plan_.episodes, "states");
      for (std::uint64_t k = 0; k < plan_.episodes && interrupted() == 0; ++k)
        if (!solve(*env, k, progress)) return too_large(session, k);
    }
    std::ptrdiff_t played = 0;
    for (const PolicyInput& p : policies_) {
      if (!play(session, p)) break;
      ++played;
    }
    policies_.erase(policies_.begin() + played, policies_.end());  // a signal came before these
    if (!cases_.empty()) session.print(session.json() ? as_json() : as_table());
    return interrupted() == 0 ? kDone : kSignalled + interrupted();
  }

 private:
  bool solve(Env& env, std::uint64_t k, Progress& progress) {
    const RandomEpisodes episodes(phase_rng(plan_.seed, Phase::evaluate));
    const Episode episode = *episodes.at(k);
    SolvedCase solved;
    solved.episode = k;
    if (by_order_) solved.by_order = by_order_->best(env, episode);
    if (exact_) {
      Batch row(env_.spec.observation);
      env.reset(episode, row.append());
      const auto best = exact_->best(env, std::as_const(row).row(0));
      if (!best) return false;
      solved.optimum = *best;
      solved.states = exact_->states();
    } else {
      solved.optimum = solved.by_order->reward;
    }
    progress.advance(1, solved.states);
    cases_.push_back(std::move(solved));
    return true;
  }

  int too_large(Session& session, std::uint64_t k) const {
    session.console().error("ENV: " + env_.canonical + ": episode " + std::to_string(k) +
                            " has more than " + std::to_string(most_states_) +
                            " states, which --states allows, or very long sequences of "
                            "decisions: the case is too large");
    return kBadInput;
  }

  /// False where a signal came before all cases were played.
  bool play(Session& session, const PolicyInput& p) {
    session.console().debug("playing " + p.canonical);
    Progress progress(session.console(), "episodes", cases_.size(), "decisions");
    PlayPlan plan = plan_;
    plan.episodes = cases_.size();
    const PolicyResult result =
        play_policy(session.registry(), plan, p.canonical, *p.policy, nullptr, progress);
    if (result.episodes.size() < cases_.size()) return false;
    for (const EpisodeResult& e : result.episodes) cases_[e.id].rewards.push_back(e.reward);
    return true;
  }

  /// Mean and largest ratio of column `p` of the policies, or of the orders.
  template <class Reward>
  std::pair<double, double> figures(Reward reward) const {
    double sum = 0, worst = 0;
    for (const SolvedCase& c : cases_) {
      const double r = ratio(reward(c), c.optimum);
      sum += r;
      worst = std::isnan(r) ? r : std::max(worst, r);
    }
    return {sum / static_cast<double>(cases_.size()), worst};
  }

  std::string as_table() const {
    using Align = command::Table::Align;
    command::Table table(
        {{"policy"}, {"mean over least cost", Align::right}, {"worst", Align::right}});
    const auto add = [&](const std::string& name, const std::pair<double, double>& f) {
      table.add({name, shown(f.first), shown(f.second)});
    };
    if (by_order_ && exact_)
      add("best order of jobs", figures([](const SolvedCase& c) { return c.by_order->reward; }));
    for (std::size_t p = 0; p < policies_.size(); ++p)
      add(policies_[p].canonical, figures([p](const SolvedCase& c) { return c.rewards[p]; }));
    double sum = 0;
    for (const SolvedCase& c : cases_) sum += c.optimum;
    const std::string best = exact_ ? "optimum" : "best order of jobs";
    return env_.canonical + ": " + std::to_string(cases_.size()) + " cases, " + best +
           " has a mean reward of " + number_text(sum / static_cast<double>(cases_.size())) +
           "\n\n" + table.text();
  }

  std::string as_json() const {
    JsonWriter json;
    json.begin_object().member("env", env_.canonical).member("seed", plan_.seed);
    json.member("exact", exact_ != nullptr).key("policies").begin_array();
    for (std::size_t p = 0; p < policies_.size(); ++p) {
      const auto [mean, worst] = figures([p](const SolvedCase& c) { return c.rewards[p]; });
      json.begin_object(JsonWriter::Layout::line).member("policy", policies_[p].canonical);
      json.member("mean_ratio", mean).member("worst_ratio", worst).end_object();
    }
    json.end_array().key("cases").begin_array();
    for (const SolvedCase& c : cases_) {
      json.begin_object(JsonWriter::Layout::line).member("episode", c.episode);
      json.member("optimum", c.optimum).member("states", c.states);
      if (c.by_order) {
        json.member("best_order_reward", c.by_order->reward).key("best_order");
        json.begin_array(JsonWriter::Layout::line);
        for (const std::int32_t job : c.by_order->order) json.value(job);
        json.end_array();
      }
      json.key("rewards").values(c.rewards).end_object();
    }
    return json.end_array().end_object().take();
  }

  std::string env_text_, policy_text_;
  std::uint64_t most_states_ = 2'000'000;
  bool orders_ = false, only_orders_ = false;
  PlayPlan plan_{.env = "", .episodes = 10};
  EnvInput env_;
  std::vector<PolicyInput> policies_;
  std::unique_ptr<search::ExactSearch> exact_;
  std::unique_ptr<search::JobOrders> by_order_;
  std::vector<SolvedCase> cases_;
};

}  // namespace

void add_optimum_command(Commands& all) { all.add(45, std::make_unique<OptimumCommand>()); }

}  // namespace park::cli
