// What people see: numbers, wrapped lines, tables, and texts of others in all of them.
#include <gtest/gtest.h>

#include <cmath>
#include <nlohmann/json.hpp>
#include <sstream>
#include <string>
#include <vector>

#include "cli/frame/console.h"
#include "cli/frame/names.h"
#include "cli/web/page.h"
#include "park/command/numbers.h"
#include "park/command/table.h"
#include "park/core/json_writer.h"
#include "park/files/shown.h"

namespace park::cli {
namespace text_output_test {

TEST(Numbers, DecimalsFollowTheLargestValue) {
  EXPECT_EQ(decimals_for(std::vector<double>{85.3, 61.2}), 2);
  EXPECT_EQ(decimals_for(std::vector<double>{0.0123}), 5);
  EXPECT_EQ(decimals_for(std::vector<double>{-12345.0}), 0);
  EXPECT_EQ(decimals_for(std::vector<double>{0, NAN, INFINITY}), 0);
  EXPECT_EQ(decimals_for(std::vector<double>{1e-30}), 9);
}

TEST(Numbers, RoundedForPeople) {
  EXPECT_EQ(rounded(85.256, 2), "85.26");
  EXPECT_EQ(rounded(-0.001, 2), "0.00");
  EXPECT_EQ(rounded(-1.5e-16, 3), "0.000");
  EXPECT_EQ(rounded(1.5e-16), "1.500e-16");
  EXPECT_EQ(rounded(NAN, 2), "-");
  EXPECT_EQ(rounded(-INFINITY, 2), "-inf");
  EXPECT_EQ(rounded(1.5e12, 2), "1.500e+12");
  EXPECT_EQ(rounded(0.5), "0.5000");
  EXPECT_EQ(signed_text(2, 1), "+2.0");
  EXPECT_EQ(signed_text(-2, 1), "-2.0");
}

TEST(Numbers, DurationsAndCounts) {
  EXPECT_EQ(duration_text(0.0854), "85 ms");
  EXPECT_EQ(duration_text(12.34), "12.3 s");
  EXPECT_EQ(duration_text(59.96), "1 min 00 s");
  EXPECT_EQ(duration_text(245), "4 min 05 s");
  EXPECT_EQ(duration_text(12000), "3 h 20 min");
  EXPECT_EQ(count_text(950), "950");
  EXPECT_EQ(count_text(999.9), "1.00 k");
  EXPECT_EQ(count_text(12345), "12.3 k");
  EXPECT_EQ(count_text(4560000), "4.56 M");
  EXPECT_EQ(plural(1, "try"), "1 try");
  EXPECT_EQ(plural(3, "try"), "3 tries");
  EXPECT_EQ(plural(0, "episode"), "0 episodes");
  EXPECT_EQ(plural(10, "mismatch"), "10 mismatches");
  EXPECT_EQ(plural(1, "mismatch"), "1 mismatch");
  EXPECT_EQ(plural(2, "hash"), "2 hashes");
  EXPECT_EQ(plural(2, "box"), "2 boxes");
  EXPECT_EQ(plural(2, "loss"), "2 losses");
}

TEST(Wrap, BreaksAtSpacesAndKeepsLongWords) {
  EXPECT_EQ(wrap("one two three", 8), (std::vector<std::string>{"one two", "three"}));
  EXPECT_EQ(wrap("incomprehensible it", 5), (std::vector<std::string>{"incomprehensible", "it"}));
  EXPECT_EQ(wrap("", 5), std::vector<std::string>{""});
}

TEST(Table, AlignsColumnsAndWrapsTheLast) {
  Table table({{"name"}, {"count", Table::Align::right}, {"doc"}});
  table.add({"a", "5", "short"});
  table.add({"longer", "1234", "a text that does not fit into one line of it"});
  table.add_heading("a heading that is much wider than the first column");
  EXPECT_EQ(table.text(1, 44),
            " name    count  doc\n"
            " a           5  short\n"
            " longer   1234  a text that does not fit\n"
            "                into one line of it\n"
            " a heading that is much wider than the first column\n");
}

TEST(Table, CountsCharactersNotBytes) {
  Table table({{"a"}, {"b"}});
  table.add({"\xC3\xA9\xC3\xA9", "x"});
  table.add({"ab", "y"});
  EXPECT_EQ(table.text(), "a   b\n\xC3\xA9\xC3\xA9  x\nab  y\n");
}

TEST(Table, MarkdownEscapesBars) {
  Table table({{"name"}, {"n", Table::Align::right}});
  table.add({"a|b", "1"});
  EXPECT_EQ(table.markdown(), "| name | n |\n| --- | ---: |\n| a\\|b | 1 |\n");
}

// ---- Texts of others --------------------------------------------------------------------------

constexpr const char* kClipboard = "\x1b]52;c;AAAA\x07";
constexpr const char* kShown = "\\x1b]52;c;AAAA\\x07";

TEST(Table, ControlCharactersOfCellsAreShown) {
  Table table({{std::string("a") + kClipboard}, {"b"}, {"c"}});
  table.add({"x\ny", kClipboard, "in\ntwo words\x7f"});
  table.add_heading(kClipboard);
  const std::string gap(15, ' '), wide(19, ' ');
  EXPECT_EQ(table.text(), std::string("a") + kShown + "  b" + wide + "c\n" + "x\\x0ay" + gap +
                              kShown + "  in two words\\x7f\n" + kShown + '\n');
  EXPECT_EQ(table.markdown().find('\x1b'), std::string::npos);
}

TEST(Console, ControlCharactersOfLinesAreShown) {
  std::ostringstream err;
  Console console(err, true);
  console.error(kClipboard);
  EXPECT_EQ(err.str(), std::string("error: ") + kShown + '\n');
  err.str("");
  console.status(kClipboard);
  EXPECT_EQ(err.str(), std::string("\r\x1b[K") + kShown);
}

TEST(Page, ControlCharactersOfTitleAndDataAreShown) {
  JsonWriter json;
  json.begin_object()
      .member("unit", std::string(kClipboard) + "\xC2\x9B<b>")
      .member("path", "\\u001b");
  const std::string html =
      page({.title = kClipboard, .body = "", .scripts = {}, .data = json.end_object().take()});
  EXPECT_NE(html.find(std::string("<title>") + kShown + "</title>"), std::string::npos);
  const std::string begin = "id=\"data\">\n";
  const std::size_t at = html.find(begin) + begin.size();
  const auto data = nlohmann::json::parse(html.substr(at, html.find("</script>", at) - at));
  EXPECT_EQ(data.at("unit"), std::string(kShown) + "\\x9b<b>");
  EXPECT_EQ(data.at("path"), "\\u001b") << "six letters";
}

TEST(Shown, ALongTextIsCutBetweenCharacters) {
  EXPECT_EQ(files::shown("\x1b[2J"), "\\x1b[2J");
  EXPECT_EQ(files::shown(std::string(80, 'a')), std::string(80, 'a'));
  EXPECT_EQ(files::shown(std::string(79, 'a') + "\xC3\xA9"), std::string(79, 'a') + "...");
}

}  // namespace text_output_test
}  // namespace park::cli
