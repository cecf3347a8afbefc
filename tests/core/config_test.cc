// Configurations from text and back: every type of field, canonical texts, and all violations at
// once.
#include "park/core/config.h"

#include <gtest/gtest.h>

#include <limits>
#include <string>
#include <vector>

#include "park/core/outside_fields.h"

namespace park {
namespace config_test {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

struct Class {
  static constexpr std::string_view kName = "class";
  double share = 1;
  std::int32_t cpus = 1;
  bool operator==(const Class&) const = default;
  template <class Self, class Visit>
  static void fields(Self& self, Visit&& visit) {
    visit("share", self.share,
          FieldDoc{.doc = "of the executors", .min = 0, .max = 1, .open_min = true});
    visit("cpus", self.cpus, FieldDoc{.doc = "of each", .min = 1, .max = 64});
  }
  static void check(const Class& c, Violations& bad) {
    if (c.cpus > 32 && c.share > 0.5)
      bad.add("cpus = " + std::to_string(c.cpus) + " needs share <= 0.5");
  }
};

struct Cluster {
  std::int32_t executors = 10;
  std::int64_t big = 5;
  std::uint64_t seed = 0;
  std::uint32_t count = 1;
  double interval_s = 25;
  bool moving = false;
  std::string arrival = "batch";
  std::string path;
  std::vector<double> weights = {1, 2};
  std::vector<Class> classes;
  Class standard;
  Value inner;
  bool operator==(const Cluster&) const = default;
  template <class Self, class Visit>
  static void fields(Self& self, Visit&& visit) {
    visit("executors", self.executors,
          FieldDoc{.doc = "slots", .min = 1, .max = 100000, .tune = "1:9:2"});
    visit("big", self.big, FieldDoc{.doc = "any"});
    visit("seed", self.seed, FieldDoc{.doc = "any"});
    visit("count", self.count, FieldDoc{.doc = "any", .max = 7, .open_max = true});
    visit("interval_s", self.interval_s,
          FieldDoc{.doc = "mean", .unit = "s", .min = 0, .open_min = true});
    visit("moving", self.moving, FieldDoc{.doc = "delay"});
    visit("arrival", self.arrival, FieldDoc{.doc = "how", .choices = "batch|poisson|file"});
    visit("path", self.path, FieldDoc{.doc = "where"});
    visit("weights", self.weights, FieldDoc{.doc = "each", .min = 0, .max = kInfinity});
    visit("classes", self.classes, FieldDoc{.doc = "kinds"});
    visit("standard", self.standard, FieldDoc{.doc = "one kind"});
    visit("inner", self.inner, FieldDoc{.doc = "of another"});
  }
  static void check(const Cluster& c, Violations& bad) {
    if (c.arrival == "file" && c.path.empty()) bad.add("arrival = file needs path");
    if (c.executors < 4 && c.moving) bad.add("moving needs executors >= 4");
  }
};
static_assert(Config<Cluster> && Config<Class>);

Cluster parse(std::string_view text) { return parse_config<Cluster>(parse_text(text)); }
std::string canonical_of(std::string_view text) { return to_text(canonical("c", parse(text))); }
std::string error_of(std::string_view text) {
  try {
    static_cast<void>(parse(text));
  } catch (const Error& e) {
    EXPECT_EQ(e.code(), Errc::invalid_config);
    return e.what();
  }
  return "";
}

TEST(Config, ReadsEveryType) {
  const Cluster c =
      parse(R"(c(executors=3,big=-9000000000,seed=18446744073709551615,count=6,interval_s=inf,)"
            R"(arrival=file,path="a b",weights=[0.5,inf],classes=[class(share=0.25),class],)"
            R"(standard=class(cpus=2),inner=load(x=[1])))");
  EXPECT_EQ(c.executors, 3);
  EXPECT_EQ(c.big, -9000000000);
  EXPECT_EQ(c.seed, 18446744073709551615u);
  EXPECT_EQ(c.count, 6u);
  EXPECT_EQ(c.interval_s, kInfinity);
  EXPECT_EQ(c.path, "a b");
  EXPECT_EQ(c.weights, (std::vector<double>{0.5, kInfinity}));
  EXPECT_EQ(c.classes, (std::vector<Class>{{0.25, 1}, {}}));
  EXPECT_EQ(c.standard.cpus, 2);
  EXPECT_EQ(to_text(c.inner), "load(x=[1])");
  EXPECT_TRUE(parse("c(moving=true)").moving);
}

TEST(Config, CanonicalTextHasOnlyWhatDiffersInDeclaredOrder) {
  EXPECT_EQ(canonical_of("c"), "c");
  EXPECT_EQ(canonical_of("c()"), "c");
  EXPECT_EQ(canonical_of("c(path=\"x\",executors=10,interval_s=0.50,big=007)"),
            "c(big=7,interval_s=0.5,path=x)");
  EXPECT_EQ(canonical_of("c(classes=[class(cpus=1,share=0.250),class()],path=\"a,b\")"),
            "c(path=\"a,b\",classes=[class(share=0.25),class])");
  EXPECT_EQ(canonical_of("c(weights=[])"), "c(weights=[])");
  const std::string text = canonical_of(
      "c(executors=11,seed=3,interval_s=inf,moving=true,weights=[1e-3,4],standard=class(cpus=9))");
  EXPECT_EQ(canonical_of(text), text);
  EXPECT_EQ(parse(text), parse(canonical_of(text)));
}

TEST(Config, NamesTheFieldAndWhatIsAllowed) {
  EXPECT_EQ(error_of("c(executors=0)"), "executors = 0 is outside [1, 100000]");
  EXPECT_EQ(error_of("c(executors=99999999999)"), "executors = 99999999999 is outside [1, 100000]");
  EXPECT_EQ(error_of("c(executors=1.5)"), "executors = 1.5 is not a whole number in [1, 100000]");
  EXPECT_EQ(error_of("c(executors=[1])"), "executors = [1] is not a whole number in [1, 100000]");
  EXPECT_EQ(error_of("c(executors=\"3\")"), "executors = 3 is not a whole number in [1, 100000]");
  EXPECT_EQ(error_of("c(count=7)"), "count = 7 is outside [0, 7)");
  EXPECT_EQ(error_of("c(count=-1)"), "count = -1 is not a whole number in [0, 7)");
  EXPECT_EQ(error_of("c(seed=18446744073709551616)"),
            "seed = 18446744073709551616 is outside [0, 18446744073709551615]");
  EXPECT_EQ(error_of("c(interval_s=0)"), "interval_s = 0 is outside (0, inf]");
  EXPECT_EQ(error_of("c(interval_s=nan)"), "interval_s = nan is not a number in (0, inf]");
  EXPECT_EQ(error_of("c(interval_s=infinity)"),
            "interval_s = infinity is not a number in (0, inf]");
  EXPECT_EQ(error_of("c(interval_s=1e999)"), "interval_s = 1e999 is outside (0, inf]");
  EXPECT_EQ(error_of("c(interval_s=1x)"), "interval_s = 1x is not a number in (0, inf]");
  EXPECT_EQ(error_of("c(moving=yes)"), "moving = yes is not true or false");
  EXPECT_EQ(error_of("c(arrival=bulk)"), "arrival = bulk is not one of batch, poisson, file");
  EXPECT_EQ(error_of("c(path=f(x=1))"),
            "path = f(x=1) is not a text; quote it if it is meant as one");
  EXPECT_EQ(error_of("c(weights=1)"), "weights = 1 is not a list [...]");
  EXPECT_EQ(error_of("c(weights=[1,-1,x])"),
            "weights[1] = -1 is outside [0, inf]\nweights[2] = x is not a number in [0, inf]");
  EXPECT_EQ(error_of("c(classes=[klass])"), "classes[0] = klass is not class(...)");
  EXPECT_EQ(error_of("c(classes=[class,class(share=2)])"),
            "classes[1].share = 2 is outside (0, 1]");
}

TEST(Config, LongValuesAreCutInMessages) {
  EXPECT_EQ(error_of("c(moving=" + std::string(1000, 'x') + ")"),
            "moving = " + std::string(80, 'x') + "... is not true or false");
}

TEST(Config, InfinityOnlyWhereTheRangeAllowsIt) {
  EXPECT_EQ(error_of("c(standard=class(share=inf))"), "standard.share = inf is outside (0, 1]");
  EXPECT_EQ(error_of("c(interval_s=-inf)"), "interval_s = -inf is outside (0, inf]");
}

TEST(Config, UnknownAndRepeatedFields) {
  EXPECT_EQ(error_of("c(executers=1)"), "unknown field 'executers'; did you mean 'executors'?");
  EXPECT_EQ(error_of("c(classes=[class(shar=1)])"),
            "unknown field 'classes[0].shar'; did you mean 'share'?");
  EXPECT_EQ(error_of("c(standard=class(zzzzzzzz=1))"),
            "unknown field 'standard.zzzzzzzz'; the fields are share, cpus");
  EXPECT_EQ(error_of("c(big=1,big=2,big=3)"), "big is given 3 times");
}

TEST(Config, ReportsEverythingAtOnce) {
  EXPECT_EQ(error_of("c(executors=0,arival=x,weights=[-1],classes=[class(share=0,cpus=0)],big=x)"),
            "executors = 0 is outside [1, 100000]\n"
            "big = x is not a whole number in [-9223372036854775808, 9223372036854775807]\n"
            "weights[0] = -1 is outside [0, inf]\n"
            "classes[0].share = 0 is outside (0, 1]\n"
            "classes[0].cpus = 0 is outside [1, 64]\n"
            "unknown field 'arival'; did you mean 'arrival'?");
}

TEST(Config, RulesBetweenFields) {
  EXPECT_EQ(error_of("c(arrival=file)"), "arrival = file needs path");
  EXPECT_EQ(error_of("c(arrival=file,executors=1,moving=true)"),
            "arrival = file needs path\nmoving needs executors >= 4");
  EXPECT_EQ(error_of("c(arrival=file,big=x)"),
            "big = x is not a whole number in [-9223372036854775808, 9223372036854775807]\n"
            "arrival = file needs path");
  EXPECT_EQ(error_of("c(classes=[class(cpus=40)])"), "classes[0]: cpus = 40 needs share <= 0.5");
  // a rule that speaks of a field that is wrong anyway would mislead
  EXPECT_EQ(error_of("c(arrival=file,path=[])"),
            "path = [] is not a text; quote it if it is meant as one");
}

TEST(Config, DescribesItsFields) {
  const std::vector<FieldInfo> all = field_infos<Cluster>();
  ASSERT_EQ(all.size(), 12u);
  EXPECT_EQ(all[0].name, "executors");
  EXPECT_EQ(all[0].type, "integer");
  EXPECT_EQ(all[0].default_text, "10");
  EXPECT_EQ(all[0].max, 100000);
  EXPECT_EQ(all[0].tune, "1:9:2");
  EXPECT_EQ(all[3].min, 0);
  EXPECT_TRUE(all[3].open_max);
  EXPECT_EQ(all[4].unit, "s");
  EXPECT_EQ(all[4].type, "number");
  EXPECT_EQ(all[6].choices, (std::vector<std::string>{"batch", "poisson", "file"}));
  EXPECT_EQ(all[7].default_text, "\"\"");
  EXPECT_EQ(all[8].type, "list of number");
  EXPECT_EQ(all[8].default_text, "[1,2]");
  EXPECT_EQ(all[9].type, "list of class(...)");
  ASSERT_EQ(all[9].fields.size(), 2u);
  EXPECT_EQ(all[9].fields[0].name, "share");
  EXPECT_EQ(all[10].default_text, "class");
}

TEST(Config, NearestName) {
  const std::vector<std::string> names = {"executors", "jobs", "arrival"};
  EXPECT_EQ(nearest("job", names), "jobs");
  EXPECT_EQ(nearest("arivall", names), "arrival");
  EXPECT_EQ(nearest("throughput", names), "");
}

std::string outside(std::string_view text) {
  try {
    return to_text(read_outside_fields("c", parse_text(text), field_infos<Cluster>()));
  } catch (const Error& e) {
    EXPECT_EQ(e.code(), Errc::invalid_config);
    return e.what();
  }
}

TEST(OutsideFields, AreReadAsThoseOfAConfig) {
  for (const char* text :
       {"c", "c()", "c(path=\"x\",executors=10,interval_s=0.50,big=007)", "c(weights=[])",
        "c(classes=[class(cpus=1,share=0.250),class()],path=\"a,b\")", "c(path=\"\")",
        "c(executors=11,seed=3,interval_s=inf,moving=true,weights=[1e-3,4],standard=class(cpus=9))",
        "c(weights=[1,2],inner=load(x=[1]))"})
    EXPECT_EQ(outside(text), canonical_of(text)) << text;
  for (const char* text :
       {"c(executors=0)", "c(executors=1.5,big=1,big=2)", "c(interval_s=nan)", "c(moving=yes)",
        "c(arrival=bulk)", "c(path=f(x=1))", "c(weights=[1,-1,x])", "c(weights=1)",
        "c(classes=[klass])", "c(classes=[class,class(share=2)])", "c(executers=1)",
        "c(classes=[class(shar=1)])", "c(standard=class(zzzzzzzz=1))", "c(count=7)"})
    EXPECT_EQ(outside(text), error_of(text)) << text;
}

std::string complaint_of(const FieldInfo& field) {
  try {
    check_outside_fields("env", {field});
  } catch (const Error& e) {
    return e.what();
  }
  return "";
}

TEST(OutsideFields, DescriptionsThatContradictThemselves) {
  EXPECT_NO_THROW(check_outside_fields("env", field_infos<Cluster>()));
  const FieldInfo good{.name = "load", .type = "number", .default_text = "0.5", .min = 0, .max = 1};
  EXPECT_EQ(complaint_of(good), "");
  FieldInfo bad = good;
  bad.name = "two words";
  EXPECT_EQ(complaint_of(bad), "env: field 'two words' has a name that is no bare word");
  bad = good;
  bad.type = "float";
  EXPECT_EQ(
      complaint_of(bad),
      "env: field 'load' has the type 'float'; allowed are bool, integer, number, text, value, "
      "NAME(...) and lists of these");
  bad = good;
  bad.default_text = "2";
  EXPECT_EQ(complaint_of(bad), "env: field 'load' = 2 is outside [0, 1]");
  bad.default_text = "[";
  EXPECT_NE(complaint_of(bad).find("env: field 'load': its default: "), std::string::npos);
  EXPECT_THROW(check_outside_fields("env", {good, good}), Error);
}

}  // namespace config_test
}  // namespace park
