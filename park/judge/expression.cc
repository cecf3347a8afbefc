// Expressions become a file of trees in memory: a head's lines are a level whose score is the first
// one and whose ties are the others; a number is a formula. So they are evaluated by the features of
// trees (park/trees/features.h), which compile them for a spec. The process is a fork without exec:
// an expression is data, and what reads it is this program.
#include "park/judge/expression.h"

#include <unistd.h>

#include <algorithm>
#include <cstring>
#include <limits>
#include <map>
#include <optional>
#include <vector>

#include "park/core/error.h"
#include "park/judge/candidate.h"
#include "park/process/sanitizers.h"
#include "park/trees/tree_lines.h"

namespace park::judge {
namespace {

[[noreturn]] void refuse(const std::string& name, std::size_t line, const std::string& what) {
  throw Refused(name + ':' + std::to_string(line) + ": " + what);
}

std::string_view trimmed(std::string_view text) {
  const auto begin = text.find_first_not_of(" \t\r");
  if (begin == std::string_view::npos) return {};
  return text.substr(begin, text.find_last_not_of(" \t\r") + 1 - begin);
}

/// A line NAME = EXPRESSION or NAME[K] = EXPRESSION.
struct Line {
  std::size_t number = 0;
  std::string name{};
  std::optional<std::uint32_t> component{};
  trees::Expression value{};
};

/// Splits what stands before "=".
void read_name(std::string_view text, const std::string& file, Line& line) {
  const auto bracket = text.find('[');
  if (bracket != std::string_view::npos && text.ends_with(']')) {
    const std::string digits(text.substr(bracket + 1, text.size() - bracket - 2));
    constexpr std::size_t kMostDigits = 6;
    if (digits.empty() || digits.size() > kMostDigits ||
        digits.find_first_not_of("0123456789") != std::string::npos)
      refuse(file, line.number, "'[" + digits + "]' is no component; it is [0], [1] ...");
    line.component = static_cast<std::uint32_t>(std::stoul(digits));
    text = trimmed(text.substr(0, bracket));
  }
  if (text.empty() || !std::ranges::all_of(text, trees::is_of_word))
    refuse(file, line.number, "a line is NAME = EXPRESSION");
  line.name = text;
}

std::vector<Line> lines_of(std::string_view text, const std::string& file) {
  std::vector<Line> all;
  std::size_t number = 0;
  while (!text.empty()) {
    const auto end = text.find('\n');
    std::string_view one = text.substr(0, end);
    text = end == std::string_view::npos ? std::string_view{} : text.substr(end + 1);
    ++number;
    one = trimmed(one.substr(0, trees::comment_of(one)));
    if (one.empty()) continue;
    const auto equals = one.find('=');
    if (equals == std::string_view::npos) refuse(file, number, "a line is NAME = EXPRESSION");
    Line line{.number = number};
    read_name(trimmed(one.substr(0, equals)), file, line);
    try {
      line.value = trees::parse_expression(trimmed(one.substr(equals + 1)));
    } catch (const Error& error) {
      refuse(file, number, error.what());
    }
    all.push_back(std::move(line));
  }
  return all;
}

trees::Forest formula(const Line& line) {
  trees::Forest forest;
  forest.line = line.number;
  forest.inputs = {line.value};
  forest.asked = {line.number};
  return forest;
}

/// Adds a line of a head that compares its values.
void add_order(const Line& line, const Heads::Head& head, trees::HeadTrees& to) {
  if (to.levels.empty()) {
    trees::LevelTrees level;
    level.line = line.number;
    level.group = head.kind == HeadKind::index ? head.group : "values";
    level.forest = formula(line);
    to.levels.push_back(std::move(level));
    return;
  }
  trees::Tie tie;
  tie.line = line.number;
  tie.feature = line.value;
  tie.up = false;
  to.levels.front().ties.push_back(std::move(tie));
}

/// Adds a line of a head that is a number, or a component of one.
void add_number(const Line& line, const Heads::Head& head, const std::string& file,
                trees::HeadTrees& to) {
  const std::size_t width = head.kind == HeadKind::continuous ? head.width : 1;
  if (line.component.value_or(0) != to.values.size() || to.values.size() == width)
    refuse(file, line.number,
           "head '" + head.name + "' needs " + std::to_string(width) +
               (width == 1 ? " line" : " lines, [0] first, then [1] ..."));
  to.values.push_back(formula(line));
}

}  // namespace

trees::TreeFile parse_expressions(std::string_view text, const std::string& name,
                                  const Spec& spec) {
  const Heads heads(spec);
  std::map<std::string, trees::HeadTrees> found;
  trees::TreeFile file{.env = spec.name, .layout = layout_text(spec)};
  for (const Line& line : lines_of(text, name)) {
    std::size_t h = 0;
    while (h < heads.size() && heads[h].name != line.name) ++h;
    if (h == heads.size()) {
      if (line.component) refuse(name, line.number, "'" + line.name + "' is no head");
      trees::DerivedLine feature;
      feature.line = line.number;
      feature.feature = {line.name, line.value};
      file.features.push_back(std::move(feature));
      continue;
    }
    trees::HeadTrees& head = found[line.name];
    head.name = line.name;
    if (head.line == 0) head.line = line.number;
    if (heads[h].kind == HeadKind::index || heads[h].kind == HeadKind::categorical)
      add_order(line, heads[h], head);
    else
      add_number(line, heads[h], name, head);
  }
  for (auto& [key, head] : found) file.heads.push_back(std::move(head));
  return file;
}

ExpressionPlayer::ExpressionPlayer(std::string_view text, const std::string& name,
                                   const Contract& contract)
    : contract_(contract), rows_(contract.shown()), actions_(contract.shown().action) {
  try {
    policy_ = std::make_unique<trees::TreePolicy>(parse_expressions(text, name, contract.shown()),
                                                  name, contract.shown());
  } catch (const Error& error) {
    throw Refused(error.what());
  }
}

void ExpressionPlayer::answer(std::string_view questions, std::string& answers) {
  std::uint32_t rows = 0;
  std::memcpy(&rows, questions.data(), sizeof rows);
  questions.remove_prefix(sizeof rows);
  rows_.observation.clear();
  rows_.asked.resize(rows);
  for (std::uint32_t r = 0; r < rows; ++r) contract_.unpack(questions, rows_.observation);
  actions_.clear();
  actions_.resize(rows);
  policy_->act(rows_, actions_);
  answers.assign(reinterpret_cast<const char*>(&rows), sizeof rows);
  for (std::uint32_t r = 0; r < rows; ++r) {
    answers += '\0';
    contract_.pack_action(std::as_const(actions_).row(r), answers);
  }
}

namespace {

class ExpressionCandidate final : public Candidate {
 public:
  ExpressionCandidate(const CandidateFile& file, const Contract& contract)
      : file_(file), contract_(contract) {
    const ExpressionPlayer checked(file_.text, name(), contract_);
  }
  std::unique_ptr<Process> start(const Limits& limits) const override {
    const process::SyscallRules rules = confining_rules(-1);
    const auto become = [&] {
      ExpressionPlayer player(file_.text, name(), contract_);
      confine_here(rules, limits, !process::kReservesAddresses);
      serve(player);
    };
    return std::make_unique<Process>(become, -1, "", limits);
  }

 private:
  [[nodiscard]] std::string name() const { return file_.path; }
  [[noreturn]] static void serve(ExpressionPlayer& player) {
    constexpr auto kNever = Channel::Clock::time_point::max();
    constexpr std::size_t kMost = std::numeric_limits<std::uint32_t>::max();
    Channel channel(kSocket);
    std::string questions, answers;
    Frame kind = Frame::ready;
    bool good = channel.send(Frame::ready, "", kNever) == Channel::Outcome::done;
    while (good) {
      good = channel.receive(kind, questions, kMost, kNever) == Channel::Outcome::done;
      if (!good) break;
      player.answer(questions, answers);
      good = channel.send(Frame::answers, answers, kNever) == Channel::Outcome::done;
    }
    _exit(0);
  }

  CandidateFile file_;
  const Contract& contract_;
};

}  // namespace

std::unique_ptr<Candidate> prepare_expression(const CandidateFile& file, const Contract& contract) {
  return std::make_unique<ExpressionCandidate>(file, contract);
}

}  // namespace park::judge
