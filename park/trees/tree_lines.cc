// Lines of tree files and of lists of features. The constructor cuts a text into lines and takes
// comments off; the other functions read the parts that both kinds of text have.
#include "park/trees/tree_lines.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <utility>

#include "park/core/error.h"
#include "park/core/text.h"
#include "park/files/lines.h"

namespace park::trees {
namespace {

constexpr std::size_t kMostShown = 40;

}  // namespace

std::size_t comment_of(std::string_view text) {
  bool quoted = false;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (quoted && text[i] == '\\') {
      ++i;
      continue;
    }
    if (text[i] == '"') quoted = !quoted;
    const bool alone =
        (i == 0 || text[i - 1] == ' ') && (i + 1 == text.size() || text[i + 1] == ' ');
    if (text[i] == '#' && alone && !quoted) return i;
  }
  return text.size();
}

std::string shown(std::string_view text) {
  return '\'' + printable(text.substr(0, kMostShown)) + (text.size() > kMostShown ? "...'" : "'");
}

TreeLines::TreeLines(std::string_view text, const std::string& name) : name_(name) {
  while (!text.empty()) {
    Line line{.number = ++last_, .indent = 0, .text = files::take_line(text)};
    for (const char c : line.text)
      if (static_cast<unsigned char>(c) < 32 || c == 127)
        fail(last_, "a tab or another control character; indent with spaces");
    line.text = line.text.substr(0, comment_of(line.text));
    while (!line.text.empty() && line.text.back() == ' ') line.text.remove_suffix(1);
    line.indent = std::min(line.text.find_first_not_of(' '), line.text.size());
    line.text.remove_prefix(line.indent);
    if (!line.text.empty()) lines_.push_back(line);
  }
}

void TreeLines::same_indent(std::size_t indent) const {
  if (line().indent != indent)
    fail("is indented by " + std::to_string(line().indent) + " spaces, the lines beside it by " +
         std::to_string(indent));
}

void TreeLines::fail(std::size_t line, const std::string& what) const {
  throw Error(Errc::bad_file, name_ + ':' + std::to_string(line) + ": " + what);
}

void TreeLines::expected(const std::string& what) const {
  if (!more()) fail(last_, "expected " + what + ", found the end of the file");
  fail("expected " + what + ", found " + shown(line().text));
}

bool TreeLines::takes(std::string_view& rest, std::string_view word) {
  while (!rest.empty() && rest.front() == ' ') rest.remove_prefix(1);
  if (!rest.starts_with(word)) return false;
  rest.remove_prefix(word.size());
  return true;
}

Expression TreeLines::expression(std::string_view& rest) const {
  try {
    return take_expression(rest);
  } catch (const Error& e) {
    fail(e.what());
  }
}

float TreeLines::number(std::string_view& rest) const {
  static_cast<void>(takes(rest, ""));
  float v = 0;
  const auto [end, error] = std::from_chars(rest.begin(), rest.end(), v);
  if (error != std::errc() || !std::isfinite(v))
    fail("expected a finite number, found " + shown(rest));
  rest.remove_prefix(static_cast<std::size_t>(end - rest.begin()));
  return v;
}

std::uint64_t TreeLines::count(std::string_view& rest) const {
  static_cast<void>(takes(rest, ""));
  std::uint64_t v = 0;
  const auto [end, error] = std::from_chars(rest.begin(), rest.end(), v);
  if (error != std::errc()) fail("expected a number of samples, found " + shown(rest));
  rest.remove_prefix(static_cast<std::size_t>(end - rest.begin()));
  return v;
}

void TreeLines::end(std::string_view rest) const {
  if (!rest.empty()) fail("expected the end of the line, found " + shown(rest));
}

Condition TreeLines::condition(std::string_view& rest) const {
  Condition all{.feature = expression(rest)};
  // Longer signs first: "<=" begins as "<" does.
  constexpr std::array<std::pair<const char*, Comparison>, 6> kSigns{{{"!=", Comparison::unequal},
                                                                      {"<=", Comparison::at_most},
                                                                      {">=", Comparison::at_least},
                                                                      {"=", Comparison::equal},
                                                                      {"<", Comparison::less},
                                                                      {">", Comparison::greater}}};
  for (const auto& [sign, comparison] : kSigns) {
    if (!takes(rest, sign)) continue;
    all.comparison = comparison;
    all.number = number(rest);
    return all;
  }
  fail("expected =, !=, <, <=, > or >=, found " + shown(rest));
}

DerivedLine TreeLines::feature() {
  same_indent(0);
  std::string_view rest = line().text.substr(8);
  const std::size_t equals = rest.find(" = ");
  if (equals == std::string_view::npos) expected("'feature NAME = EXPRESSION'");
  DerivedLine all{{line().number}, {std::string(rest.substr(0, equals)), {}}};
  const std::string& name = all.feature.name;
  if (name.empty() || !std::ranges::all_of(name, is_of_word) || (name[0] >= '0' && name[0] <= '9'))
    fail("the name " + shown(name) + " must be a word of a-z, 0-9, _ and .");
  rest.remove_prefix(equals + 3);
  all.feature.value = expression(rest);
  end(rest);
  next();
  return all;
}

Rule TreeLines::rule(std::string_view text) const {
  Rule all{{line().number}, "", {}};
  if (!takes(text, "\"")) expected("'rule', then \"REASON\": CONDITIONS");
  for (; !text.empty() && text.front() != '"'; text.remove_prefix(1)) {
    if (text.front() == '\\' && text.size() > 1) text.remove_prefix(1);
    all.reason += text.front();
  }
  if (!takes(text, "\"") || !takes(text, ":")) expected("'rule', then \"REASON\": CONDITIONS");
  do all.conditions.push_back(condition(text));
  while (takes(text, "and "));
  if (takes(text, ":")) all.value = number(text);
  end(text);
  return all;
}

std::vector<Tie> TreeLines::ties(std::string_view text) const {
  std::vector<Tie> all;
  do {
    Tie tie{{line().number}, expression(text)};
    if (takes(text, "down"))
      tie.up = false;
    else if (!takes(text, "up"))
      fail("expected 'up' or 'down', found " + shown(text));
    all.push_back(std::move(tie));
  } while (takes(text, ","));
  end(text);
  return all;
}

}  // namespace park::trees
