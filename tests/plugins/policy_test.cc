// Policies of plug-ins: the answers and scores of the class in the tree, and what they do with specs
// and rows that make no sense.
#include "park/plugins/policy.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "park/check/changed_specs.h"
#include "park/core/pool.h"
#include "tests/kit/scratch_folder.h"
#include "tests/plugins/loaded.h"
#include "tests/plugins/shop/shop.h"

namespace park::test {
namespace plugin_policy_test {

Registry both() {
  Registry registry = registry_of(built("toys"));
  first_plugin().add_to(registry);
  built("balance").add_to(registry);
  return registry;
}

TEST(PluginPolicy, TellsWhatItsClassTells) {
  const Registry registry = both();
  const Spec spec = registry.spec("toy_shop");
  EXPECT_EQ(registry.policy("keen(first=true)", spec)->most_slots(), 7u);
  EXPECT_EQ(registry.policy("keen", spec)->most_slots(), 99u);
  EXPECT_FALSE(registry.policy("keen", spec)->may_wait());
  EXPECT_EQ(registry.policy_info("keen").summary, "legal in one way or another");
  EXPECT_EQ(registry.canonical_policy("keen(first=false)"), "keen");
  EXPECT_EQ(registry.policies_for(registry.spec("first_jobs")),
            (std::vector<std::string>{"first_order", "keen", "random"}));
  EXPECT_EQ(
      error_of([&] { static_cast<void>(registry.policy("first_order", spec)); }),
      "policy 'first_order' does not understand 'toy_shop'; it is for first_jobs, first_live");
}

/// The first rows of a text.
Batch rows_of(const Registry& registry, const std::string& env) {
  const RandomEpisodes source(Rng(4), {.count = 5});
  const auto stream = registry.stream(env, source, {.slots = 5});
  Batch rows(stream->spec().observation);
  rows.append(stream->recv().observation);
  return rows;
}

TEST(PluginPolicy, ScoresAsItsClassDoes) {
  const Registry registry = both();
  const Spec spec = registry.spec("toy_shop");
  const Batch rows = rows_of(registry, "toy_shop");
  Batch actions(spec.action);
  actions.resize(rows.rows());
  const auto there = registry.policy("keen", spec);
  Keen here({}, spec);
  Candidates left, right;
  std::vector<float> left_scores, right_scores;
  for (std::size_t head = 0; head < spec.action.leaves.size(); ++head) {
    const bool has = there->scores(rows, head, actions, left, left_scores);
    ASSERT_EQ(has, here.scores(rows, head, actions, right, right_scores));
    if (!has) continue;
    EXPECT_EQ(left.value, right.value);
    EXPECT_EQ(left.element, right.element);
    EXPECT_EQ(left.given, right.given);
    EXPECT_EQ(left_scores, right_scores);
    const Heads heads(spec);
    for (std::size_t r = 0; r < rows.rows(); ++r)
      heads.set(actions.row(r), head, left.value[static_cast<std::size_t>(left.offsets[r])]);
  }
}

TEST(PluginPolicy, InCScoresLegalValues) {
  const Registry registry = both();
  const Spec spec = registry.spec("first_jobs");
  const Batch rows = rows_of(registry, "first_jobs(jobs=4)");
  Batch actions(spec.action);
  actions.resize(rows.rows());
  Candidates legal;
  std::vector<float> scores;
  ASSERT_TRUE(registry.policy("first_order", spec)->scores(rows, 0, actions, legal, scores));
  ASSERT_EQ(scores.size(), 5u * 4u);
  const auto work = rows.row(0)[rows.field<float>("waiting.work")];
  for (std::size_t j = 0; j < 4; ++j) EXPECT_EQ(scores[j], -work[j]);
}

/// Whether the indices of a row are those of elements, as streams and servers see to.
bool indices_lead_somewhere(const Spec& spec, ConstRow row) {
  for (const Leaf& leaf : spec.observation.leaves) {
    if (leaf.index_of.empty()) continue;
    const auto count = static_cast<std::int32_t>(row.count(row.batch().group(leaf.index_of)));
    for (const std::int32_t v : row[row.batch().field<std::int32_t>(leaf.name)])
      if (v < 0 || v >= count) return false;
  }
  return true;
}

/// A question about one drawn row; "" where the answer is legal, or the call is refused.
std::string wrong_answer(Policy& policy, const Spec& spec, check::Draw draw, Rng& rng) {
  Decisions d(spec);
  const Row row = d.observation.append();
  check::draw_row(row, draw, rng);
  if (!indices_lead_somewhere(spec, row)) return "";
  d.asked.resize(1);
  Batch actions(spec.action);
  actions.resize(1);
  policy.start(0, {}, Rng(1));
  try {
    policy.act(d, actions);
  } catch (const Error&) {
    return "";
  }
  const ActionSpace space(spec);
  return space.stuck_head(row) || space.legal(row, std::as_const(actions).row(0))
             ? ""
             : "an illegal answer";
}

TEST(PluginPolicy, ChangedSpecsAreRefusedOrAnsweredLegally) {
  const Registry registry = both();
  Rng rng(9);
  for (const auto& [env, policy] :
       {std::pair{"toy_shop", "keen"}, std::pair{"first_jobs", "first_order"},
        std::pair{"load_balance(servers=3)", "shortest_queue"}}) {
    std::size_t refused = 0, answered = 0;
    for (const check::ChangedSpec& changed : check::changed_specs(registry.spec(env))) try {
        validate(changed.spec);
        const auto made = registry.policy(policy, changed.spec);
        for (const check::Draw draw :
             {check::Draw::lowest, check::Draw::highest, check::Draw::random})
          EXPECT_EQ(wrong_answer(*made, changed.spec, draw, rng), "")
              << policy << ": " << changed.name << ' ' << changed.how;
        ++answered;
      } catch (const Error&) {
        ++refused;
      }
    EXPECT_GT(refused, 0u) << env;
    EXPECT_GT(answered, 0u) << env;
  }
}

}  // namespace plugin_policy_test
}  // namespace park::test
