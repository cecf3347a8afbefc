// Candidates of C++: compiled, played, and what they may not say or do.
#include <gtest/gtest.h>

#include <string>

#include "park/envs/envs.h"
#include "tests/judge/guessing.h"

namespace park::judge {
namespace cpp_test {

Judgement judged(const std::string& source, JudgePlan plan = test::guessing_plan(Kind::cpp, "")) {
  static const Registry registry = test::guessing_registry();
  plan.candidate.text = source;
  return judge(registry, plan);
}

constexpr const char* kHonest = R"(
void decide(const park::Row& row, park::Action& action) {
  constexpr auto clue = park::leaf("clue");
  for (int door : row.legal(0))
    if (row(clue, door) > row(clue, 0, static_cast<int>(action[0]))) action[0] = door;
}
)";

TEST(Cpp, PlaysAsWellAsTheSameHeuristicAndHasNoRights) {
  const Judgement j = judged("#include <vector>\n" + std::string(R"(
extern "C" int open(const char*, int, ...);
extern "C" int socket(int, int, int);
extern char** environ;
struct Rights {  // tried before main; each would end the process
  Rights() {
    if (open("/proc/self/maps", 0) >= 0 || socket(2, 1, 0) >= 0) throw 1;
    if (environ != nullptr && *environ != nullptr) throw 2;
    std::vector<char> much;
    try {
      much.resize(std::size_t{2} << 30);
    } catch (const std::bad_alloc&) {
      return;
    }
    throw 3;
  }
} rights;
)") + kHonest);
  EXPECT_EQ(j.verdict, Verdict::valid) << j.feedback;
  EXPECT_DOUBLE_EQ(j.score, 1);
}

TEST(Cpp, IsRefusedWithTheCompilersFirstError) {
  const Judgement j = judged(R"(constexpr auto x = park::leaf("info.prize");)");
  EXPECT_EQ(j.verdict, Verdict::refused);
  EXPECT_NE(j.feedback.find("candidate.cc:1:"), std::string::npos) << j.feedback;
  EXPECT_NE(j.feedback.find("there_is_no_such_name"), std::string::npos) << j.feedback;
}

TEST(Cpp, ReadsNoFileWhileItIsCompiled) {
  for (const char* source :
       {"#include \"/etc/passwd\"\n", "  # include </etc/passwd>\n", "%:include \"/etc/passwd\"\n",
        "asm(\".incbin \\\"/etc/passwd\\\"\");\n", "__asm__(\"\");\n", "#pragma once\n",
        "[[gnu::section(\"x\\n.incbin \\\"/etc/passwd\\\"\")]] int x;\n",
        "__attribute__((section(\"x\"))) int x;\n"})
    EXPECT_EQ(judged(source + std::string(kHonest)).verdict, Verdict::refused) << source;
}

TEST(Cpp, CrashesAndForeignHarnessesEndWorst) {
  JudgePlan plan = test::guessing_plan(Kind::cpp, "");
  const Judgement j = judged(R"(
struct Early {
  Early() {
    const char frame[] = "\5\0\0\0\4\0\0\0\1\0\0";
    ::write(3, frame, sizeof frame);  // answers that nobody asked for
  }
} early;
)" + std::string(kHonest),
                             plan);
  EXPECT_EQ(j.score, 0);
  const Judgement crash = judged(R"(
void decide(const park::Row&, park::Action&) { *static_cast<volatile int*>(nullptr) = 1; }
)",
                                 plan);
  EXPECT_EQ(crash.score, 0);
  EXPECT_NE(crash.feedback.find("signal 11"), std::string::npos) << crash.feedback;
}

}  // namespace cpp_test
}  // namespace park::judge
