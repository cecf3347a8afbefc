#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "park/check/properties.h"
#include "park/check/waivers.h"
#include "tests/check/registered.h"

namespace park::test {
namespace check_test {

using check::Finding;
using check::Preset;
using check::Property;
using check::Subject;

std::string bad_lines(const Property& property, Subject subject) {
  subject.knows_systems = false;
  const Finding found = check::check_property(property, subject);
  EXPECT_EQ(found.verdict == check::Verdict::violated, !found.violations.empty());
  return found.violations.text();
}

TEST(Presets, EveryEnvironmentHasTwoASmallAndALongOne) {
  struct Count {
    int ordinary = 0, small = 0, of_length = 0;
  };
  std::map<std::string, Count> counts;
  std::set<std::string> texts;
  for (const Preset& p : all_presets()) {
    Count& count = counts[make_subject(full_registry(), p).name()];
    ++(p.is_long ? count.of_length : p.is_small ? count.small : count.ordinary);
    EXPECT_TRUE(texts.insert(full_registry().canonical_env(p.text)).second) << p.text << " twice";
  }
  EXPECT_EQ(counts.size(), full_registry().env_names().size());
  for (const std::string& env : full_registry().env_names()) {
    EXPECT_GE(counts[env].ordinary, 2) << env;
    EXPECT_EQ(counts[env].small, 1) << env;
    EXPECT_GE(counts[env].of_length, 1) << env;
  }
}

TEST(Waivers, ASimulatedEnvironmentWaivesNothing) {
  for (const Preset& p : all_presets())
    for (const Property& property : check::properties())
      EXPECT_EQ(check::waiver(property.name, make_subject(full_registry(), p)), "")
          << p.text << ", " << property.name;
}

TEST(Waivers, NamePropertiesAndGiveAReason) {
  for (const check::Waiver& w : check::waivers()) {
    EXPECT_TRUE(std::ranges::any_of(check::properties(), [&](const Property& p) {
      return p.name == w.property;
    })) << w.property;
    EXPECT_FALSE(w.why.empty());
  }
}

struct Case {
  const Property* property;
  std::size_t preset;
};

std::string env_of(const Preset& preset) { return preset.text.substr(0, preset.text.find('(')); }

/// Of the first two presets of each environment, or of all the others.
std::vector<Case> cases(bool of_first) {
  constexpr int kFirst = 2;
  std::vector<Case> all;
  std::map<std::string, int> seen;
  for (std::size_t i = 0; i < all_presets().size(); ++i) {
    if ((++seen[env_of(all_presets()[i])] <= kFirst) != of_first) continue;
    for (const Property& p : check::properties())
      if (p.long_runs == all_presets()[i].is_long) all.push_back({&p, i});
  }
  return all;
}

std::string case_name(const testing::TestParamInfo<Case>& info) {
  return env_of(all_presets()[info.param.preset]) + "_" + std::to_string(info.param.preset) + "_" +
         std::string(info.param.property->name);
}

class Conformance : public testing::TestWithParam<Case> {};

TEST_P(Conformance, Holds) {
  const Preset& preset = all_presets()[GetParam().preset];
  const Property& property = *GetParam().property;
  EXPECT_EQ(bad_lines(property, make_subject(full_registry(), preset)), "")
      << preset.text << "\n"
      << property.name << ": " << property.says;
}

INSTANTIATE_TEST_SUITE_P(First, Conformance, testing::ValuesIn(cases(true)), case_name);
INSTANTIATE_TEST_SUITE_P(Presets, Conformance, testing::ValuesIn(cases(false)), case_name);

}  // namespace check_test
}  // namespace park::test
