// How much an estimate of the policy gradient varies under each baseline: all of them see the same
// rollouts of the same policy, whose network and value functions are of one kind.
//
//   gradient_variance --env load_balance --train 100 --estimates 200
//
// Prints JSON: of every baseline the squared distance of each estimate from their mean, summed over
// all weights. Its mean is the trace of the covariance.
#include <ATen/Parallel.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <utility>
#include <vector>

#include "agents/algorithm/algorithms.h"
#include "agents/algorithm/policy_gradient_algorithm.h"
#include "agents/baseline/baselines.h"
#include "agents/net/networks.h"
#include "park/core/episodes.h"
#include "park/envs/envs.h"

namespace {

using namespace park;
using namespace park::agents;

struct Options {
  std::string env, network;
  std::vector<std::string> baselines{"none", "value", "sequence_mean", "multi_value(functions=8)",
                                     "meta"};
  std::uint32_t sequences = 4, rollouts = 4, fixed = 8;
  std::int64_t train = 0, warm_up = 150, estimates = 300;
  double learning_rate = 2e-3;
  std::uint64_t seed = 1;
};

/// One baseline at a time, all on the same few input sequences.
class Switched final : public Baseline {
 public:
  explicit Switched(std::uint32_t fixed) : fixed_(fixed) {}
  PerStep values(const Trajectories& t, const PerStep& returns) override {
    return now->values(t, returns);
  }
  void fit(const Trajectories& t, const PerStep& targets) override { now->fit(t, targets); }
  [[nodiscard]] std::uint32_t fixed_sequences() const noexcept override { return fixed_; }
  Baseline* now = nullptr;

 private:
  std::uint32_t fixed_;
};

using Gradient = std::vector<float>;

class Measurement {
 public:
  explicit Measurement(const Options& o) : options_(o) {
    envs::register_all(registry_);
    const Spec spec = registry_.spec(o.env);
    const std::string network = o.network.empty() ? default_network(spec) : o.network;
    const Rng run = phase_rng(o.seed, Phase::train);
    net_ = make_network(network, spec, Role::policy, run.split("network"));
    for (const std::string& text : o.baselines)
      baselines_.push_back(make_baseline(
          text, {.spec = spec,
                 .value_network =
                     [&](const Rng& rng) { return make_network(network, spec, Role::value, rng); },
                 .run = run}));
    auto switched = std::make_unique<Switched>(o.fixed);
    switched_ = switched.get();
    Task task{.registry = &registry_, .env = o.env, .network = net_, .run = run};
    task.baseline = std::move(switched);
    TrainingConfig config;
    config.sequences = o.sequences, config.rollouts = o.rollouts;
    config.slots = o.sequences * o.rollouts;
    training_ = std::make_unique<Training>(std::move(task), config);
  }

  /// Takes the policy from random weights to where its gradient is measured.
  void train() {
    const auto baseline =
        make_baseline("sequence_mean", {.spec = {}, .value_network = {}, .run = Rng(0)});
    for (std::int64_t i = 0; i < options_.train; ++i) {
      runs::IterationReport report;
      training_->collect(next_++, 0, report);
      report.learning_rate = options_.learning_rate;
      switched_->now = baseline.get();
      ascend(*training_, training_->estimate({}, report), report);
    }
  }

  /// Estimates by every baseline [baselines][estimates], after the value functions have learned.
  std::vector<std::vector<Gradient>> estimates() {
    std::vector<std::vector<Gradient>> all(baselines_.size());
    for (std::int64_t i = 0; i < options_.warm_up + options_.estimates; ++i) {
      runs::IterationReport report;
      training_->collect(next_++, 0, report);
      for (std::size_t b = 0; b < baselines_.size(); ++b) {
        switched_->now = baselines_[b].get();
        Gradient g = gradient();
        if (i >= options_.warm_up) all[b].push_back(std::move(g));
      }
    }
    return all;
  }

 private:
  /// Of the mean return of an episode.
  Gradient gradient() {
    runs::IterationReport report;
    const std::vector<Sample> samples = training_->estimate({}, report);
    net_->zero_grad();
    add_gradient(*training_, samples, report);
    const double scale = -report.advantage_sd / (options_.sequences * options_.rollouts);
    Gradient all;
    for (const at::Tensor& p : net_->parameters()) {
      if (!p.grad().defined()) continue;
      const at::Tensor g = p.grad().contiguous();
      for (std::int64_t i = 0; i < g.numel(); ++i)
        all.push_back(static_cast<float>(scale * g.data_ptr<float>()[i]));
    }
    return all;
  }

  Options options_;
  Registry registry_;
  std::shared_ptr<Network> net_;
  std::vector<std::unique_ptr<Baseline>> baselines_;
  Switched* switched_ = nullptr;
  std::unique_ptr<Training> training_;
  std::int64_t next_ = 0;
};

/// Squared distances of the estimates from their mean [estimates].
std::vector<double> distances(const std::vector<Gradient>& all) {
  const std::size_t weights = all.front().size();
  std::vector<double> mean(weights), squares;
  for (const Gradient& g : all)
    for (std::size_t w = 0; w < weights; ++w) mean[w] += g[w] / static_cast<double>(all.size());
  for (const Gradient& g : all) {
    double sum = 0;
    for (std::size_t w = 0; w < weights; ++w) sum += (g[w] - mean[w]) * (g[w] - mean[w]);
    squares.push_back(sum);
  }
  return squares;
}

}  // namespace

int main(int argc, char** argv) {
  Options o;
  CLI::App app("variance of estimates of the policy gradient under each baseline");
  app.add_option("--env", o.env, "environment")->required();
  app.add_option("--net", o.network, "of the policy and of value functions; default: what suits");
  app.add_option("--baseline", o.baselines, "baselines to measure");
  app.add_option("--sequences", o.sequences, "input sequences of an estimate");
  app.add_option("--rollouts", o.rollouts, "episodes of each sequence");
  app.add_option("--fixed", o.fixed, "input sequences that there are");
  app.add_option("--train", o.train, "iterations that the policy learns before");
  app.add_option("--warm-up", o.warm_up, "estimates that value functions learn from first");
  app.add_option("--estimates", o.estimates, "estimates")->check(CLI::Range(2, 1000000));
  app.add_option("--seed", o.seed, "of weights and rollouts");
  CLI11_PARSE(app, argc, argv);
  at::set_num_threads(1);
  try {
    Measurement measurement(o);
    measurement.train();
    const auto all = measurement.estimates();
    nlohmann::json out{{"env", o.env}, {"seed", o.seed}, {"train", o.train}};
    for (std::size_t b = 0; b < all.size(); ++b) out["squares"][o.baselines[b]] = distances(all[b]);
    std::printf("%s\n", out.dump().c_str());
  } catch (const std::exception& e) {
    std::fprintf(stderr, "gradient_variance: %s\n", e.what());
    return 2;
  }
}
