// Every network on every environment that it understands, and what each promises.
#include "agents/net/networks.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <memory>
#include <numeric>
#include <ostream>
#include <string>
#include <vector>

#include "agents/algorithm/algorithms.h"
#include "agents/kit/decide.h"
#include "agents/kit/network_policy.h"
#include "park/core/registry.h"
#include "park/envs/envs.h"
#include "tests/agents/kit/gradient.h"
#include "tests/kit/toy_rooms.h"
#include "tests/kit/toy_shop.h"

namespace park::agents {
namespace networks_test {

constexpr const char* kShop = "toy_shop(customers=20,interval_s=0.3,mood=busy)";
constexpr const char* kServers = "load_balance(servers=4)";
constexpr const char* kRooms = "toy_rooms";
constexpr const char* kThings = "toy_rooms(things=4)";
constexpr const char* kCluster = "dag_scheduling(executors=6,jobs=5)";
constexpr const char* kClasses =
    "dag_scheduling(executors=6,jobs=4,classes=[class(share=0.5),class(share=0.5,memory=2)])";

struct Case {
  const char *env, *network;
  /// Elements of groups and their order are all the same to it.
  bool blind_to_order = true;

  friend std::ostream& operator<<(std::ostream& out, const Case& c) {
    return out << c.network << " on " << c.env;
  }
};
const Case kCases[] = {
    {kServers, "mlp(hidden1=12)"},
    {kServers, "scorer(hidden1=12)"},
    {kShop, "scorer(hidden1=12)"},
    {kRooms, "mlp(hidden1=12)"},
    {kRooms, "scorer(hidden1=12)"},
    {kThings, "scorer(hidden1=12)"},
    {kCluster, "scorer(hidden1=12)"},
    {kClasses, "scorer(hidden1=12)"},
    {kCluster, "graph(hidden1=12,hidden=8,width=6)"},
    {kClasses, "graph(hidden1=12,rounds=0)"},
    {kCluster, "cluster_features", false},  // jobs of equal work have different ranks
    {kCluster, "cluster_features(durations=false)", false},
    {kClasses, "cluster_features(embedding=8)", false},
    {kClasses, "cluster_features(embedding=4,memory=2)", false},
    {kClasses, "cluster_features(limits=false)", false},
    {kClasses, "cluster_features(unit=task)", false},
    {kCluster, "cluster_features(unit=task,arrivals=true)", false},
    {kCluster, "cluster_features(unit=task,memory=2,keys=true,durations=false)", false},
    {kCluster, "cluster_features(memory=2,measured=true)", false},
    {kCluster, "decima"},
    {kClasses, "decima"},
    {kCluster, "decima(limit=outputs)"},
    {kCluster, "decima(limit=stage)"},
    {kCluster, "decima(graph=false)"},
    {kCluster, "decima(merge=true,logs=true,sums=root,weights=glorot)"},
    {kCluster, "decima(totals=true,merge=true,limit=stage)"},
    {kCluster, "decima(totals=true,graph=false)"},
    {kClasses, "decima_public(merge=true,logs=true)"},
    {kCluster, "decima(limits=false,durations=false)"},
    {kClasses, "decima_public"},
    {kCluster, "decima_public(limit=stage,graph=false)"}};

void fill_in(Registry& registry) {
  envs::register_all(registry);
  registry.add_env<park::test::ToyShop>();
  registry.add_env<park::test::ToyRooms>();
}

/// Decisions of a network.
struct Played {
  Batch observation, action;
};

Played played(const Registry& registry, const std::string& env,
              const std::shared_ptr<Network>& net) {
  const Spec spec = registry.spec(env);
  Played all{Batch(spec.observation), Batch(spec.action)};
  const RandomEpisodes episodes(Rng(5), {.count = 8});
  const auto stream = registry.stream(env, episodes, {.slots = 2});
  NetworkPolicy policy(spec, net, true);
  play(*stream, policy, Rng(6), [&](const Decisions& d, const Batch& actions) {
    all.observation.append(d.observation);
    all.action.append(actions);
    return all.action.rows() < 60;
  });
  return all;
}

/// Some of the decisions, spread evenly.
Played some(const Played& p, std::size_t n) {
  Played few{Batch(p.observation.record()), Batch(p.action.record())};
  for (std::size_t i = 0; i < n; ++i) {
    few.observation.append(p.observation, i * p.action.rows() / n);
    few.action.append(p.action, i * p.action.rows() / n);
  }
  return few;
}

/// What finite differences in one parameter say that is nearest to a gradient: shorter steps have
/// fewer kinks of rectifiers inside, longer ones less rounding.
double nearest_slope(const std::function<at::Tensor()>& f, float& parameter, double here,
                     double gradient) {
  const at::NoGradGuard off;
  const float kept = parameter;
  double nearest = test::kFar;
  for (const float step : {2e-3f, 5e-4f}) {
    parameter = kept + step;
    const double more = f().item<double>();
    parameter = kept - step;
    const double less = f().item<double>();
    const double slope = test::nearest_slope(gradient, less, here, more, step);
    if (std::abs(slope - gradient) < std::abs(nearest - gradient)) nearest = slope;
  }
  parameter = kept;
  return nearest;
}

/// Compares gradients of the network's own parameters with finite differences, in some places.
void expect_gradients(Network& net, const std::function<at::Tensor()>& f) {
  for (const at::Tensor& p : net.parameters()) p.mutable_grad() = at::Tensor();
  const at::Tensor value = f();
  value.backward();
  const double here = value.item<double>();
  for (const auto& item : net.named_parameters()) {
    const at::Tensor& p = item.value();
    for (std::int64_t i = 0; i < p.numel(); i += std::max<std::int64_t>(1, p.numel() / 3)) {
      const double gradient =
          p.grad().defined() ? static_cast<double>(p.grad().data_ptr<float>()[i]) : 0;
      const double slope = nearest_slope(f, p.data_ptr<float>()[i], here, gradient);
      EXPECT_NEAR(gradient, slope, 2e-2 * std::max(1.0, std::abs(slope)))
          << item.key() << " component " << i;
    }
  }
}

/// The same decision with the elements of every group in another order.
class Shuffled {
 public:
  Shuffled(const Spec& spec, const Played& p, std::size_t row, Rng draw)
      : observation(spec.observation), action(spec.action), from_(p.observation), row_(row) {
    const Row to = observation.append();
    for (std::size_t g = 0; g < spec.observation.groups.size(); ++g) {
      const GroupId group{static_cast<std::int32_t>(g)};
      order_.emplace_back(from_.row(row).count(group));
      std::iota(order_[g].begin(), order_[g].end(), std::size_t{0});
      draw.shuffle(std::span(order_[g]));
      to.resize(group, order_[g].size());
    }
    for (std::size_t c = 0; c < observation.columns(); ++c) move(spec.observation.leaves[c], c);
    action.append(p.action, row);
    for (std::size_t h = 0; h < spec.action.leaves.size(); ++h) {
      const Leaf& head = spec.action.leaves[h];
      if (head.index_of.empty()) continue;
      auto& value = action.row(0).scalar(action.field<std::int32_t>(head.name));
      value = place(head.index_of, value);
    }
  }

  Batch observation, action;

 private:
  /// Where an element has gone.
  [[nodiscard]] std::int32_t place(const std::string& group, std::int32_t element) const {
    const auto& order = order_[static_cast<std::size_t>(observation.group(group).id)];
    const auto at = std::ranges::find(order, static_cast<std::size_t>(element));
    return static_cast<std::int32_t>(at - order.begin());
  }

  void move(const Leaf& leaf, std::size_t column) {
    const auto to = observation.bytes(column, 0, 1);
    const auto from = from_.bytes(column, row_, 1);
    if (leaf.group.empty()) return void(std::ranges::copy(from, to.begin()));
    const auto& order = order_[static_cast<std::size_t>(observation.group(leaf.group).id)];
    const std::size_t size = leaf.width() * size_of(leaf.dtype);
    for (std::size_t k = 0; k < order.size(); ++k)
      std::memcpy(to.data() + k * size, from.data() + order[k] * size, size);
    if (leaf.index_of.empty()) return;
    auto* const values = reinterpret_cast<std::int32_t*>(to.data());
    for (std::size_t k = 0; k < order.size() * leaf.width(); ++k)
      values[k] = place(leaf.index_of, values[k]);
  }

  const Batch& from_;
  std::size_t row_;
  std::vector<std::vector<std::size_t>> order_;  // new place -> old place
};

class OfEnvironment : public ::testing::TestWithParam<Case> {
 protected:
  OfEnvironment() {
    fill_in(registry_);
    spec_ = registry_.spec(GetParam().env);
    heads_ = std::make_unique<Heads>(spec_);
    net_ = make_network(GetParam().network, spec_, Role::policy, Rng(3));
    // Larger weights than at the start, so that scores differ.
    const at::NoGradGuard off;
    for (const auto& item : net_->named_parameters())
      if (item.value().dim() == 2 && item.value().size(1) == 1) item.value().mul_(10);
    net_->observe(played(registry_, GetParam().env, net_).observation);
    net_->settle();
  }
  Evaluation evaluated(const Played& p) {
    return evaluate(*net_, *heads_, p.observation, p.action);
  }

  Registry registry_;
  Spec spec_;
  std::unique_ptr<Heads> heads_;
  std::shared_ptr<Network> net_;
};

TEST_P(OfEnvironment, DecisionsAreLegalAndDiffer) {
  const Played p = played(registry_, GetParam().env, net_);  // an illegal action would throw
  EXPECT_GT(p.action.rows(), 20u);
  const at::NoGradGuard off;
  const Evaluation e = evaluated(p);
  EXPECT_TRUE(at::isfinite(e.log_prob).all().item<bool>());
  EXPECT_GT(e.entropy.max().item<double>(), 0.1);
}

TEST_P(OfEnvironment, ARowDoesNotDependOnTheOthers) {
  const Played p = some(played(registry_, GetParam().env, net_), 12);
  const at::NoGradGuard off;
  const Evaluation all = evaluated(p);
  for (std::size_t r = 0; r < p.action.rows(); ++r) {
    Played one{Batch(spec_.observation), Batch(spec_.action)};
    one.observation.append(p.observation, r);
    one.action.append(p.action, r);
    const Evaluation e = evaluated(one);
    const auto at = static_cast<std::int64_t>(r);
    EXPECT_NEAR(e.log_prob[0].item<double>(), all.log_prob[at].item<double>(), 1e-5);
    EXPECT_NEAR(e.entropy[0].item<double>(), all.entropy[at].item<double>(), 1e-5);
  }
}

TEST_P(OfEnvironment, GradientsAreThoseOfFiniteDifferences) {
  const Played p = some(played(registry_, GetParam().env, net_), 5);
  expect_gradients(*net_, [&] {
    const Evaluation e = evaluated(p);
    return e.log_prob.sum() + 0.3 * e.entropy.sum();
  });
}

TEST_P(OfEnvironment, GradientsOfValuesAreThoseOfFiniteDifferences) {
  const Played p = some(played(registry_, GetParam().env, net_), 5);
  const auto net = make_network(GetParam().network, spec_, Role::value, Rng(4));
  ASSERT_TRUE(net->has_values());
  net->observe(p.observation);
  net->settle();
  expect_gradients(*net, [&] { return net->values(*net->encode(p.observation)).square().sum(); });
}

TEST_P(OfEnvironment, TheOrderOfElementsDoesNotMatter) {
  if (!GetParam().blind_to_order) return;
  const Played p = some(played(registry_, GetParam().env, net_), 8);
  const at::NoGradGuard off;
  const Evaluation e = evaluated(p);
  for (std::size_t r = 0; r < p.action.rows(); ++r) {
    const Shuffled s(spec_, p, r, Rng(7).split(r));
    const Evaluation other = evaluate(*net_, *heads_, s.observation, s.action);
    const auto at = static_cast<std::int64_t>(r);
    EXPECT_NEAR(other.log_prob[0].item<double>(), e.log_prob[at].item<double>(), 1e-4);
    EXPECT_NEAR(other.entropy[0].item<double>(), e.entropy[at].item<double>(), 1e-4);
  }
}

INSTANTIATE_TEST_SUITE_P(Networks, OfEnvironment, ::testing::ValuesIn(kCases));

class Networks : public ::testing::Test {
 protected:
  Networks() { fill_in(registry_); }
  [[nodiscard]] std::int64_t parameters(const std::string& text) const {
    std::int64_t count = 0;
    const auto net = make_network(text, registry_.spec(kCluster), Role::policy, Rng(1));
    for (const at::Tensor& p : net->parameters()) count += p.numel();
    return count;
  }
  Registry registry_;
};

TEST_F(Networks, DecimaHasAsManyParametersAsThePaperAndTheCode) {
  EXPECT_EQ(parameters("decima"), 12736);
  EXPECT_EQ(parameters("decima_public"), 4770);
  EXPECT_EQ(parameters("decima(durations=false)"), 12736);
  EXPECT_EQ(parameters("decima(totals=true)"), 12736 + 3 * 3 * 32) << "both scores and the cluster";
}

TEST_F(Networks, DefaultsSuitTheEnvironment) {
  EXPECT_EQ(default_network(registry_.spec(kCluster)), "cluster_features");
  EXPECT_EQ(default_network(registry_.spec(kShop)), "scorer");
  EXPECT_EQ(default_network(registry_.spec(kServers)), "mlp");
  Spec twin = registry_.spec(kCluster);
  twin.name = "spark";
  twin.traits.twin = "dag_scheduling";
  EXPECT_EQ(default_network(twin), "cluster_features");
}

TEST_F(Networks, DerivedInputsNeedAnEnvironmentThatHasThem) {
  try {
    (void)make_network("mlp(inputs=derived)", registry_.spec(kRooms), Role::policy, Rng(1));
    FAIL();
  } catch (const Error& e) {
    EXPECT_EQ(std::string(e.what()),
              "inputs = derived needs derived features of a row, and 'toy_rooms' has none "
              "(features.txt of its folder)");
  }
}

TEST_F(Networks, MisfitsAreErrorsThatNameTheEnvironments) {
  const auto message = [&](const char* env, const char* network) -> std::string {
    try {
      (void)make_network(network, registry_.spec(env), Role::policy, Rng(1));
    } catch (const Error& e) {
      EXPECT_EQ(e.code(), Errc::invalid_config);
      return e.what();
    }
    return "";
  };
  EXPECT_EQ(message(kServers, "decima"),
            "network 'decima' does not understand 'load_balance'; it is for dag_scheduling and its "
            "twin");
  EXPECT_EQ(message(kShop, "mlp"),
            "network 'mlp' does not understand 'toy_shop'; it is for environments without groups");
  EXPECT_EQ(
      message(kServers, "graph"),
      "network 'graph' does not understand 'load_balance'; it is for environments with a group "
      "whose elements refer to two of another one");
  EXPECT_EQ(message(kServers, "mlp"), "");
  EXPECT_THROW((void)canonical_network("decimal"), Error);
  EXPECT_THROW((void)canonical_network("decima(limit=none)"), Error);
  EXPECT_EQ(canonical_network("decima(graph=true,limit=stage)"), "decima(limit=stage)");
}

/// Without durations nothing that was derived from them changes a decision.
TEST_F(Networks, DurationsCanBeLeftOut) {
  const Spec spec = registry_.spec(kCluster);
  for (const std::string name : {"cluster_features", "decima", "decima_public"}) {
    for (const bool durations : {false, true}) {
      const auto net =
          make_network(name + (durations ? "" : "(durations=false)"), spec, Role::policy, Rng(3));
      const Played p = some(played(registry_, kCluster, net), 10);
      Played slow = some(p, 10);
      for (const char* leaf : {"stage.mean_duration_s", "stage.work_s", "stage.critical_path_s",
                               "stage.last_duration_s", "job.work_s", "job.work_left_s"})
        for (std::size_t r = 0; r < 10; ++r) {
          float factor = 1;
          for (float& v : slow.observation.row(r)[slow.observation.field<float>(leaf)])
            v *= factor += 0.5f;
        }
      const Heads heads(spec);
      const at::NoGradGuard off;
      const at::Tensor a = evaluate(*net, heads, p.observation, p.action).log_prob;
      const at::Tensor b = evaluate(*net, heads, slow.observation, slow.action).log_prob;
      EXPECT_EQ(at::equal(a, b), !durations) << name;
    }
  }
}

/// What a job's work was in all, of which parts are done, Decima's inputs do not tell.
TEST_F(Networks, TotalsOfAJobAreSeenWhereAskedFor) {
  const Spec spec = registry_.spec(kCluster);
  for (const std::string name : {"decima", "decima_public"})
    for (const std::string fields :
         {"", "(totals=true)", "(totals=true,graph=false)", "(totals=true,durations=false)"}) {
      const auto net = make_network(name + fields, spec, Role::policy, Rng(3));
      const Played p = some(played(registry_, kCluster, net), 10);
      Played more = some(p, 10);
      for (std::size_t r = 0; r < 10; ++r)
        for (float& v : more.observation.row(r)[more.observation.field<float>("job.work_s")])
          v *= 3;
      const Heads heads(spec);
      const at::NoGradGuard off;
      const at::Tensor a = evaluate(*net, heads, p.observation, p.action).log_prob;
      const at::Tensor b = evaluate(*net, heads, more.observation, more.action).log_prob;
      const bool seen = !fields.empty() && fields.find("durations") == std::string::npos;
      EXPECT_EQ(at::equal(a, b), !seen) << name << fields;
    }
}

TEST_F(Networks, WithoutLimitsAStageGetsAllThatItCan) {
  const Spec spec = registry_.spec(kCluster);
  for (const char* text : {"cluster_features(limits=false)", "decima(limits=false)"}) {
    const auto net = make_network(text, spec, Role::policy, Rng(3));
    const Played p = played(registry_, kCluster, net);
    const auto largest = p.observation.field<std::int32_t>("limit.max");
    const auto job = p.observation.field<std::int32_t>("stage.job");
    const Heads heads(spec);
    Candidates c;
    heads.candidates(1, p.observation, p.action, c);
    const auto encoding = net->encode(p.observation);
    net->narrow(*encoding, 1, p.action, c);
    EXPECT_TRUE(c.forced());
    if (text[0] == 'c') continue;  // several limits mean the same to it: it takes the least
    for (std::size_t r = 0; r < p.action.rows(); ++r) {
      const auto stage = static_cast<std::size_t>(heads.get(p.action.row(r), 0));
      const ConstRow o = p.observation.row(r);
      EXPECT_EQ(heads.get(p.action.row(r), 1), o[largest][static_cast<std::size_t>(o[job][stage])]);
    }
  }
}

/// Statistics are part of the state, and the same seed trains the same bits.
TEST_F(Networks, TrainingNormalisesObservations) {
  for (const char* network : {"mlp(hidden1=16)", "scorer(hidden1=16)"}) {
    const auto train = [&] {
      const auto algorithm = make_algorithm(registry_,
                                            {.env = "load_balance(servers=4,jobs=200)",
                                             .algorithm = "ppo(sequences=2,rollouts=2,slots=4)",
                                             .baseline = "value",
                                             .network = network},
                                            7);
      for (std::int64_t i = 0; i < 3; ++i) (void)algorithm->iterate(i, 0.1);
      State copy;
      for (const auto& [name, tensor] : algorithm->policy())
        copy.emplace_back(name, tensor.clone());
      return copy;
    };
    const State once = train(), again = train();
    bool settled = false;
    for (std::size_t i = 0; i < once.size(); ++i) {
      EXPECT_TRUE(at::equal(once[i].second, again[i].second)) << once[i].first;
      settled = settled ||
                (once[i].first.ends_with("settled") && once[i].second[0][0].item<double>() > 100);
    }
    EXPECT_TRUE(settled) << network;
  }
}

}  // namespace networks_test
}  // namespace park::agents
