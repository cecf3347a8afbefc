// The order of a judgement: the candidate is prepared; hidden inputs are drawn; digests of the inputs are
// taken; the candidate plays; digests are compared; rivals play; scores, bounds and the verdict follow.
// Rivals come last, since networks start threads and a candidate's process is a fork.
#include "park/judge/judge.h"

#include <algorithm>
#include <cmath>

#include "park/bench/episode_result.h"
#include "park/core/error.h"
#include "park/core/text.h"
#include "park/judge/feedback.h"

namespace park::judge {
namespace {

/// A claim or a mean passes a bound by more than arithmetic does.
constexpr double kTolerance = 1e-6;
/// One side of an interval of 99.9 %.
constexpr double kSure = 0.9995;

/// The worth of an input, as judge.h says. `gain`: in units of the metric, more is better.
double worth(double gain, double scale) {
  const double x = gain / scale;
  return x >= 0 ? 1 + x : 1 / (1 - x);
}

/// What is one unit of x: how much better the best heuristic is than random.
double scale_of(const std::vector<Rival>& rivals, const Anchors& anchors) {
  const double gap = std::abs(rivals[anchors.random].mean - rivals[anchors.best].mean);
  if (std::isfinite(gap) && gap > 0) return gap;
  const double size = std::abs(rivals[anchors.best].mean);
  return size > 0 ? size : 1;
}

/// a - b in the direction in which more is better.
double gain(double a, double b, bool lower) { return lower ? b - a : a - b; }

void score_inputs(SetJudgement& set, const std::vector<Rival>& rivals, bool lower) {
  const Anchors anchors = anchors_of(rivals, lower);
  set.best = anchors.best;
  const double scale = scale_of(rivals, anchors);
  std::vector<double> finished;
  for (std::size_t i = 0; i < set.match.inputs.size(); ++i) {
    const InputResult& input = set.match.inputs[i];
    const bool good = input.failure.empty();
    const double reference = rivals[anchors.best].values[i];
    set.scores.push_back(good ? worth(gain(input.value, reference, lower), scale) : 0);
    if (good) finished.push_back(input.value);
  }
  set.score = bench::summarize(set.scores);
  set.value = bench::summarize(finished);
}

Difference difference_to(const Rival& rival, const MatchResult& match, bool lower) {
  Difference d{.rival = rival};
  std::vector<double> mine, theirs;
  for (std::size_t i = 0; i < match.inputs.size(); ++i) {
    const bool good = match.inputs[i].failure.empty();
    if (!good || gain(match.inputs[i].value, rival.values[i], lower) < 0) ++d.losses;
    if (!good) continue;
    mine.push_back(match.inputs[i].value);
    theirs.push_back(rival.values[i]);
  }
  d.difference = bench::summarize_difference(mine, theirs);
  return d;
}

/// How the candidate passes the bound, or "". A search may miss an optimum by a little on some
/// input, so that the mean decides, unless the candidate is ahead everywhere.
std::string above(const Difference& bound, const SetJudgement& set, const JudgePlan& plan,
                  const Metric& metric) {
  const bool lower = metric.lower_is_better;
  const double limit = bound.rival.mean, slack = kTolerance * std::max(1.0, std::abs(limit));
  const auto text = [&](const std::string& who, double value) {
    return who + number_text(value) + ' ' + metric.name + " is better than " + number_text(limit) +
           " of " + bound.rival.policy + ", which nothing can beat";
  };
  if (plan.claim && gain(*plan.claim, limit, lower) > slack) return text("the claim ", *plan.claim);
  const bench::Summary& d = bound.difference;
  const double ahead = lower ? -d.mean : d.mean;
  if (d.count == 0 || !(ahead > slack)) return "";
  const double n = static_cast<double>(d.count);
  const bool sure = bound.losses == 0 || d.count == 1 || d.sd == 0 ||
                    ahead > bench::student_quantile(kSure, n - 1) * d.sd / std::sqrt(n);
  return sure ? text("a mean of ", set.value.mean) : "";
}

/// "3 of 20 hidden".
std::string failed_text(const SetJudgement& set) {
  return std::to_string(set.match.failed()) + " of " + std::to_string(set.scores.size()) + ' ' +
         to_text(set.set);
}

class Judge {
 public:
  Judge(const Registry& registry, const JudgePlan& plan)
      : registry_(registry), plan_(plan), env_(registry.env(plan.env)), spec_(env_.spec()) {
    if (!env_.simulated())
      throw Error(Errc::unavailable, env_.name() + " is not simulated here, so nothing repeats it");
  }

  Judgement judge() {
    check_confinement();
    result_.env = env_.text();
    result_.metric = bench::result_metrics(spec_).front();
    const Contract contract(spec_);
    std::unique_ptr<Candidate> candidate;
    try {
      candidate = prepare(plan_.candidate, contract, plan_.tools);
    } catch (const Refused& refused) {
      result_.why = refused.what();
    }
    add_set(plan_.set == Set::train ? Set::train : Set::validation, plan_.seed);
    if (plan_.set == Set::hidden)
      add_set(Set::hidden, plan_.hidden_seed ? *plan_.hidden_seed : fresh_seed());
    for (std::size_t s = 0; s < result_.sets.size(); ++s) play(s, candidate.get(), contract);
    std::vector<Rival> rivals = rivals_with_bound();
    for (std::size_t s = 0; s < result_.sets.size(); ++s) compare(s, rivals);
    conclude();
    result_.feedback = feedback_of(result_);
    return std::move(result_);
  }

 private:
  [[nodiscard]] std::vector<Rival> rivals_with_bound() const {
    std::vector<Rival> all = plan_.rivals.empty() ? rivals_of(registry_, env_) : plan_.rivals;
    std::string bound = plan_.bound;
    if (!bound.empty())
      std::erase_if(all, [&](const Rival& r) { return r.policy == bound; });
    else if (std::ranges::find(all, Rival::Role::bound, &Rival::role) == all.end())
      bound = bound_of(registry_, env_);
    if (!bound.empty()) all.push_back({.policy = bound, .role = Rival::Role::bound});
    return all;
  }

  void add_set(Set set, std::uint64_t seed) {
    result_.sets.push_back({.set = set, .seed = seed});
    episodes_.push_back(draw_inputs(set, seed, plan_.inputs));
  }

  void play(std::size_t s, const Candidate* candidate, const Contract& contract) {
    SetJudgement& set = result_.sets[s];
    set.digest = digest_of(env_, episodes_[s]);
    if (candidate == nullptr) {
      set.match.refused = result_.why;
      set.match.inputs.assign(episodes_[s].size(), {.failure = result_.why});
      return;
    }
    const MatchPlan plan{
        .metric = 0, .limits = plan_.limits, .secret = fresh_seed(), .stop = plan_.stop};
    set.match = play_match(*candidate, contract, env_, episodes_[s], plan);
    if (digest_of(env_, episodes_[s]) != set.digest)
      throw Error(Errc::bad_file, std::string(to_text(set.set)) +
                                      " inputs: they changed while the candidate played");
  }

  /// Plays the rivals and adds what follows from them.
  void compare(std::size_t s, std::vector<Rival>& rivals) {
    SetJudgement& set = result_.sets[s];
    for (std::size_t r = 0; r < rivals.size();) {
      if (plan_.stop && plan_.stop()) throw Stopped{};
      try {
        play_rival(registry_, env_, episodes_[s], 0, rivals[r]);
        ++r;
      } catch (const Error& error) {
        if (rivals[r].role != Rival::Role::learned) throw;
        result_.left_out.push_back(rivals[r].policy + ": " + error.what());
        rivals.erase(rivals.begin() + static_cast<std::ptrdiff_t>(r));
      }
    }
    const bool lower = result_.metric.lower_is_better;
    score_inputs(set, rivals, lower);
    for (const Rival& rival : rivals) {
      set.differences.push_back(difference_to(rival, set.match, lower));
      if (rival.role == Rival::Role::bound)
        set.above = above(set.differences.back(), set, plan_, result_.metric);
    }
  }

  void conclude() {
    const SetJudgement& counts = result_.sets.back();
    std::string failed;
    const auto say = [&](Verdict verdict, const std::string& why) {
      if (result_.verdict == Verdict::valid && !why.empty()) {
        result_.verdict = verdict;
        result_.why = why;
      }
    };
    for (const SetJudgement& set : result_.sets) {
      say(Verdict::refused, set.match.refused);
      say(Verdict::inconsistent, set.match.inconsistent);
      say(Verdict::above_bound, set.above);
      if (set.match.failed() > 0) failed += (failed.empty() ? "" : " and ") + failed_text(set);
    }
    if (!failed.empty())
      say(Verdict::failed_inputs, failed + " inputs are failed and count as the worst");
    const bool counted =
        result_.verdict == Verdict::valid || result_.verdict == Verdict::failed_inputs;
    result_.score = counted ? counts.score.mean : 0;
    result_.interval = counted ? counts.score.ci95 : bench::Interval{.low = 0, .high = 0};
    result_.interval.low = std::max(result_.interval.low, 0.0);
  }

  const Registry& registry_;
  const JudgePlan& plan_;
  EnvOfText env_;
  Spec spec_;
  std::vector<std::vector<Episode>> episodes_;
  Judgement result_;
};

}  // namespace

const char* to_text(Verdict verdict) noexcept {
  switch (verdict) {
    case Verdict::valid:
      return "valid";
    case Verdict::failed_inputs:
      return "failed_inputs";
    case Verdict::refused:
      return "refused";
    case Verdict::inconsistent:
      return "inconsistent";
    default:
      return "above_bound";
  }
}

Judgement judge(const Registry& registry, const JudgePlan& plan) {
  return Judge(registry, plan).judge();
}

}  // namespace park::judge
