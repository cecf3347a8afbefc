#include "park/files/json_fields.h"

#include <gtest/gtest.h>

#include <cmath>
#include <compare>
#include <iterator>
#include <type_traits>
#include <utility>

#include "tests/kit/scratch_folder.h"

namespace park::files {
namespace json_fields_test {

using test::error_of;

/// A key that counts how often it is compared.
struct CountedKey {
  std::string text;
  static inline std::size_t comparisons = 0;

  friend bool operator==(const CountedKey& a, const CountedKey& b) {
    ++comparisons;
    return a.text == b.text;
  }
  friend std::strong_ordering operator<=>(const CountedKey& a, const CountedKey& b) {
    ++comparisons;
    return a.text <=> b.text;
  }
};
using CountedMembers = OrderedMembers<CountedKey, int>;

CountedKey key_of(int i) { return {"member" + std::to_string(i)}; }

/// Comparisons per member to read an object of `count` members and to find each of them again.
double comparisons_per_member(int count) {
  CountedKey::comparisons = 0;
  CountedMembers members;
  for (int i = 0; i < count; ++i) members[key_of(i)] = i;
  for (int i = 0; i < count; ++i) {
    const auto at = std::as_const(members).find(key_of(i));
    EXPECT_TRUE(at != members.end() && at->second == i) << i;
  }
  EXPECT_EQ(members.size(), static_cast<std::size_t>(count));
  return static_cast<double>(CountedKey::comparisons) / count;
}

TEST(OrderedMembers, WorkPerMemberGrowsLikeTheLogarithm) {
  static_assert(
      std::is_base_of_v<
          nlohmann::ordered_map<std::string, Json, std::less<>, Json::object_t::allocator_type>,
          Json::object_t>);
  static_assert(std::is_same_v<Json::object_t::key_compare, std::less<std::string>>);
  for (const int count : {16, 17, 1000, 80'000})
    EXPECT_LE(comparisons_per_member(count), 5 * std::log2(count) + 20) << count;
}

TEST(OrderedMembers, KeepTheirOrderAndAreFoundAfterEveryChange) {
  CountedMembers members;
  for (int i = 40; i > 0; --i) EXPECT_TRUE(members.emplace(key_of(i), int{i}).second);
  EXPECT_FALSE(members.emplace(key_of(7), 0).second);
  EXPECT_EQ(members.erase(key_of(40)), 1U);
  EXPECT_EQ(members.erase(key_of(40)), 0U);
  EXPECT_EQ(members.count(key_of(40)), 0U);
  const CountedMembers copy(members.begin(), members.end());
  int expected = 39;
  for (const auto& [key, value] : copy) {
    EXPECT_EQ(value, expected);
    EXPECT_EQ(key.text, key_of(expected).text);
    EXPECT_EQ(copy.find(key)->second, expected);
    --expected;
  }
  members.clear();
  EXPECT_TRUE(members.find(key_of(3)) == members.end());
  members[key_of(3)] = 4;
  EXPECT_EQ(members.find(key_of(3))->second, 4);
}

TEST(JsonFields, ManyMembersKeepTheirOrderAndTheLastOfTwoCounts) {
  std::string text = R"({"schema": "s", "version": 1)";
  for (int i = 0; i < 300; ++i) text += ", \"k" + std::to_string(i) + "\": " + std::to_string(i);
  const Json json = parse_document(text + R"(, "k5": -5})", "f", "s", 1);
  ASSERT_EQ(json.size(), 302U);
  auto at = std::next(json.begin(), 2);
  for (int i = 0; i < 300; ++i, ++at) {
    EXPECT_EQ(at.key(), "k" + std::to_string(i));
    EXPECT_EQ(at.value(), i == 5 ? -5 : i);
  }
}

std::string complaint(const std::string& text) {
  return error_of([&] { (void)parse_document(text, "f", "s", 1); });
}

TEST(ParseDocument, NamesTheLineThatItCannotRead) {
  EXPECT_EQ(complaint("{\n\"schema\": \"s\",\n\"version\" 1}").find("f:3: no JSON: syntax error"),
            0U)
      << complaint("{\n\"schema\": \"s\",\n\"version\" 1}");
  EXPECT_EQ(complaint("{\n\"a\": 1,\n\"b\": tru\n}").find("f:3: no JSON: "), 0U);
  EXPECT_EQ(complaint("{\n\"a\": \"b\n\"}").find("f:2: no JSON: "), 0U);
  EXPECT_EQ(complaint("{\n\n\"a\": 1e400}").find("f:3: no JSON: number overflow"), 0U);
  EXPECT_EQ(complaint("").find("f:1: no JSON: "), 0U);
  EXPECT_EQ(complaint("{}\n}").find("f:2: no JSON: "), 0U);
  EXPECT_EQ(complaint("\n\n [1]"), "f:3: is no JSON object");
  for (const char* text : {"{\n\"a\": \x80}", "{\n\x1b", "{\n\"\x01\"}"})
    EXPECT_EQ(complaint(text).find('\n'), std::string::npos) << text;
}

TEST(ParseDocument, IsNotNestedWithoutABound) {
  const std::string deep(1'000'000, '[');
  EXPECT_EQ(complaint("{\"schema\": " + deep), "f: is nested deeper than 64");
  EXPECT_EQ(complaint(R"({"schema": "s", "version": 2})"),
            "f: version 2 is newer than 1, which this program reads");
}

}  // namespace json_fields_test
}  // namespace park::files
