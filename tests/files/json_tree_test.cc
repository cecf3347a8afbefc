#include "park/files/json_tree.h"

#include <gtest/gtest.h>

#include <algorithm>

namespace park::files {
namespace json_tree_test {

/// The first parts are there long before the end of the text was asked for.
TEST(JsonParts, GivesPartsWhileItReads) {
  class ManyParts final : public ByteSource {
   public:
    std::size_t read(std::span<char> into) override {
      std::size_t count = 0;
      while (count < into.size()) {
        if (at_ == text_.size()) next();
        if (text_.empty()) break;
        into[count++] = text_[at_++];
      }
      return count;
    }
    [[nodiscard]] std::size_t parts() const noexcept { return parts_; }

   private:
    void next() {
      at_ = 0;
      ++parts_;
      text_ = parts_ == 1      ? R"({"jobs": [{"a": 1})"
              : parts_ < 20000 ? R"(, {"a": [1, 2, {"b": "cccccccccccccccccccccccccccccccccccc"}]})"
              : parts_ == 20000 ? "]}"
                                : "";
    }
    std::string text_;
    std::size_t at_ = 0, parts_ = 0;
  } source;
  std::size_t parts = 0, most_ahead = 0;
  const auto on_part = [&](const JsonValue& v) {
    ++parts;
    most_ahead = std::max(most_ahead, source.parts() - parts);
    EXPECT_EQ(v.items.size(), 1U);
  };
  EXPECT_EQ(read_json_parts(source, "f", {"jobs", on_part, [](auto, auto&) {}}), 1U);
  EXPECT_EQ(parts, 19999U);
  EXPECT_LT(most_ahead, 2000U);
}

}  // namespace json_tree_test
}  // namespace park::files
