#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "tests/check/properties.h"
#include "tests/check/subject.h"
#include "tests/check/waivers.h"

namespace park::test {
namespace conformance_test {

const std::vector<Preset>& presets() {
  static const std::vector<Preset> all = read_presets(PARK_SOURCE_DIR "/tests/check/presets.txt");
  return all;
}

TEST(Presets, EveryEnvironmentHasTwoAndALongOne) {
  struct Count {
    int ordinary = 0, of_length = 0;
    bool system = false;
  };
  std::map<std::string, Count> counts;
  std::set<std::string> texts;
  for (const Preset& p : presets()) {
    const Subject s = make_subject(full_registry(), p);
    Count& count = counts[s.name()];
    ++(p.is_long ? count.of_length : count.ordinary);
    count.system = s.spec.traits.system;
    EXPECT_TRUE(texts.insert(full_registry().canonical_env(p.text)).second) << p.text << " twice";
  }
  for (const std::string& env : full_registry().env_names()) {
    EXPECT_GE(counts[env].ordinary, 2) << env;
    EXPECT_GE(counts[env].of_length, counts[env].system ? 0 : 1) << env;
  }
}

TEST(Waivers, ASimulatedEnvironmentWaivesNothing) {
  for (const Preset& p : presets()) {
    const Traits traits = full_registry().env(p.text).traits();
    if (traits.system) continue;
    for (const Property& property : properties())
      EXPECT_FALSE(is_waived(property.name, traits)) << p.text << ", " << property.name;
  }
}

TEST(Waivers, NamePropertiesAndGiveAReason) {
  for (const Waiver& w : kWaivers) {
    EXPECT_TRUE(std::ranges::any_of(properties(), [&](const Property& p) {
      return p.name == w.property;
    })) << w.property;
    EXPECT_FALSE(w.why.empty());
  }
}

struct Case {
  const Property* property;
  std::size_t preset;
};

std::vector<Case> cases() {
  std::vector<Case> all;
  for (std::size_t i = 0; i < presets().size(); ++i)
    for (const Property& p : properties())
      if (p.long_runs == presets()[i].is_long) all.push_back({&p, i});
  return all;
}

std::string case_name(const testing::TestParamInfo<Case>& info) {
  const std::string& text = presets()[info.param.preset].text;
  return text.substr(0, text.find('(')) + "_" + std::to_string(info.param.preset) + "_" +
         std::string(info.param.property->name);
}

class Conformance : public testing::TestWithParam<Case> {};

TEST_P(Conformance, Holds) {
  const Preset& preset = presets()[GetParam().preset];
  const Property& property = *GetParam().property;
  const Subject subject = make_subject(full_registry(), preset);
  if (is_waived(property.name, subject.spec.traits)) GTEST_SKIP() << "waived";
  EXPECT_EQ(violations(property, subject).text(), "") << preset.text << "\n"
                                                      << property.name << ": " << property.says;
}

INSTANTIATE_TEST_SUITE_P(Presets, Conformance, testing::ValuesIn(cases()), case_name);

}  // namespace conformance_test
}  // namespace park::test
