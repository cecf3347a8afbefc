// Golden trajectories: what is written, that it replays, and how a difference is told.
#include "park/core/golden.h"

#include <gtest/gtest.h>

#include <sstream>
#include <string>

#include "tests/core/counter_env.h"

namespace park {
namespace golden_test {

using test::counter_registry;

std::string recorded(std::string_view env, double horizon_s = kInf, std::uint64_t limit = 40,
                     std::string_view policy = "random") {
  const Registry r = counter_registry();
  const Spec spec = r.spec(env);
  std::ostringstream out;
  record(out, r.canonical_env(env), *r.env_factory(env)(), spec, *r.policy(policy, spec),
         {.id = 5, .inputs = 11, .dynamics = 12, .horizon_s = horizon_s}, limit);
  return out.str();
}

ReplayReport replayed(const std::string& text) {
  std::istringstream in(text);
  return replay(in, counter_registry());
}

std::string replaced(std::string text, std::string_view from, std::string_view to) {
  const std::size_t at = text.find(from);
  EXPECT_NE(at, std::string::npos) << from << " in\n" << text;
  return at == std::string::npos ? text : text.replace(at, from.size(), to);
}

std::string error_of(const std::string& text) {
  try {
    static_cast<void>(replayed(text));
  } catch (const Error& e) {
    EXPECT_EQ(e.code(), Errc::bad_file) << e.what();
    return e.what();
  }
  return "";
}

TEST(Record, IsReadable) {
  const std::string text = recorded("counter(goal=4)", kInf, 40, "constant");
  EXPECT_TRUE(text.starts_with("park-record 1\nenv counter(goal=4)\nversion 4\nlayout ")) << text;
  EXPECT_NE(text.find("\nepisode id=5 inputs=11 dynamics=12 horizon_s=inf\nrow 0\n  [past] 0\n"
                      "  count 0\n  noise 0."),
            std::string::npos)
      << text;
  EXPECT_NE(text.find("\n  past.amount\nact 0\n  amount 2\noutcome reward=-"), std::string::npos);
  EXPECT_NE(text.find(" end=terminated\nfinal\n  [past] 2\n  count 4\n"), std::string::npos);
  EXPECT_TRUE(text.ends_with("\nend\n"));
}

TEST(Record, LeavesOutWhatDidNotChange) {
  const std::string text = recorded("counter(goal=1)");
  EXPECT_EQ(text.find("[past] 0"), text.rfind("[past] 0"));
  EXPECT_NE(text.find("metrics\n  steps 1\n  time_s "), std::string::npos) << text;
}

TEST(Record, LongLeavesAreSums) {
  const std::string text = recorded("counter(goal=80)", kInf, 40, "constant");
  EXPECT_NE(text.find("row 33\n  [past] 33\n  count 66\n"), std::string::npos);
  EXPECT_NE(text.find("past.amount sum=66 weighted=1122\n"), std::string::npos) << text;
  EXPECT_TRUE(replayed(text).same());
}

TEST(Record, ReplaysToTheSame) {
  for (const std::string& text :
       {recorded("counter"), recorded("counter(goal=900)"), recorded("counter(goal=900)", 20)}) {
    const ReplayReport report = replayed(text);
    EXPECT_TRUE(report.same()) << report.differences.front().field;
    EXPECT_GT(report.decisions, 2u);
  }
  EXPECT_NE(recorded("counter(goal=900)").find("\nstopped\nend\n"), std::string::npos);
  EXPECT_EQ(replayed(recorded("counter(goal=900)", kInf, 7)).decisions, 7u);
  EXPECT_NE(recorded("counter(goal=900)", 20).find("end=truncated\nfinal"), std::string::npos);
}

TEST(Record, ADifferenceIsNamedWithItsLine) {
  const std::string text = recorded("counter(goal=4)", kInf, 40, "constant");
  const ReplayReport count = replayed(replaced(text, "  count 4\n", "  count 5\n"));
  ASSERT_EQ(count.differences.size(), 1u);
  EXPECT_EQ(count.differences[0].field, "final count");
  EXPECT_EQ(count.differences[0].expected, "5");
  EXPECT_EQ(count.differences[0].found, "4");
  std::istringstream lines(replaced(text, "  count 4\n", "  count 5\n"));
  std::string line;
  for (std::size_t i = 0; i < count.differences[0].line; ++i) std::getline(lines, line);
  EXPECT_EQ(line, "  count 5");
  EXPECT_EQ(replayed(replaced(text, "  steps 2\n", "  steps 3\n")).differences[0].field,
            "metric steps");
}

TEST(Record, AChangedResultIsFound) {
  // the drift is what a later version of the code would do to the recorded default
  const std::string text = replaced(recorded("counter(goal=4,drift=0.5)"),
                                    "counter(goal=4,drift=0.5)", "counter(goal=4)");
  const ReplayReport report = replayed(text);
  ASSERT_FALSE(report.same());
  EXPECT_EQ(report.differences[0].field, "decision 0 outcome");
}

TEST(Record, FloatsAgreeToSixDigits) {
  const std::string text = recorded("counter(goal=4)");
  const std::size_t at = text.find("  noise ") + 8;
  const std::size_t end = text.find(' ', at);
  const double noise = std::stod(text.substr(at, end - at));
  const auto with = [&](double factor) {
    std::ostringstream v;
    v.precision(9);
    v << noise * factor;
    return replayed(std::string(text).replace(at, end - at, v.str()));
  };
  EXPECT_TRUE(with(1 + 5e-6).same());
  EXPECT_FALSE(with(1 + 5e-5).same());
}

TEST(Record, AnotherVersionOrLayoutIsADifference) {
  const std::string text = recorded("counter");
  const ReplayReport version = replayed(replaced(text, "version 4", "version 3"));
  ASSERT_EQ(version.differences.size(), 1u);
  EXPECT_EQ(version.differences[0].field, "version");
  EXPECT_EQ(version.decisions, 0u);
  const ReplayReport layout =
      replayed(replaced(text, text.substr(text.find("layout "), 11), "layout zzzz"));
  EXPECT_EQ(layout.differences[0].field, "layout");
  EXPECT_EQ(
      replayed(replaced(text, "env counter\n", "env counter(goal=10)\n")).differences[0].field,
      "env");
}

TEST(Record, AnIllegalDecisionIsADifference) {
  const std::string text = recorded("counter(goal=4)", kInf, 40, "constant");
  const ReplayReport report = replayed(replaced(text, "  amount 2\n", "  amount 9\n"));
  ASSERT_FALSE(report.same());
  EXPECT_EQ(report.differences[0].field, "decision 0");
  EXPECT_EQ(report.differences[0].found, "not legal");
}

TEST(Record, BrokenFilesAreRefused) {
  const std::string text = recorded("counter(goal=4)", kInf, 40, "constant");
  EXPECT_EQ(error_of(replaced(text, "park-record 1", "park-record 2")),
            "record, line 1: park-record 2 is newer than this program reads (1)");
  EXPECT_EQ(error_of(""), "record, line 1: expected 'park-record'");
  EXPECT_EQ(error_of("park-record x\n"), "record, line 1: 'x' is not a number");
  EXPECT_EQ(error_of(replaced(text, "inputs=11", "input=11")),
            "record, line 5: expected 'inputs='");
  EXPECT_NE(error_of(replaced(text, "  amount 2\n", "  amount 2 2\n")), "");
  EXPECT_NE(error_of(replaced(text, "  amount 2\n", "  amount two\n")), "");
  EXPECT_NE(error_of(replaced(text, "  amount 2\n", "")), "");
  EXPECT_NE(error_of(replaced(text, "  amount 2\n", "  size 2\n")), "");
  EXPECT_NE(error_of(text + "row 3\n"), "");
  EXPECT_NE(error_of(text.substr(0, text.size() - 4)), "");
  EXPECT_THROW(static_cast<void>(replayed(replaced(text, "env counter", "env conter"))), Error);
}

TEST(Record, EveryCutIsRefusedOrADifference) {
  const std::string text = recorded("counter(goal=12)");
  for (std::size_t n = 0; n + 1 < text.size(); ++n) {
    bool noticed = false;
    try {
      noticed = !replayed(text.substr(0, n)).same();
    } catch (const Error&) {
      noticed = true;
    }
    ASSERT_TRUE(noticed) << n;
  }
}

TEST(Record, IllegalPoliciesAreErrors) {
  EXPECT_THROW(recorded("counter", kInf, 40, "constant(amount=9)"), Error);
}

}  // namespace golden_test
}  // namespace park
