// Categories as inputs: gathered weights against one-hot products, names outside the bounds, many
// names, and what a network learns of them that it does not learn of numbers.
#include <ATen/ops/allclose.h>
#include <ATen/ops/cat.h>
#include <ATen/ops/equal.h>
#include <ATen/ops/isfinite.h>
#include <ATen/ops/zeros.h>
#include <c10/core/GradMode.h>
#include <gtest/gtest.h>
#include <torch/csrc/autograd/autograd.h>

#include <string>
#include <vector>

#include "agents/algorithm/algorithms.h"
#include "agents/kit/decide.h"
#include "agents/net/category_lists.h"
#include "agents/net/mlp.h"
#include "agents/net/networks.h"
#include "park/core/registry.h"
#include "tests/agents/kit/gradient.h"
#include "tests/kit/toy_rooms.h"

namespace park::agents {
namespace categories_test {

using park::test::ToyRooms;
using test::numbers;

bool any(const Leaf&) { return true; }

/// Rows of rooms, each with the doors 1, 0, 3.
Batch rows(const Spec& spec, const std::vector<std::int32_t>& rooms) {
  Batch all(spec.observation);
  const auto room = all.field<std::int32_t>("room");
  const auto doors = all.field<std::uint8_t>("doors");
  for (const std::int32_t number : rooms) {
    const Row row = all.append();
    row.scalar(room) = number;
    row[doors][0] = 1;
    row[doors][1] = 0;
    row[doors][2] = 3;
  }
  return all;
}

TEST(CategoryLeaves, NumberTheInputThatIsOne) {
  const Spec spec = ToyRooms::spec({.rooms = 7});
  const CategoryLeaves leaves(spec.observation, "", any);
  EXPECT_EQ(leaves.inputs(), 7 + 3 * 4);
  EXPECT_EQ(leaves.values(), 4);
  EXPECT_EQ(leaves.of(rows(spec, {5, 11})),
            (std::vector<std::int64_t>{0, 7 + 1, 11 + 0, 15 + 3, 6, 8, 11, 18}));
  EXPECT_EQ(leaves.of(rows(spec, {4, 12})),
            (std::vector<std::int64_t>{-1, 8, 11, 18, -1, 8, 11, 18}))
      << "outside the bounds no input is 1";
  EXPECT_EQ(CategoryLeaves(ToyRooms::spec({.named = false}).observation, "", any).inputs(), 0);
}

TEST(CategoryLeaves, PartsDivideTheValuesOfALeaf) {
  const Spec spec = ToyRooms::spec({});
  const CategoryLeaves doors(
      spec.observation, "", [](const Leaf& leaf) { return leaf.name == "doors"; }, 3);
  EXPECT_EQ(doors.inputs(), 4);
  EXPECT_EQ(doors.of(rows(spec, {5})), (std::vector<std::int64_t>{1, 0, 3}));
}

/// Lists with one entry per row, with several, with none, and with shares.
std::vector<CategoryLists> lists_of_all_kinds() {
  CategoryLists one, several;
  one.rows = several.rows = 3;
  for (std::int64_t r = 0; r < 3; ++r) one.add(r, 4 - r);
  several.add(0, 1);
  several.add(0, 4, 0.5f);
  several.add(2, 0, 2);
  several.add(2, -1);
  return {one, several};
}

at::Tensor one_hot(const CategoryLists& lists, std::int64_t inputs) {
  at::Tensor x = at::zeros({lists.rows, inputs});
  for (std::size_t i = 0; i < lists.input.size(); ++i)
    x[lists.row[i]][lists.input[i]] += lists.amount[i];
  return x;
}

/// Gathering weights is multiplying one-hot inputs with them, in both directions; `in` 0: there are
/// no other inputs.
TEST(Mlp, GathersTheWeightsOfCategories) {
  for (const std::int64_t in : {3, 0})
    for (const CategoryLists& lists : lists_of_all_kinds()) {
      const Mlp net({.widths = {in, 6, 4, 2}, .other_inputs = 1, .categories = 5}, Rng(3));
      const PerceptronParameters& own = net.tensors();
      PerceptronParameters whole = own;
      whole.tensors[0] = at::cat({own.tensors[0], net.categories()}, 0);
      const at::Tensor x = numbers({3, in}, 1), weight = numbers({3, 2}, 2);
      const at::Tensor ours = net.forward(x, lists);
      const at::Tensor theirs = plain_perceptron(at::cat({x, one_hot(lists, 5)}, 1), whole);
      EXPECT_TRUE(at::allclose(ours, theirs, 1e-4, 1e-5));
      const auto gradients = [&](const at::Tensor& y) {
        return torch::autograd::grad({(y * weight).sum()}, net.parameters());
      };
      const auto a = gradients(ours), b = gradients(theirs);
      for (std::size_t i = 0; i < a.size(); ++i)
        EXPECT_TRUE(at::allclose(a[i], b[i], 1e-3, 1e-5)) << "parameter " << i;
    }
}

TEST(Mlp, WithoutCategoriesItIsAsBefore) {
  const Mlp plain({.widths = {3, 6, 2}}, Rng(3));
  EXPECT_FALSE(plain.categories().defined());
  EXPECT_EQ(plain.parameters().size(), 4u);
  const at::Tensor x = numbers({3, 3}, 1);
  EXPECT_TRUE(at::equal(plain.forward(x), plain.forward(x, lists_of_all_kinds()[0])));
}

Registry rooms() {
  Registry registry;
  registry.add_env<ToyRooms>();
  return registry;
}

/// A name beyond the bounds is none of those that were learnt, and no memory of others is read.
TEST(Categories, NamesOutsideTheBoundsAreNone) {
  const Spec spec = ToyRooms::spec({});
  const Batch observation = rows(spec, {-5, 4, 12, 2'000'000'000});
  for (const char* network : {"mlp", "scorer"}) {
    const auto net = make_network(network, spec, Role::value, Rng(1));
    const c10::NoGradGuard off;
    const at::Tensor values = net->values(*net->encode(observation));
    for (std::int64_t r = 1; r < 4; ++r)
      EXPECT_EQ(values[r].item<float>(), values[0].item<float>()) << network;
  }
}

TEST(Categories, ThereMayBeAHundredThousand) {
  const Spec spec = ToyRooms::spec({.rooms = 100'000});
  const auto net = make_network("mlp(hidden1=16)", spec, Role::policy, Rng(1));
  const Batch observation = rows(spec, {5, 50'000, 100'004});
  Batch actions(spec.action);
  actions.resize(3);
  const Evaluation e = evaluate(*net, Heads(spec), observation, actions);
  e.log_prob.sum().backward();
  const at::Tensor gradient = net->named_parameters()["head_door.categories"].grad();
  EXPECT_EQ(gradient.size(0), 100'012);
  EXPECT_GT(gradient[99'999].abs().sum().item<double>(), 0);
  EXPECT_EQ(gradient[7].abs().sum().item<double>(), 0);
  EXPECT_TRUE(at::isfinite(gradient).all().item<bool>());
}

/// The share of right doors after a short training.
double learnt(const std::string& env, const std::string& network) {
  const Registry registry = rooms();
  const auto algorithm =
      make_algorithm(registry,
                     {.env = env,
                      .algorithm = "ppo(sequences=16,rollouts=4,slots=64,minibatch=128,"
                                   "learning_rate=0.01)",
                      .baseline = "value",
                      .network = network},
                     5);
  double reward = 0;
  for (std::int64_t i = 0; i < 20; ++i) reward = algorithm->iterate(i, 0.2).mean_reward;
  return reward / 6;
}

TEST(Categories, AreLearntWhereNumbersAreNot) {
  EXPECT_GT(learnt("toy_rooms(rooms=60)", "mlp"), 0.85);
  EXPECT_GT(learnt("toy_rooms(rooms=20,things=2)", "scorer"), 0.85);
  EXPECT_LT(learnt("toy_rooms(rooms=60,named=false)", "mlp"), 0.6);
}

}  // namespace categories_test
}  // namespace park::agents
