// The conformance properties notice what they are for: an environment that has every feature holds
// all of them, and each way of breaking it is found by the property that should find it.

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <string>

#include "park/check/memory.h"
#include "park/check/properties.h"
#include "park/core/policy.h"
#include "tests/check/tank.h"
#include "tests/kit/toy_shop.h"

namespace park::test {
namespace detection_test {

using check::make_subject;
using check::properties;
using check::Property;
using check::Verdict;

/// Serves the first customer at once, with all that he wants.
class AllAtOnce final : public Policy {
 public:
  explicit AllAtOnce(const Spec& spec)
      : space_(spec),
        customer_(Batch(spec.action).field<std::int32_t>("customer")),
        amount_(Batch(spec.action).field<std::int32_t>("amount")) {}
  void act(const Decisions& d, Batch& actions) override {
    for (std::size_t i = 0; i < actions.rows(); ++i) {
      const Row action = actions.row(i);
      action.scalar(customer_) = 0;
      action.scalar(amount_) = 12;
      space_.project(d.observation.row(i), action);
    }
  }

 private:
  ActionSpace space_;
  Field<std::int32_t> customer_, amount_;
};

const Registry& toys() {
  static const Registry registry = [] {
    Registry r;
    r.add_env<ToyShop>();
    r.add_env<ToySloppy>();
    r.add_env<Tank>();
    r.add_policy({.name = "random", .summary = "any", .reference = "none", .environments = {}},
                 [](const Spec& s) { return std::make_unique<RandomPolicy>(s); });
    r.add_policy({.name = "all_at_once",
                  .summary = "the first customer",
                  .reference = "none",
                  .environments = {"toy_shop"}},
                 [](const Spec& s) { return std::make_unique<AllAtOnce>(s); });
    return r;
  }();
  return registry;
}

constexpr std::string_view kBusy =
    "toy_shop(customers=40,interval_s=0.2,mood=busy,staff=[clerk(rate=3),clerk])";
/// Fields of a long episode in which the queue stays short.
constexpr std::string_view kLong = "customers=7000,interval_s=3";

const Property& property(std::string_view name) {
  return *std::ranges::find(properties(), name, &Property::name);
}

std::string found(std::string_view name, std::string_view env) {
  return check_property(property(name), make_subject(toys(), env)).violations.text();
}

TEST(Detection, ASoundEnvironmentHoldsEverything) {
  for (const Property& p : properties()) {
    if (p.long_runs) continue;
    EXPECT_EQ(found(p.name, "toy_shop"), "") << p.name;
    EXPECT_EQ(found(p.name, kBusy), "") << p.name;
  }
  EXPECT_EQ(found("long_runs_allocate_nothing", "toy_shop(" + std::string(kLong) + ")"), "");
}

TEST(Detection, EveryFaultIsFoundByItsProperty) {
  for (const Fault& f : faults()) {
    const std::string more = property(f.property).long_runs ? "," + std::string(kLong) : "";
    const std::string env = "toy_shop(fault=" + std::string(f.name) + more + ")";
    EXPECT_FALSE(f.says.empty()) << f.name;
    EXPECT_NE(found(f.property, env), "") << f.name << " is not found by " << f.property;
  }
}

/// The table of planted faults, as the documents have it.
std::string fault_table() {
  std::string text =
      "# Planted faults\n\n"
      "`park check` is tested with an environment that is broken in one way at a time. Each line\n"
      "below is such a fault, with the property that finds it. A test makes this page\n"
      "(`tests/check/detection_test.cc`). [A new environment](new_env.md) says what each "
      "property\n"
      "asks for.\n\n"
      "| fault | property that finds it | found in |\n| --- | --- | --- |\n";
  const auto add = [&](std::string_view says, std::string_view property, std::string_view where) {
    text.append("| ").append(says).append(" | `").append(property).append("` | ");
    text.append(where).append(" |\n");
  };
  for (const Fault& f : faults())
    add(f.says, f.property,
        property(f.property).long_runs ? "`toy_shop`, long episodes" : "`toy_shop`");
  add("a field has no documentation, or a default outside its range", "fields_are_described",
      "`toy_sloppy`");
  add("a field takes values outside its range", "fields_refuse_what_is_outside", "`toy_sloppy`");
  add("a level leaves its bounds", "observations_are_sound", "`tank`");
  add("the horizon is not looked at", "horizon_only_cuts", "`tank`");
  add("a twin has another layout, or names another twin", "twins_agree", "`impostor`");
  add("a twin is not registered", "twins_agree", "`lonely`");
  add("a policy decides illegally", "policies_play", "`toy_shop`");
  add("a policy mixes up its slots", "policies_play", "`toy_shop`");
  text +=
      "\n## What it cannot find\n\n"
      "Some faults do not show from outside, so only a review or a test of the author finds "
      "them:\n\n"
      "- Rewards or metrics that are sound numbers but mean something else than their texts say.\n"
      "- An input that is not reported as an arrival and depends on actions.\n"
      "- A reward at the horizon that counts what comes behind it.\n"
      "- Randomness of the dynamics that is drawn in the order of use: episodes repeat, but pairs "
      "of\n"
      "  policies share less randomness.\n"
      "- An element of a group that shows what comes next. Values outside of groups are compared "
      "with\n"
      "  the next arrival.\n"
      "- A step that takes for ever: `park check` has no deadline.\n";
  return text;
}

TEST(Detection, TheTableOfTheDocumentsIsThatOfTheFaults) {
  const std::string path = PARK_SOURCE_DIR "/docs/planted_faults.md";
  if (std::getenv("PARK_WRITE_PAGES") != nullptr) std::ofstream(path) << fault_table();
  std::ifstream file(path);
  const std::string page(std::istreambuf_iterator<char>(file), {});
  EXPECT_EQ(page, fault_table()) << "PARK_WRITE_PAGES=1 check_test writes it";
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
  return check_property(property("policies_play"), make_subject(registry, "toy_shop"))
      .violations.text();
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
      check_property(property("twins_agree"), make_subject(registry, "impostor")).violations.text();
  EXPECT_NE(text.find("another twin"), std::string::npos) << text;
  EXPECT_NE(text.find("another layout"), std::string::npos) << text;
}

/// Names a twin that nobody registers.
class Lonely final : public ToyShop {
 public:
  static constexpr std::string_view kName = "lonely";
  static Spec spec(const Config& c) {
    Spec s = ToyShop::spec(c);
    s.name = kName;
    s.traits.twin = "nobody";
    return s;
  }
  using ToyShop::ToyShop;
};

TEST(Detection, ATwinThatNobodyRegistersIsFound) {
  Registry registry;
  registry.add_env<Lonely>();
  check::Subject lonely = make_subject(registry, "lonely");
  EXPECT_EQ(check_property(property("twins_agree"), lonely).violations.text(),
            "the twin 'nobody' is not registered");
  lonely.knows_systems = false;  // it may be a running system
  const check::Finding found = check_property(property("twins_agree"), lonely);
  EXPECT_EQ(found.verdict, Verdict::not_checked);
  EXPECT_NE(found.reason.find("nobody"), std::string::npos);
}

TEST(Detection, FaultsOfAnotherAuthorAreFound) {
  for (const Property& p : properties()) {
    if (p.long_runs) continue;
    EXPECT_EQ(found(p.name, "tank"), "") << p.name;
  }
  EXPECT_NE(found("observations_are_sound", "tank(overflows=true)"), "");
  EXPECT_NE(found("horizon_only_cuts", "tank(opens_late=true)"), "");
}

TEST(Detection, WithoutAProbeAHeapThatGrowsIsFound) {
  if (check::heap_bytes() == 0) GTEST_SKIP() << "the C library tells nothing here";
  struct NoProbe {
    const check::MemoryProbe* before = check::set_memory_probe(nullptr);
    ~NoProbe() { check::set_memory_probe(before); }
  } const no_probe;
  const auto heap = [](std::string_view env) {
    return check_property(property("long_runs_allocate_nothing"), make_subject(toys(), env));
  };
  const check::Finding sound = heap("toy_shop(" + std::string(kLong) + ")");
  EXPECT_EQ(sound.verdict, Verdict::ok) << sound.violations.text();
  EXPECT_NE(sound.reason.find("does not count allocations"), std::string::npos);
  const check::Finding hoards = heap("toy_shop(fault=hoards," + std::string(kLong) + ")");
  EXPECT_TRUE(hoards.violations.text().starts_with("the heap changes by "));
}

/// The same, behind a stream.
struct Behind {
  struct Config {
    std::string env = "toy_shop";
    bool operator==(const Config&) const = default;
    template <class Self, class Visit>
    static void fields(Self& self, Visit&& visit) {
      visit("env", self.env, FieldDoc{.doc = "what is behind it"});
    }
  };
  static constexpr const char* kName = "behind";
  static Spec spec(const Config& c, const Registry&) { return toys().spec(c.env); }
  static std::unique_ptr<Stream> open(const Config& c, const Registry&, const EpisodeSource& source,
                                      const StreamOptions& options) {
    return toys().stream(c.env, source, options);
  }
};

std::string found_behind(std::string_view name, std::string env) {
  Registry registry;
  registry.add_stream<Behind>();
  registry.add_policy({.name = "random", .summary = "x", .reference = "x", .environments = {}},
                      [](const Spec& s) { return std::make_unique<RandomPolicy>(s); });
  const std::string text = "behind(env=\"" + env + "\")";
  return check_property(property(name), make_subject(registry, text)).violations.text();
}

TEST(Stream, ASoundEnvironmentHoldsEverything) {
  for (const Property& p : properties()) EXPECT_EQ(found_behind(p.name, "toy_shop"), "") << p.name;
}

/// The name of the spec is that of the text. Arrivals, counts of events, copies, and asking for
/// metrics do not cross a stream; an episode that is given up there is that of an environment which
/// is gone. The policy that finds "eager" is not registered there.
constexpr std::array<std::string_view, 7> kBehindHidden = {
    "other_name",   "late_arrival", "old_events", "refuses_one",
    "counts_looks", "abandoned",    "eager"};

TEST(Stream, FaultsThatAStreamShowsAreFound) {
  Registry registry;
  registry.add_stream<Behind>();
  const check::Subject behind = make_subject(registry, "behind");
  std::size_t shown = 0;
  for (const Fault& f : faults()) {
    if (std::ranges::find(kBehindHidden, f.name) != kBehindHidden.end()) continue;
    if (check_property(property(f.property), behind).verdict == Verdict::not_applicable) continue;
    ++shown;
    EXPECT_NE(found_behind(f.property, "toy_shop(fault=" + std::string(f.name) + ")"), "")
        << f.name << " is not found by " << f.property;
  }
  EXPECT_GE(shown, 29u);
}

}  // namespace detection_test
}  // namespace park::test
