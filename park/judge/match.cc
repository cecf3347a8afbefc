// Slots step environments side by side. Each round packs the rows of all slots and one of them again,
// asks the candidate, compares the two answers to the same row, and steps. The time that is waited is
// the candidate's; a match whose simulation takes much longer than that may is ended as well.
#include "park/judge/match.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <deque>
#include <memory>
#include <optional>

#include "park/bench/episode_result.h"
#include "park/core/text.h"

namespace park::judge {
namespace {

constexpr std::size_t kSideBySide = 32;
constexpr double kSimulationShare = 4;  // times the candidate's limit that a match may take

/// An environment that plays one input after the other.
struct Slot {
  Slot(const Spec& spec, std::unique_ptr<Env> simulated)
      : env(std::move(simulated)), row(spec.observation), action(spec.action) {}
  std::unique_ptr<Env> env;
  Batch row, action;
  std::size_t input = 0;
  double reward = 0;
  bool active = false;
};

class Match {
 public:
  Match(const Candidate& candidate, const Contract& contract, const EnvOfText& env,
        const std::vector<Episode>& episodes, const MatchPlan& plan)
      : candidate_(candidate),
        contract_(contract),
        episodes_(episodes),
        plan_(plan),
        spec_(env.spec()),
        secret_(plan.secret),
        metrics_(spec_.metrics.size()) {
    result_.inputs.resize(episodes.size());
    for (InputResult& input : result_.inputs) input.failure = kNotPlayed;
    const EnvMaker make = env.factory();
    for (std::size_t s = 0; s < std::min(kSideBySide, episodes.size()); ++s)
      slots_.emplace_back(spec_, make());
  }

  MatchResult play() {
    process_ = candidate_.start(plan_.limits);
    result_.refused = process_->refused();
    if (!result_.refused.empty()) {
      fail_open(result_.refused);
      return std::move(result_);
    }
    for (Slot& slot : slots_) begin_next(slot);
    while (round()) {
    }
    process_.reset();
    return std::move(result_);
  }

  /// The answers to the first input, as a hash.
  [[nodiscard]] std::uint64_t trail() const noexcept { return trail_; }

 private:
  static constexpr const char* kNotPlayed = "not played";

  void begin_next(Slot& slot) {
    slot.active = next_ < episodes_.size();
    if (!slot.active) return;
    slot.input = next_++;
    slot.reward = 0;
    slot.row.clear();
    slot.env->reset(episodes_[slot.input], slot.row.append());
  }

  void fail(Slot& slot, const std::string& why) {
    result_.inputs[slot.input].failure = why;
    begin_next(slot);
  }
  /// Ends the match: what is not finished is failed.
  void fail_open(const std::string& why) {
    for (Slot& slot : slots_) {
      if (slot.active) result_.inputs[slot.input].failure = why;
      slot.active = false;
    }
    for (; next_ < episodes_.size(); ++next_) result_.inputs[next_].failure = why;
    if (!result_.refused.empty())
      for (InputResult& input : result_.inputs) input.failure = why;
  }

  /// False: nothing is left to play.
  bool round() {
    if (plan_.stop && plan_.stop()) throw Stopped{};
    pack();
    if (asked_.empty()) return false;
    if (const std::string why = ask(); !why.empty()) {
      fail_open(why);
      return false;
    }
    if (differs()) {
      result_.inconsistent = "it answered differently twice to the same row";
      for (InputResult& input : result_.inputs) input.failure = result_.inconsistent;
      return false;
    }
    bool told = false;  // the text behind the answers is of the first failure
    for (std::size_t q = 0; q < asked_.size(); ++q)
      if (q != twin_) take(*asked_[q], answer(q), told);
    return true;
  }

  /// The questions: every active slot, one of them twice.
  void pack() {
    asked_.clear();
    for (Slot& slot : slots_)
      if (slot.active) asked_.push_back(&slot);
    if (asked_.empty()) return;
    Slot* const again = asked_[secret_.below(asked_.size())];
    twin_ = secret_.below(asked_.size() + 1);
    asked_.insert(asked_.begin() + static_cast<std::ptrdiff_t>(twin_), again);
    const auto rows = static_cast<std::uint32_t>(asked_.size());
    questions_.assign(reinterpret_cast<const char*>(&rows), sizeof rows);
    for (const Slot* slot : asked_) contract_.pack(std::as_const(slot->row).row(0), questions_);
  }

  /// Asks; why the match is over, or "".
  std::string ask() {
    using Clock = Channel::Clock;
    const double left = plan_.limits.time_s - result_.answer_s;
    const double wait = std::min(left, plan_.limits.answer_s);
    const auto begin = Clock::now();
    const auto outcome = process_->ask(
        questions_, contract_.most_bytes(asked_.size()), answers_,
        begin + std::chrono::duration_cast<Clock::duration>(std::chrono::duration<double>(wait)));
    const std::chrono::duration<double> waited = Clock::now() - begin, all = Clock::now() - begin_;
    result_.answer_s += waited.count();
    result_.decisions += asked_.size();
    switch (outcome) {
      case Process::Outcome::late:
        return wait < left ? "it gave no answer within " + number_text(wait) + " s"
                           : "its " + number_text(plan_.limits.time_s) + " s are used up";
      case Process::Outcome::closed:
        return "its process " + process_->end();
      case Process::Outcome::wrong:
        return "it speaks for itself";
      default:
        break;
    }
    std::uint32_t rows = 0;
    if (answers_.size() >= sizeof rows) std::memcpy(&rows, answers_.data(), sizeof rows);
    if (rows != asked_.size() || answers_.size() < sizeof rows + rows * contract_.answer_bytes())
      return "it speaks for itself";
    if (all.count() > kSimulationShare * plan_.limits.time_s)
      return "the inputs do not end with it";
    return "";
  }

  [[nodiscard]] std::string_view answer(std::size_t question) const {
    const std::size_t n = contract_.answer_bytes();
    return std::string_view(answers_).substr(sizeof(std::uint32_t) + question * n, n);
  }
  [[nodiscard]] bool differs() const {
    for (std::size_t q = 0; q < asked_.size(); ++q)
      if (q != twin_ && asked_[q] == asked_[twin_]) return answer(q) != answer(twin_);
    return false;
  }
  /// What the candidate says of its first failure.
  [[nodiscard]] std::string complaint() const {
    const std::size_t at = sizeof(std::uint32_t) + asked_.size() * contract_.answer_bytes();
    return printable(answers_.substr(std::min(at, answers_.size())));
  }

  void take(Slot& slot, std::string_view answer, bool& told) {
    InputResult& input = result_.inputs[slot.input];
    if (answer.front() != '\0') {
      const std::string text = told ? "" : complaint();
      told = true;
      return fail(slot, "it raised an exception" + (text.empty() ? "" : ": " + text));
    }
    slot.action.clear();
    slot.action.resize(1);
    contract_.unpack_action(answer.substr(1), slot.action.row(0));
    const ConstRow action = std::as_const(slot.action).row(0);
    if (const std::string why = contract_.illegal(std::as_const(slot.row).row(0), action);
        !why.empty())
      return fail(slot, why);
    if (slot.input == 0) trail_ = hash_text(answer, trail_);
    ++input.decisions;
    slot.row.clear();
    const Outcome outcome = slot.env->step(action, slot.row.append());
    slot.reward += outcome.reward;
    if (outcome.end == End::none) return;
    slot.env->metrics(metrics_);
    input.value = plan_.metric < metrics_.size() ? metrics_[plan_.metric] : slot.reward;
    if (!std::isfinite(input.value)) return fail(slot, "the metric is not defined");
    input.failure.clear();
    begin_next(slot);
  }

  const Candidate& candidate_;
  const Contract& contract_;
  const std::vector<Episode>& episodes_;
  const MatchPlan& plan_;
  Spec spec_;
  Rng secret_;
  std::vector<double> metrics_;
  std::deque<Slot> slots_;
  std::size_t next_ = 0, twin_ = 0;
  std::unique_ptr<Process> process_;
  std::vector<Slot*> asked_;
  std::string questions_, answers_;
  std::uint64_t trail_ = 0;
  Channel::Clock::time_point begin_ = Channel::Clock::now();
  MatchResult result_;
};

}  // namespace

std::size_t MatchResult::failed() const noexcept {
  return static_cast<std::size_t>(
      std::ranges::count_if(inputs, [](const InputResult& i) { return !i.failure.empty(); }));
}

MatchResult play_match(const Candidate& candidate, const Contract& contract, const EnvOfText& env,
                       const std::vector<Episode>& episodes, const MatchPlan& plan) {
  Match all(candidate, contract, env, episodes, plan);
  MatchResult result = all.play();
  if (episodes.empty() || !result.inputs.front().failure.empty()) return result;
  const std::vector<Episode> first(episodes.begin(), episodes.begin() + 1);
  Match again(candidate, contract, env, first, plan);
  const MatchResult second = again.play();
  if (second.failed() == 0 && again.trail() == all.trail()) return result;
  result.inconsistent = second.failed() == 0 ? "it played the same input differently twice"
                                             : second.inputs.front().failure;
  for (InputResult& input : result.inputs) input.failure = result.inconsistent;
  return result;
}

}  // namespace park::judge
