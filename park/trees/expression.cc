// Expressions of features: a parser by recursive descent, a level of precedence per function, and
// the printer. Files of trees and the lists of environments are read here; features.cc compiles
// what comes out.
#include "park/trees/expression.h"

#include <charconv>
#include <cmath>

#include "park/core/error.h"
#include "park/core/text.h"

namespace park::trees {
namespace {

constexpr int kMostDepth = 32;

class Parser {
 public:
  explicit Parser(std::string_view text) : rest_(text) {}

  Expression sum() {
    if (++depth_ > kMostDepth) throw Error(Errc::syntax, "an expression is nested too deeply");
    Expression all = product();
    for (;;) {
      const bool plus = takes('+');
      if (!plus && !takes('-')) break;
      all = join(plus ? Expression::Kind::sum : Expression::Kind::difference, std::move(all),
                 product());
    }
    --depth_;
    return all;
  }
  [[nodiscard]] std::string_view rest() const { return rest_; }

 private:
  static Expression join(Expression::Kind kind, Expression left, Expression right) {
    Expression all{.kind = kind};
    all.args.push_back(std::move(left));
    all.args.push_back(std::move(right));
    return all;
  }

  void skip_spaces() {
    while (!rest_.empty() && rest_.front() == ' ') rest_.remove_prefix(1);
  }
  bool takes(char c) {
    const std::string_view before = rest_;
    skip_spaces();
    if (!rest_.empty() && rest_.front() == c) {
      rest_.remove_prefix(1);
      return true;
    }
    rest_ = before;
    return false;
  }
  void expect(char c) {
    if (!takes(c)) fail(std::string("'") + c + "'");
  }
  [[noreturn]] void fail(const std::string& expected) {
    skip_spaces();
    const std::string found =
        rest_.empty() ? "the end" : "'" + std::string(rest_.substr(0, 12)) + "'";
    throw Error(Errc::syntax, "expected " + expected + ", found " + printable(found));
  }

  Expression product() {
    Expression all = factor();
    for (;;) {
      const bool times = takes('*');
      if (!times && !takes('/')) return all;
      all = join(times ? Expression::Kind::product : Expression::Kind::quotient, std::move(all),
                 factor());
    }
  }

  Expression factor() {
    if (takes('(')) {
      Expression inner = sum();
      expect(')');
      return inner;
    }
    if (takes('-')) {
      if (++depth_ > kMostDepth) throw Error(Errc::syntax, "an expression is nested too deeply");
      Expression all{.kind = Expression::Kind::negative};
      all.args.push_back(factor());
      --depth_;
      return all;
    }
    skip_spaces();
    if (!rest_.empty() && rest_.front() >= '0' && rest_.front() <= '9') return number();
    return name_or_call();
  }

  Expression number() {
    Expression all;
    const auto [end, error] = std::from_chars(rest_.begin(), rest_.end(), all.number);
    if (error != std::errc() || !std::isfinite(all.number)) fail("a finite number");
    rest_.remove_prefix(static_cast<std::size_t>(end - rest_.begin()));
    return all;
  }

  std::string word() {
    std::size_t n = 0;
    while (n < rest_.size() && is_of_word(rest_[n])) ++n;
    std::string all(rest_.substr(0, n));
    rest_.remove_prefix(n);
    return all;
  }

  Expression name_or_call() {
    Expression all{.kind = Expression::Kind::name};
    all.name = word();
    if (all.name.empty() && (rest_.empty() || rest_.front() != '#')) fail("a leaf or a number");
    if (!rest_.empty() && rest_.front() == '(') return call(all.name);
    if (!all.name.empty() && !rest_.empty() && rest_.front() == '[') {
      rest_.remove_prefix(1);
      std::uint32_t entry = 0;
      const auto [end, error] = std::from_chars(rest_.begin(), rest_.end(), entry);
      if (error != std::errc()) fail("the number of an entry");
      rest_.remove_prefix(static_cast<std::size_t>(end - rest_.begin()));
      if (rest_.empty() || rest_.front() != ']') fail("']'");
      rest_.remove_prefix(1);
      all.entry = entry;
    }
    while (!rest_.empty() && rest_.front() == '#') {
      rest_.remove_prefix(1);
      all.suffixes.push_back(word());
      if (all.suffixes.back().empty()) fail("a word behind '#'");
    }
    return all;
  }

  Expression call(const std::string& function) {
    const bool log = function == "log";
    if (!log && function != "min" && function != "max")
      throw Error(Errc::syntax, "no function '" + function + "'; it is min, max or log");
    Expression all{.kind = log                 ? Expression::Kind::log
                           : function == "min" ? Expression::Kind::min
                                               : Expression::Kind::max};
    expect('(');
    all.args.push_back(sum());
    while (!log && takes(',')) all.args.push_back(sum());
    expect(')');
    return all;
  }

  std::string_view rest_;
  int depth_ = 0;
};

std::string name_text(const Expression& e) {
  std::string all = e.name;
  if (e.entry) all += '[' + std::to_string(*e.entry) + ']';
  for (const std::string& suffix : e.suffixes) all += '#' + suffix;
  return all;
}

/// Sums bind least, names most.
int precedence(const Expression& e) {
  using Kind = Expression::Kind;
  if (e.kind == Kind::sum || e.kind == Kind::difference) return 0;
  if (e.kind == Kind::product || e.kind == Kind::quotient) return 1;
  return e.kind == Kind::negative ? 2 : 3;
}

std::string text_within(const Expression& e, int least) {
  return precedence(e) >= least ? to_text(e) : '(' + to_text(e) + ')';
}

std::string call_text(const char* function, const Expression& e) {
  std::string all = std::string(function) + '(';
  for (std::size_t i = 0; i < e.args.size(); ++i) all += (i == 0 ? "" : ", ") + to_text(e.args[i]);
  return all + ')';
}

}  // namespace

bool is_of_word(char c) noexcept {
  return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '_' || c == '.';
}

Expression take_expression(std::string_view& text) {
  Parser parser(text);
  Expression all = parser.sum();
  text = parser.rest();
  return all;
}

Expression parse_expression(std::string_view text) {
  Expression all = take_expression(text);
  while (!text.empty() && text.front() == ' ') text.remove_prefix(1);
  if (!text.empty())
    throw Error(Errc::syntax,
                "expected an operator, found '" + printable(text.substr(0, 12)) + "'");
  return all;
}

std::string to_text(const Expression& e) {
  using Kind = Expression::Kind;
  const auto infix = [&](const char* sign, int least) {
    return text_within(e.args[0], least) + sign + text_within(e.args[1], least + 1);
  };
  switch (e.kind) {
    case Kind::number:
      return number_text(e.number);
    case Kind::name:
      return name_text(e);
    case Kind::sum:
      return infix(" + ", 0);
    case Kind::difference:
      return infix(" - ", 0);
    case Kind::product:
      return infix(" * ", 1);
    case Kind::quotient:
      return infix(" / ", 1);
    case Kind::negative:
      return '-' + text_within(e.args[0], 2);
    case Kind::min:
      return call_text("min", e);
    case Kind::max:
      return call_text("max", e);
    case Kind::log:
      break;
  }
  return call_text("log", e);
}

}  // namespace park::trees
