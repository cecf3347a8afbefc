// Reading a golden trajectory and running it again. Lines goes over the text, one keyword line with
// its indented details at a time. Replay makes the environment that the text names and resets it to
// the episode. For every decision it compares the row, sends the recorded action and compares the
// outcome. Differences are collected, at most ten. `park replay` and the tests of golden
// trajectories call it.
#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstring>
#include <istream>
#include <map>
#include <optional>
#include <system_error>
#include <utility>

#include "park/core/action_space.h"
#include "park/core/error.h"
#include "park/core/golden.h"
#include "park/core/golden_text.h"
#include "park/core/text.h"
#include "park/core/with_type.h"

namespace park {
namespace {

using golden_detail::Entry;

constexpr std::size_t kReported = 10;

std::vector<std::string_view> words(std::string_view text) {
  std::vector<std::string_view> all;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find(' '), text.size());
    if (end > 0) all.push_back(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return all;
}

template <class T>
std::optional<T> parse_number(std::string_view text) {
  T v{};
  const char* const end = text.data() + text.size();
  const auto [at, code] = std::from_chars(text.data(), end, v);
  return code == std::errc{} && at == end ? std::optional(v) : std::nullopt;
}

/// Both texts have 6 significant digits: they may differ by one unit of the last, since rounding
/// differs where two machines differ in a late bit. Below 1e-12 everything is zero.
bool same_number(std::string_view a, std::string_view b) {
  if (a == b) return true;
  const std::size_t name = a.find('=') + 1;  // 0 where there is none
  if (a.substr(0, name) != b.substr(0, name)) return false;
  const auto x = parse_number<double>(a.substr(name)), y = parse_number<double>(b.substr(name));
  if (!x || !y) return false;
  return std::abs(*x - *y) <= std::max(1.0001e-5 * std::max(std::abs(*x), std::abs(*y)), 1e-12);
}

bool same_values(std::string_view a, std::string_view b, bool exact) {
  if (a == b) return true;
  if (exact) return false;
  const auto x = words(a), y = words(b);
  return std::ranges::equal(x, y, same_number);
}

/// Lines of the text: a keyword with its rest, then indented details.
class Lines {
 public:
  struct Detail {
    std::string name, values;
    std::size_t line = 0;
  };

  explicit Lines(std::istream& in) : in_(in) { advance(); }

  [[nodiscard]] std::size_t number() const noexcept { return taken_; }
  [[nodiscard]] bool at(std::string_view keyword) const noexcept {
    return more_ && text_.starts_with(keyword) &&
           (text_.size() == keyword.size() || text_[keyword.size()] == ' ');
  }
  /// Takes a line with the keyword and returns its rest.
  std::string take(std::string_view keyword) {
    if (!at(keyword)) fail(next_, "expected '" + std::string(keyword) + "'");
    std::string rest = text_.substr(std::min(keyword.size() + 1, text_.size()));
    advance();
    return rest;
  }
  std::vector<Detail> details() {
    std::vector<Detail> all;
    while (more_ && text_.starts_with("  ")) {
      const std::size_t end = std::min(text_.find(' ', 2), text_.size());
      all.push_back(
          {text_.substr(2, end - 2), text_.substr(std::min(end + 1, text_.size())), next_});
      advance();
    }
    return all;
  }
  void finish() const {
    if (more_) fail(next_, "expected nothing after 'end'");
  }
  [[noreturn]] static void fail(std::size_t line, const std::string& what) {
    throw Error(Errc::bad_file, "record, line " + std::to_string(line) + ": " + what);
  }

 private:
  void advance() {
    taken_ = next_++;
    more_ = static_cast<bool>(std::getline(in_, text_));
    if (!more_) text_.clear();
  }

  std::istream& in_;
  std::string text_;
  std::size_t next_ = 0, taken_ = 0;
  bool more_ = false;
};

template <class T>
T number_of(const Lines& lines, std::string_view text) {
  const auto v = parse_number<T>(text);
  if (!v) Lines::fail(lines.number(), "'" + std::string(text) + "' is not a number");
  return *v;
}

Episode read_episode(Lines& lines) {
  const std::string text = lines.take("episode");
  Episode e;
  const auto field = [&](std::string_view word, std::string_view name, auto& out) {
    if (!word.starts_with(name) || word.size() <= name.size() || word[name.size()] != '=')
      Lines::fail(lines.number(), "expected '" + std::string(name) + "='");
    out = number_of<std::remove_reference_t<decltype(out)>>(lines, word.substr(name.size() + 1));
  };
  const auto parts = words(text);
  if (parts.size() != 4) Lines::fail(lines.number(), "expected id, inputs, dynamics, horizon_s");
  field(parts[0], "id", e.id);
  field(parts[1], "inputs", e.inputs);
  field(parts[2], "dynamics", e.dynamics);
  field(parts[3], "horizon_s", e.horizon_s);
  return e;
}

template <Element T>
void read_values(const Lines::Detail& d, std::span<T> out) {
  const auto parts = words(d.values);
  if (parts.size() != out.size())
    Lines::fail(d.line, d.name + " has " + std::to_string(parts.size()) + " values instead of " +
                            std::to_string(out.size()));
  for (std::size_t i = 0; i < out.size(); ++i) {
    const auto v = parse_number<T>(parts[i]);
    if (!v) Lines::fail(d.line, d.name + ": '" + std::string(parts[i]) + "' is not a value");
    out[i] = *v;
  }
}

void read_leaf(const Lines::Detail& d, Batch& actions) {
  const Leaf* const leaf = actions.record().find(d.name);
  if (leaf == nullptr) Lines::fail(d.line, "the action has no '" + d.name + "'");
  const Row row = actions.row(0);
  const auto typed = [&]<Element T>(T) { read_values(d, row[actions.field<T>(d.name)]); };
  with_type(leaf->dtype, typed);
}

/// One replay: reads the golden trajectory and runs the environment side by side.
class Replay {
 public:
  Replay(std::istream& in, const Registry& registry) : lines_(in) {
    const auto format = number_of<int>(lines_, lines_.take("park-record"));
    if (format < 1 || format > kGoldenVersion)
      Lines::fail(1, "park-record " + std::to_string(format) +
                         " is newer than this program reads (" + std::to_string(kGoldenVersion) +
                         ")");
    report_.env = lines_.take("env");
    const EnvOfText env = registry.env(report_.env);
    compare("env", report_.env, env.text());
    spec_ = env.spec();
    compare("version", lines_.take("version"), std::to_string(spec_.version));
    compare("layout", lines_.take("layout"), layout_text(spec_));
    env_ = env.factory()();
    episode_ = read_episode(lines_);
  }

  ReplayReport run() {
    if (report_.differences.empty()) play();  // decisions of another layout mean nothing
    return std::move(report_);
  }

 private:
  void play() {
    Batch observation(spec_.observation), actions(spec_.action);
    const ActionSpace space(spec_);
    const auto observed = [&] { return std::as_const(observation).row(0); };
    Outcome o;
    env_->reset(episode_, observation.append());
    while (o.end == End::none && !lines_.at("stopped")) {
      const std::string number = lines_.take("row");
      compare_row("row " + number, observed());
      read_action(actions);
      if (!space.legal(observed(), std::as_const(actions).row(0))) {
        compare("decision " + number, "legal", "not legal");
        return;
      }
      observation.clear();
      o = env_->step(std::as_const(actions).row(0), observation.append());
      ++report_.decisions;
      const std::string expected = lines_.take("outcome");
      compare("decision " + number + " outcome", expected, golden_detail::outcome_text(o), false);
      const bool ends_alike = lines_.at("final") == (o.end != End::none);
      if (!ends_alike && !report_.same()) return;
    }
    if (o.end != End::none) finish(observed());
    if (lines_.at("stopped")) lines_.take("stopped");
    lines_.take("end");
    lines_.finish();
  }

  void read_action(Batch& actions) {
    lines_.take("act");
    const std::size_t line = lines_.number();
    actions.clear();
    actions.resize(1);
    const auto details = lines_.details();
    for (const Lines::Detail& d : details) read_leaf(d, actions);
    if (details.size() != spec_.action.leaves.size())
      Lines::fail(line,
                  "the action needs " + std::to_string(spec_.action.leaves.size()) + " lines");
  }

  void finish(ConstRow final_observation) {
    lines_.take("final");
    compare_row("final", final_observation);
    std::vector<double> metrics(spec_.metrics.size());
    env_->metrics(metrics);
    std::vector<Entry> found;
    for (std::size_t i = 0; i < metrics.size(); ++i)
      found.push_back({spec_.metrics[i].name, golden_detail::short_number(metrics[i]), false});
    lines_.take("metrics");
    expected_.clear();
    compare_entries("metric", found);
  }

  void compare_row(const std::string& where, ConstRow row) {
    compare_entries(where, golden_detail::entries(row));
  }

  /// The details update what is expected; all of it is compared with what was found.
  void compare_entries(const std::string& where, const std::vector<Entry>& found) {
    const std::size_t line = lines_.number();
    for (Lines::Detail& d : lines_.details()) expected_[d.name] = {d.values, d.line};
    for (const Entry& e : found) {
      const auto at = expected_.find(e.name);
      // What is told beside the layout may have come later than the record.
      if (at == expected_.end() && e.name.starts_with("info.")) continue;
      if (at == expected_.end())
        add({line, where + " " + e.name, "nothing", e.values});
      else if (!same_values(at->second.values, e.values, e.exact))
        add({at->second.line, where + " " + e.name, at->second.values, e.values});
    }
    if (expected_.size() > found.size())
      add({line, where, std::to_string(found.size()) + " entries",
           std::to_string(expected_.size())});
  }

  void compare(const std::string& field, const std::string& expected, const std::string& found,
               bool exact = true) {
    if (!same_values(expected, found, exact)) add({lines_.number(), field, expected, found});
  }

  void add(Difference d) {
    if (report_.differences.size() < kReported) report_.differences.push_back(std::move(d));
  }

  struct Expected {
    std::string values;
    std::size_t line = 0;
  };

  Lines lines_;
  ReplayReport report_;
  Spec spec_;
  std::unique_ptr<Env> env_;
  Episode episode_;
  std::map<std::string, Expected, std::less<>> expected_;
};

}  // namespace

ReplayReport replay(std::istream& in, const Registry& registry) {
  return Replay(in, registry).run();
}

}  // namespace park
