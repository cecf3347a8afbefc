// The conformance properties notice what they are for: an environment that has every feature holds
// all of them, and each way of breaking it is found by the property that should find it.

#include <gtest/gtest.h>

#include <algorithm>
#include <string>

#include "park/core/policy.h"
#include "tests/check/properties.h"
#include "tests/check/subject.h"
#include "tests/kit/toy_shop.h"

namespace park::test {
namespace detection_test {

const Registry& toys() {
  static const Registry registry = [] {
    Registry r;
    r.add_env<ToyShop>();
    r.add_env<ToySloppy>();
    r.add_policy({.name = "random", .summary = "any", .reference = "none", .environments = {}},
                 [](const Spec& s) { return std::make_unique<RandomPolicy>(s); });
    return r;
  }();
  return registry;
}

constexpr std::string_view kBusy =
    "toy_shop(customers=40,interval_s=0.2,mood=busy,staff=[clerk(rate=3),clerk])";

const Property& property(std::string_view name) {
  return *std::ranges::find(properties(), name, &Property::name);
}

std::string found(std::string_view name, std::string_view env) {
  return violations(property(name), make_subject(toys(), env)).text();
}

TEST(Detection, ASoundEnvironmentHoldsEverything) {
  for (const Property& p : properties()) {
    if (p.long_runs) continue;
    EXPECT_EQ(found(p.name, "toy_shop"), "") << p.name;
    EXPECT_EQ(found(p.name, kBusy), "") << p.name;
  }
  EXPECT_EQ(found("long_runs_allocate_nothing", "toy_shop(customers=7000,interval_s=3)"), "");
}

TEST(Detection, EveryFaultIsFoundByItsProperty) {
  for (const Fault& f : faults()) {
    const std::string long_run = property(f.property).long_runs ? "customers=7000," : "";
    const std::string env = "toy_shop(" + long_run + "fault=" + std::string(f.name) + ")";
    EXPECT_NE(found(f.property, env), "") << f.name << " is not found by " << f.property;
  }
}

TEST(Detection, AShortPresetIsNoLongOne) {
  EXPECT_NE(found("long_runs_allocate_nothing", "toy_shop").find("needs 10 000 decisions"),
            std::string::npos);
}

TEST(Detection, WrongFieldsAreFound) {
  EXPECT_NE(found("fields_are_described", "toy_sloppy(ratio=0)"), "");
  const std::string text = found("fields_refuse_what_is_outside", "toy_sloppy(ratio=0)");
  EXPECT_NE(text.find("is not refused by the name of the field"), std::string::npos) << text;
}

/// Takes the highest of all values, legal or not.
class Careless final : public Policy {
 public:
  explicit Careless(const Spec& spec) : amount_(Batch(spec.action).field<std::int32_t>("amount")) {}
  void act(const Decisions&, Batch& actions) override {
    for (std::size_t i = 0; i < actions.rows(); ++i) actions.row(i).scalar(amount_) = 12;
  }

 private:
  Field<std::int32_t> amount_;
};

/// Decides by the number of decisions that it took on all slots.
class Mixing final : public Policy {
 public:
  explicit Mixing(const Spec& spec) : space_(spec) {}
  void act(const Decisions& d, Batch& actions) override {
    for (std::size_t i = 0; i < actions.rows(); ++i) {
      Rng draw(++decisions_);
      space_.sample(d.observation.row(i), actions.row(i), draw);
    }
  }

 private:
  ActionSpace space_;
  std::uint64_t decisions_ = 0;
};

template <class P>
std::string found_with() {
  Registry registry = toys();
  registry.add_policy({.name = "wrong", .summary = "x", .reference = "x", .environments = {}},
                      [](const Spec& s) { return std::make_unique<P>(s); });
  return violations(property("policies_play"), make_subject(registry, "toy_shop")).text();
}

TEST(Detection, WrongPoliciesAreFound) {
  EXPECT_TRUE(found_with<Careless>().starts_with("wrong: illegal action"))
      << found_with<Careless>();
  EXPECT_TRUE(found_with<Mixing>().starts_with("wrong depends on the slot"))
      << found_with<Mixing>();
}

/// Twins that are not alike.
class Impostor final : public SystemEnv {
 public:
  static constexpr std::string_view kName = "impostor";
  using Config = ToyShopConfig;
  static Spec spec(const Config& c) {
    Spec s = ToyShop::spec(c);
    s.name = kName;
    s.traits.system = true;
    s.traits.twin = std::string(ToySloppy::kName);
    return s;
  }
  explicit Impostor(const Config&) {}
  void run(Episodes&, Decider&, std::stop_token) override {}
};

TEST(Detection, UnequalTwinsAreFound) {
  Registry registry = toys();
  registry.add_system<Impostor>();
  const std::string text =
      violations(property("twins_agree"), make_subject(registry, "impostor")).text();
  EXPECT_NE(text.find("another twin"), std::string::npos) << text;
  EXPECT_NE(text.find("another layout"), std::string::npos) << text;
}

}  // namespace detection_test
}  // namespace park::test
