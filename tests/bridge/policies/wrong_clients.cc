// One policy and one environment are a PolicyCase. Played keeps rows of an episode; adapt makes them
// rows of another spec. Asker sends them through a ServedPolicy and looks at what comes back. The
// tests of the quick and of the thorough tier call the two functions at the end.
#include "tests/bridge/policies/wrong_clients.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cctype>
#include <utility>

#include "park/check/changed_specs.h"
#include "park/check/driver.h"
#include "park/core/action_space.h"
#include "tests/bridge/policies/served_policy.h"
#include "tests/kit/small_envs.h"

namespace park::bridge::test {
namespace {

using check::ChangedSpec;
using check::Draw;
using Names = std::vector<std::string>;

constexpr Draw kDraws[] = {Draw::lowest, Draw::highest, Draw::random, Draw::beyond};

/// The record with room for any number of elements, as a client may send them.
Record roomy(Record record) {
  for (Group& g : record.groups) g.capacity = std::int64_t{1} << 30;
  return record;
}

/// An environment, and rows of an episode of it.
struct Played {
  Played(const Registry& registry, const std::string& text)
      : subject(check::make_subject(registry, text)), rows(roomy(subject.spec.observation)) {
    check::Player player(subject);
    player.play(check::whole_episodes(subject, 1)[0],
                [&](ConstRow row, const Outcome& o, std::uint64_t k) {
                  if (o.end == End::none && (k < 2 || k % 8 == 0)) rows.append().assign(row);
                });
  }
  check::Subject subject;
  Batch rows;
};

bool same_form(const Leaf& a, const Leaf& b) {
  return a.dtype == b.dtype && a.group == b.group && a.width() == b.width();
}

/// A row of the record with all that the other row has of its leaves; the rest is drawn.
void adapt(ConstRow from, Row to, Rng& rng) {
  const Batch& source = from.batch();
  const auto& groups = source.record().groups;
  for (std::size_t g = 0; g < to.batch().record().groups.size(); ++g) {
    const auto was = std::ranges::find(groups, to.batch().record().groups[g].name, &Group::name);
    const auto number = static_cast<std::int32_t>(was - groups.begin());
    to.resize({static_cast<std::int32_t>(g)}, was == groups.end() ? 2 : from.count({number}));
  }
  const auto& leaves = to.batch().record().leaves;
  for (std::size_t l = 0; l < leaves.size(); ++l) {
    const Leaf* was = source.record().find(leaves[l].name);
    if (!was || !same_form(*was, leaves[l])) {
      check::draw_leaf(to, l, Draw::random, rng);
      continue;
    }
    const auto column = static_cast<std::size_t>(was - source.record().leaves.data());
    std::ranges::copy(source.bytes(column, from.index(), 1),
                      to.batch().bytes(l, to.index(), 1).begin());
  }
}

/// The names that a line about a leaf may give: its own, those of leaves that refer to it, and of
/// an only head the word action.
Names related(const Spec& spec, const std::string& name) {
  Names all{name};
  if (spec.action.leaves.size() == 1 && spec.action.leaves[0].name == name) all.push_back("action");
  for (const Record* record : {&spec.observation, &spec.action})
    for (const Leaf& l : record->leaves) {
      const bool refers = std::ranges::count(l.given, name) > 0 || l.group == name ||
                          l.index_of == name || name == "mask." + l.name ||
                          name == l.name + ".min" || name == l.name + ".max";
      if (refers) all.push_back(l.name);
    }
  return all;
}

/// Whether the text has the name, and not as a part of a longer one.
bool names_it(const std::string& text, const std::string& name) {
  const auto ends = [&](std::size_t at) {
    return at >= text.size() || text[at] == '\'' || text[at] == ' ';
  };
  for (std::size_t at = text.find(name); at != std::string::npos; at = text.find(name, at + 1))
    if (at > 0 && ends(at - 1) && ends(at + name.size())) return true;
  return false;
}

bool is_known(const Spec& spec, const std::string& name) {
  const auto in = [&](const Record& r) {
    return r.find(name) != nullptr || std::ranges::count(r.groups, name, &Group::name) > 0;
  };
  return in(spec.observation) || in(spec.action);
}

/// Asks one policy under one spec, and counts what it answers.
class Asker {
 public:
  Asker(ServedPolicy& served, const Spec& spec)
      : served_(served), spec_(spec), space_(spec), actions_(spec.action) {}

  void ask(ConstRow row, bool begins = false) {
    const std::string failure = served_.ask(row, begins, actions_);
    if (!failure.empty()) return expect_line(failure);
    ++answers_;
    EXPECT_TRUE(space_.legal(row, std::as_const(actions_).row(0))) << "an illegal answer";
  }
  [[nodiscard]] std::size_t answers() const { return answers_; }

 private:
  void expect_line(const std::string& failure) const {
    EXPECT_EQ(std::ranges::count(failure, '\n'), 0) << failure;
    EXPECT_TRUE(is_known(spec_, failure.substr(0, failure.find(':')))) << failure;
  }

  ServedPolicy& served_;
  const Spec& spec_;
  ActionSpace space_;
  Batch actions_;
  std::size_t answers_ = 0;
};

/// Rows within the spec and beyond it: of the episode, drawn, and of the episode with the leaves of
/// that name drawn.
std::size_t ask_rows(ServedPolicy& served, const Spec& spec, const Batch& real,
                     const std::string& name, Rng rng) {
  Asker asker(served, spec);
  Batch rows(roomy(spec.observation)), drawn(spec.observation);
  const auto adapted = [&](std::size_t r) {
    rows.clear();
    adapt(real.row(r % real.rows()), rows.append(), rng);
    return rows.row(0);
  };
  for (std::size_t r = 0; r < real.rows() && r < 3; ++r) asker.ask(adapted(r), r == 2);
  const auto& leaves = spec.observation.leaves;
  for (std::size_t l = 0; l < leaves.size(); ++l) {
    if (leaves[l].name != name) continue;
    for (const Draw draw : kDraws) {
      const Row row = adapted(1);
      check::draw_leaf(row, l, draw, rng);
      asker.ask(row);
    }
  }
  for (const Draw draw : kDraws) {
    drawn.clear();
    check::draw_row(drawn.append(), draw, rng);
    asker.ask(drawn.row(0));
  }
  return asker.answers();
}

/// Texts of a policy: as it is, and with everything switched on that can be.
Names texts(const Registry& registry, const std::string& policy) {
  std::string on;
  for (const FieldInfo& f : registry.policy_fields(policy))
    if (f.type == "bool") on += (on.empty() ? "" : ",") + f.name + "=true";
  return on.empty() ? Names{policy} : Names{policy, policy + '(' + on + ')'};
}

}  // namespace

std::vector<PolicyCase> policy_cases(const Registry& registry) {
  std::vector<PolicyCase> all;
  for (const std::string& env : park::test::small_envs())
    for (const std::string& policy : park::test::policies_that_play(registry, env))
      for (const std::string& text : texts(registry, policy)) all.push_back({env, text});
  return all;
}

std::string case_name(const testing::TestParamInfo<PolicyCase>& info) {
  std::string name = info.param.env.substr(0, info.param.env.find('(')) + "_" + info.param.policy;
  std::ranges::replace_if(
      name, [](char c) { return std::isalnum(static_cast<unsigned char>(c)) == 0; }, '_');
  return name + "_" + std::to_string(info.index);  // a policy may play several small presets
}

void expect_rows_answered(const Registry& registry, const PolicyCase& c) {
  const Played played(registry, c.env);
  const Spec& spec = played.subject.spec;
  ServedPolicy served(registry);
  ASSERT_EQ(served.open(spec, c.policy), "");
  for (const Leaf& leaf : spec.observation.leaves) {
    SCOPED_TRACE(leaf.name);
    EXPECT_GE(ask_rows(served, spec, played.rows, leaf.name, Rng(1).split(leaf.name)), 3u)
        << "rows of an episode";
  }
}

void expect_specs_answered(const Registry& registry, const PolicyCase& c, std::size_t each) {
  const Played played(registry, c.env);
  std::size_t refused = 0, number = 0;
  for (const ChangedSpec& changed : check::changed_specs(played.subject.spec)) {
    if (number++ % each != 0) continue;
    SCOPED_TRACE(changed.name + " " + changed.how);
    ServedPolicy served(registry);
    const std::string failure = served.open(changed.spec, c.policy);
    if (failure.empty()) {
      ask_rows(served, changed.spec, played.rows, changed.name, Rng(number));
      continue;
    }
    ++refused;
    Names names = related(played.subject.spec, changed.name);
    if (changed.how == "stands first")  // another leaf is out of its place too
      for (const Record* record : {&changed.spec.observation, &changed.spec.action})
        if (record->leaves[0].name == changed.name)
          for (const Leaf& l : record->leaves) names.push_back(l.name);
    EXPECT_TRUE(std::ranges::any_of(names, [&](const std::string& name) {
      return names_it(failure, name);
    })) << failure;
  }
  EXPECT_GT(refused, 0u);
}

}  // namespace park::bridge::test
