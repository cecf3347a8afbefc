// The algorithms and baselines by name. Two lists hold for each its summary, its fields and how it
// is made of a text; canonical prints texts in one form. A training makes the baseline first and
// hands it to the algorithm in its Task. The module of trainings calls canonical, infos and
// make_algorithm.
#include "agents/algorithm/algorithms.h"

#include "agents/algorithm/a2c.h"
#include "agents/algorithm/ppo.h"
#include "agents/algorithm/reinforce.h"
#include "agents/baseline/baselines.h"
#include "agents/net/networks.h"
#include "park/core/episodes.h"
#include "park/core/text.h"

namespace park::agents {
namespace {

struct NoneConfig {
  static constexpr const char* kName = "none";
  bool operator==(const NoneConfig&) const = default;
  template <class Self, class Visit>
  static void fields(Self&, Visit&&) {}
};

struct SequenceMeanConfig {
  static constexpr const char* kName = "sequence_mean";
  bool leave_one_out = true;
  bool operator==(const SequenceMeanConfig&) const = default;

  template <class Self, class Visit>
  static void fields(Self& self, Visit&& visit) {
    visit("leave_one_out", self.leave_one_out,
          FieldDoc{.doc = "without the rollout itself, which makes it unbiased"});
  }
};

struct ValueFields {
  double learning_rate = 1e-3;
  std::uint32_t epochs = 1, minibatch = 1024;
  bool operator==(const ValueFields&) const = default;

  template <class Self, class Visit>
  static void fields(Self& self, Visit&& visit) {
    visit("learning_rate", self.learning_rate, FieldDoc{.doc = "of its Adam", .min = 0, .max = 10});
    visit(
        "epochs", self.epochs,
        FieldDoc{.doc = "how often it goes over an iteration's decisions", .min = 1, .max = 1000});
    visit("minibatch", self.minibatch,
          FieldDoc{.doc = "decisions of a step", .min = 1, .max = 1e7});
  }
  [[nodiscard]] ValueOptions options() const {
    return {.learning_rate = learning_rate, .epochs = epochs, .minibatch = minibatch};
  }
};

struct ValueConfig : ValueFields {
  static constexpr const char* kName = "value";
  bool sequence_mean = false;
  bool operator==(const ValueConfig&) const = default;

  template <class Self, class Visit>
  static void fields(Self& self, Visit&& visit) {
    ValueFields::fields(self, visit);
    visit("sequence_mean", self.sequence_mean,
          FieldDoc{.doc = "adds the mean of what it misses in rollouts of the same inputs"});
  }
};

struct MultiValueConfig : ValueFields {
  static constexpr const char* kName = "multi_value";
  std::uint32_t functions = 10;
  bool operator==(const MultiValueConfig&) const = default;

  template <class Self, class Visit>
  static void fields(Self& self, Visit&& visit) {
    visit("functions", self.functions,
          FieldDoc{.doc = "input sequences that training repeats, with a value function each",
                   .min = 1,
                   .max = 1e5});
    ValueFields::fields(self, visit);
  }
};

struct MetaConfig {
  static constexpr const char* kName = "meta";
  static constexpr std::uint32_t kFewestRollouts = kMetaRollouts;
  MetaOptions options;
  bool operator==(const MetaConfig&) const = default;

  template <class Self, class Visit>
  static void fields(Self& self, Visit&& visit) {
    auto& o = self.options;
    visit("learning_rate", o.learning_rate,
          FieldDoc{.doc = "of the Adam of the meta step", .min = 0, .max = 10});
    visit("inner_learning_rate", o.inner_learning_rate,
          FieldDoc{.doc = "part of its mean error around each time that the function of the time "
                          "loses in a step that adapts it to a sequence",
                   .min = 0,
                   .max = 1});
    visit("inner_network_rate", o.inner_network_rate,
          FieldDoc{.doc = "of the network of the observation in such a step; 0: sequences share it",
                   .min = 0,
                   .max = 10});
    visit("inner_steps", o.inner_steps,
          FieldDoc{.doc = "steps that adapt to a sequence", .min = 1, .max = 100});
    visit("first_order", o.first_order,
          FieldDoc{.doc = "leaves out the second derivatives of the meta gradient"});
  }
};

/// An algorithm or a baseline: what it tells, and how it is made of a text.
template <class Make>
struct Entry {
  runs::PartInfo info;
  std::string (*canonical)(const Value&);
  Make make;
  std::uint32_t fewest_rollouts = 1;  ///< a baseline's
};

template <class C, class Make>
Entry<Make> entry(std::string summary, std::string reference, Make make) {
  return {
      {C::kName, std::move(summary), std::move(reference), field_infos<C>()},
      [](const Value& text) { return to_text(park::canonical(C::kName, parse_config<C>(text))); },
      make,
      [] {
        if constexpr (requires { C::kFewestRollouts; }) return C::kFewestRollouts;
        return 1u;
      }()};
}

/// The fields that every algorithm has.
TrainingConfig training_config(const Value& algorithm) {
  if (algorithm.text == ReinforceConfig::kName) return parse_config<ReinforceConfig>(algorithm);
  if (algorithm.text == A2cConfig::kName) return parse_config<A2cConfig>(algorithm);
  return parse_config<PpoConfig>(algorithm);
}

using MakeAlgorithm = std::unique_ptr<Algorithm> (*)(const Value&, Task);

const std::vector<Entry<MakeAlgorithm>>& algorithm_entries() {
  static const std::vector<Entry<MakeAlgorithm>> all = {
      entry<ReinforceConfig, MakeAlgorithm>(
          "policy gradient with whole episodes", "Williams, Machine Learning 1992",
          [](const Value& text, Task task) {
            return make_reinforce(std::move(task), parse_config<ReinforceConfig>(text));
          }),
      entry<A2cConfig, MakeAlgorithm>(
          "policy gradient with advantages of a critic", "Mnih et al., ICML 2016",
          [](const Value& text, Task task) {
            return make_a2c(std::move(task), parse_config<A2cConfig>(text));
          }),
      entry<PpoConfig, MakeAlgorithm>(
          "several clipped steps on what an iteration has played", "Schulman et al., 2017",
          [](const Value& text, Task task) {
            return make_ppo(std::move(task), parse_config<PpoConfig>(text));
          }),
  };
  return all;
}

/// What a baseline is made of.
struct BaselineTask {
  const Spec& spec;
  const std::string& network;
  const Rng& run;
};
using MakeBaseline = std::unique_ptr<Baseline> (*)(const Value&, const BaselineTask&);

const std::vector<Entry<MakeBaseline>>& baseline_entries() {
  static const std::vector<Entry<MakeBaseline>> all = {
      entry<NoneConfig, MakeBaseline>(
          "0", "", [](const Value&, const BaselineTask&) { return make_no_baseline(); }),
      entry<ValueConfig, MakeBaseline>(
          "a value function of the observation", "",
          [](const Value& text, const BaselineTask& t) {
            const auto c = parse_config<ValueConfig>(text);
            return make_value(t.spec,
                              make_network(t.network, t.spec, Role::value, t.run.split("value")),
                              {.learning = c.options(), .sequence_mean = c.sequence_mean}, t.run);
          }),
      entry<SequenceMeanConfig, MakeBaseline>(
          "mean return of the rollouts of the same inputs", "Mao et al., SIGCOMM 2019",
          [](const Value& text, const BaselineTask&) {
            const auto c = parse_config<SequenceMeanConfig>(text);
            return make_sequence_mean({.leave_one_out = c.leave_one_out});
          }),
      entry<MultiValueConfig, MakeBaseline>(
          "a value function for each of a fixed set of input sequences", "Mao et al., ICLR 2019",
          [](const Value& text, const BaselineTask& t) {
            const auto c = parse_config<MultiValueConfig>(text);
            std::vector<std::shared_ptr<Network>> nets;
            for (std::uint32_t i = 0; i < c.functions; ++i)
              nets.push_back(
                  make_network(t.network, t.spec, Role::value, t.run.split("value").split(i)));
            return make_multi_value(t.spec, nets, c.options(), t.run);
          }),
      entry<MetaConfig, MakeBaseline>(
          "a value function that adapts to each input sequence", "Mao et al., ICLR 2019",
          [](const Value& text, const BaselineTask& t) {
            return make_meta(t.spec,
                             make_network(t.network, t.spec, Role::value, t.run.split("value")),
                             parse_config<MetaConfig>(text).options);
          }),
  };
  return all;
}

template <class E>
const E& find(const std::vector<E>& all, std::string_view name, std::string_view what) {
  std::vector<std::string> names;
  for (const E& e : all) {
    if (e.info.name == name) return e;
    names.push_back(e.info.name);
  }
  fail_unknown(what, name, names);
}

template <class E>
std::vector<runs::PartInfo> infos(const std::vector<E>& all) {
  std::vector<runs::PartInfo> list;
  for (const E& e : all) list.push_back(e.info);
  return list;
}

}  // namespace

std::vector<runs::PartInfo> algorithms() { return infos(algorithm_entries()); }
std::vector<runs::PartInfo> baselines() { return infos(baseline_entries()); }

runs::TrainingTexts canonical(const Registry& registry, const runs::TrainingTexts& texts) {
  runs::TrainingTexts all = texts;
  all.env = registry.canonical_env(texts.env);
  const Value algorithm = parse_named(texts.algorithm);
  all.algorithm = find(algorithm_entries(), algorithm.text, "algorithm").canonical(algorithm);
  if (all.baseline.empty())
    all.baseline =
        algorithm.text == ReinforceConfig::kName ? SequenceMeanConfig::kName : ValueConfig::kName;
  const Value baseline = parse_named(all.baseline);
  const auto& entry = find(baseline_entries(), baseline.text, "baseline");
  all.baseline = entry.canonical(baseline);
  check_fit(training_config(algorithm), entry.fewest_rollouts, registry.mean_horizon_s(texts.env));
  if (all.network.empty()) all.network = default_network(registry.spec(texts.env));
  all.network = canonical_network(all.network);
  return all;
}

std::unique_ptr<Baseline> make_baseline(const std::string& text, const Spec& spec,
                                        const std::string& network, const Rng& run) {
  const Value baseline = parse_named(text);
  return find(baseline_entries(), baseline.text, "baseline")
      .make(baseline, {.spec = spec, .network = network, .run = run});
}

std::unique_ptr<Algorithm> make_algorithm(const Registry& registry,
                                          const runs::TrainingTexts& texts, std::uint64_t seed) {
  const runs::TrainingTexts t = canonical(registry, texts);
  const Rng run = phase_rng(seed, Phase::train);
  const Spec spec = registry.spec(t.env);
  const Value algorithm = parse_named(t.algorithm);
  Task task{.registry = &registry, .env = t.env, .run = run};
  task.network = make_network(t.network, spec, Role::policy, run.split("network"));
  task.baseline = make_baseline(t.baseline, spec, t.network, run);
  return find(algorithm_entries(), algorithm.text, "algorithm").make(algorithm, std::move(task));
}

}  // namespace park::agents
