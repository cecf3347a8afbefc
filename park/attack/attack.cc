// An attack, target by target. Attacker attacks one target of one policy: it plays the truth on
// practice dynamics, searches by an objective, tries what it found, and judges the best on fresh
// dynamics beside the null. attack() goes through targets until enough of them compete; threads
// share them out, each with players of its own.
#include "park/attack/attack.h"

#include <algorithm>
#include <atomic>
#include <cmath>
#include <exception>
#include <limits>
#include <memory>
#include <mutex>
#include <numeric>
#include <optional>
#include <thread>

#include "park/attack/search.h"
#include "park/core/episodes.h"
#include "park/core/error.h"

namespace park::attack {
namespace {

constexpr std::size_t kMoments = 64;       // that an objective looks at
constexpr std::uint64_t kQueries = 12;     // plays that a proxy learns from, beside the truth
constexpr std::uint64_t kChanges = 4;      // of structure, of each operator
constexpr std::uint64_t kMostMisses = 20;  // inputs that are looked at for each target

/// What was found for a target; without results it was excluded.
struct Judged {
  std::optional<TargetResult> attack, null;
};

/// One policy as a victim.
class Attacker {
 public:
  Attacker(const AttackPlan& plan, Player& player, Mode mode)
      : plan_(plan), player_(player), mode_(mode) {}

  Judged target(const Episode& inputs) {
    job_ = Rng(inputs.inputs).split("target").below(player_.declarations().jobs());
    inputs_ = inputs;
    rng_ = Rng(inputs.inputs).split("attack").split(plan_.seed);
    Moments moments(player_.spec(), job_);
    OwnRecord own;
    truth_ = practise(plays("practice", plan_.practice, {}), &moments, &own);
    if (moments.size() == 0) return {};
    decisions_ = moments.size();
    first_ = moments.thinned(1, player_.spec());
    const Misreport found = search(moments.thinned(kMoments, player_.spec()), own);
    return judge(found);
  }

 private:
  [[nodiscard]] std::size_t quantities() const {
    return player_.declarations().quantities(first_->at(0), job_);
  }

  /// Episodes of the target's inputs with dynamics of a purpose.
  [[nodiscard]] std::vector<Play> plays(const char* purpose, std::uint64_t count,
                                        const std::optional<Misreport>& declared) const {
    std::vector<Play> all;
    for (std::uint64_t i = 0; i < count; ++i) {
      Episode e = inputs_;
      e.dynamics = Rng(inputs_.dynamics).split(purpose).split(i).bits();
      all.push_back({e, declared});
    }
    return all;
  }

  /// Plays, and keeps the moments in which the target competes and what its user sees of them.
  std::vector<JobTimes> practise(const std::vector<Play>& plays, Moments* moments, OwnRecord* own) {
    Batch seen(player_.spec().observation);
    std::vector<float> row;
    return player_.play(plays, [&](std::size_t play, const Moment& now, ConstRow action) {
      if (!player_.competes(now, job_)) return;
      if (moments != nullptr) moments->add(now);
      if (mode_ != Mode::black) return;
      seen.clear();
      std::vector<Misreport> declared;
      if (plays[play].declared) declared.push_back(*plays[play].declared);
      player_.declarations().show(now, declared, seen.append());
      row.clear();
      player_.declarations().own({std::as_const(seen).row(0), now.sequence}, job_, row);
      own->add(row, player_.declarations().benefit(now, job_, action));
    });
  }

  [[nodiscard]] Misreport drawn(const char* purpose, std::uint64_t number) const {
    Rng rng = rng_.split(purpose).split(number);
    return random_misreport(job_, quantities(), plan_.epsilon, rng);
  }

  Misreport search(const Moments& moments, OwnRecord& own) {
    if (mode_ == Mode::random) return drawn("random", 0);
    std::unique_ptr<Objective> objective;
    if (mode_ == Mode::white) {
      objective = make_score_objective(player_, moments);
    } else {
      query(own);
      objective = make_proxy_objective(player_, moments, own, rng_.split("forest").bits());
    }
    const auto critical = player_.declarations().critical(first_->at(0), job_);
    std::vector<Misreport> found = candidates_of(*objective, job_, critical, plan_.epsilon);
    if (plan_.structure) add_changes(found);
    return best_of(found);
  }

  /// The user tries random declarations, so that the proxy sees what they do to its own job.
  void query(OwnRecord& own) {
    std::vector<Play> all;
    for (std::uint64_t q = 0; q < kQueries; ++q) {
      Misreport m = drawn("query", q);
      // Every other query scales all alike: what all factors have in common is what matters most.
      if (q % 2 == 0) std::ranges::fill(m.factors, m.factors.front());
      Play play{inputs_, std::move(m)};
      play.episode.dynamics = Rng(inputs_.dynamics).split("query").split(q).bits();
      all.push_back(std::move(play));
    }
    static_cast<void>(practise(all, nullptr, &own));
  }

  /// Changes of structure, alone and beside what was found first.
  void add_changes(std::vector<Misreport>& found) {
    const std::size_t operators = player_.declarations().operators().size();
    const std::vector<Misreport> bases{{.job = job_}, found.front()};
    for (std::size_t o = 0; o < operators; ++o)
      for (std::uint64_t k = 0; k < kChanges; ++k) {
        Rng rng = rng_.split("change").split(o).split(k);
        const auto change = player_.declarations().draw(first_->at(0), job_, o, rng);
        if (!change) break;
        for (Misreport m : bases) {
          m.change = change;
          found.push_back(std::move(m));
        }
      }
  }

  /// That which does best on practice dynamics: all of them on the first half, the better half of
  /// them on the others too. The truth where nothing gains.
  Misreport best_of(const std::vector<Misreport>& found) {
    std::vector<double> sums(found.size());
    std::vector<std::size_t> order(found.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    const std::uint64_t half = (plan_.practice + 1) / 2;
    std::uint64_t played = 0;
    for (const std::uint64_t until : {half, plan_.practice}) {
      std::vector<Play> all;
      for (const std::size_t i : order) {
        const std::vector<Play> of_one = plays("practice", until, found[i]);
        all.insert(all.end(), of_one.begin() + static_cast<std::ptrdiff_t>(played), of_one.end());
      }
      const std::vector<JobTimes> times = player_.play(all);
      for (std::size_t k = 0; k < times.size(); ++k) {
        const std::uint64_t n = until - played;
        sums[order[k / n]] += ratio(times[k], truth_[played + k % n]);
      }
      played = until;
      std::ranges::stable_sort(order, {}, [&](std::size_t i) { return sums[i]; });
      if (until == half) order.resize((order.size() + 1) / 2);
      if (played == plan_.practice) break;
    }
    const bool gains = sums[order.front()] < static_cast<double>(plan_.practice);
    return gains ? found[order.front()] : Misreport{.job = job_};
  }

  [[nodiscard]] double ratio(const JobTimes& with, const JobTimes& without) const {
    return of_target(with) / of_target(without);
  }
  [[nodiscard]] double of_target(const JobTimes& times) const {
    return job_ < times.size() ? times[job_] : std::numeric_limits<double>::quiet_NaN();
  }
  /// The mean time of the other jobs that ended in both.
  [[nodiscard]] double harm(const JobTimes& with, const JobTimes& without) const {
    double a = 0, b = 0;
    for (std::size_t j = 0; j < std::min(with.size(), without.size()); ++j) {
      if (j == job_ || std::isnan(with[j]) || std::isnan(without[j])) continue;
      a += with[j], b += without[j];
    }
    return b > 0 ? a / b - 1 : 0;
  }

  Judged judge(const Misreport& found) {
    const std::vector<JobTimes> without = player_.play(plays("fresh", plan_.fresh, {}));
    const TargetResult attack = compare(found, without);
    const TargetResult null = compare(drawn("null", 0), without);
    if (std::isnan(attack.ratio) || std::isnan(null.ratio)) return {};
    return {attack, null};
  }

  TargetResult compare(const Misreport& declared, const std::vector<JobTimes>& without) {
    TargetResult r{.episode = inputs_.id, .job = job_, .decisions = decisions_ / plan_.practice};
    if (declared.honest()) return r;
    const std::vector<JobTimes> with = player_.play(plays("fresh", plan_.fresh, declared));
    r.ratio = r.harm = 0;
    for (std::size_t k = 0; k < with.size(); ++k) {
      r.ratio += ratio(with[k], without[k]);
      r.harm += harm(with[k], without[k]);
    }
    r.ratio /= static_cast<double>(with.size());  // exactly 1 where nothing changes
    r.harm /= static_cast<double>(with.size());
    return r;
  }

  const AttackPlan& plan_;
  Player& player_;
  Mode mode_;
  Episode inputs_;
  std::uint64_t job_ = 0, decisions_ = 0;
  Rng rng_{};
  std::vector<JobTimes> truth_;
  std::optional<Moments> first_;  // the first one
};

/// Goes through inputs until enough targets of one policy are judged.
class Campaign {
 public:
  Campaign(const Registry& registry, const AttackPlan& plan, AttackWatcher& watcher)
      : registry_(registry), plan_(plan), watcher_(watcher) {}

  /// False: an end was asked for; what is judged is kept.
  bool run(Attacked& out) {
    players_.clear();
    const std::uint64_t threads = std::min<std::uint64_t>(plan_.threads, plan_.targets);
    for (std::uint64_t t = 0; t < threads; ++t)
      players_.push_back(std::make_unique<Player>(registry_, plan_.env, out.policy,
                                                  [this] { return stopped_ || watcher_.stop(); }));
    const RandomEpisodes inputs(phase_rng(plan_.seed, Phase::evaluate));
    std::uint64_t next = 0;
    while (out.attack.size() < plan_.targets && next < kMostMisses * plan_.targets) {
      std::vector<Judged> wave(plan_.targets - out.attack.size());
      const std::size_t done = judge(inputs, next, out, wave);
      next += wave.size();
      for (std::size_t i = 0; i < done; ++i) {
        if (!wave[i].attack) {
          ++out.excluded;
          continue;
        }
        out.attack.push_back(*wave[i].attack);
        out.null.push_back(*wave[i].null);
      }
      if (done < wave.size()) return false;
      if (out.attack.empty()) break;
    }
    return true;
  }

 private:
  /// Judges inputs first .. and returns how many of them are done without a gap.
  std::size_t judge(const EpisodeSource& inputs, std::uint64_t first, const Attacked& of,
                    std::vector<Judged>& wave) {
    std::atomic<std::size_t> next = 0;
    std::vector<std::uint8_t> done(wave.size());
    std::exception_ptr error;
    std::mutex mutex;
    const auto work = [&](Player& player) {
      try {
        Attacker attacker(plan_, player, of.mode);
        for (std::size_t i; (i = next++) < wave.size();) {
          wave[i] = attacker.target(*inputs.at(first + i));
          done[i] = 1;
          if (wave[i].attack) watcher_.on_target(of.policy);
        }
      } catch (const Stopped&) {
      } catch (...) {
        const std::scoped_lock lock(mutex);
        error = std::current_exception();
        stopped_ = true;
      }
    };
    std::vector<std::thread> others;
    for (std::size_t t = 1; t < players_.size(); ++t)
      others.emplace_back(work, std::ref(*players_[t]));
    work(*players_.front());
    for (std::thread& t : others) t.join();
    if (error) std::rethrow_exception(error);
    return static_cast<std::size_t>(std::ranges::find(done, 0) - done.begin());
  }

  const Registry& registry_;
  const AttackPlan& plan_;
  AttackWatcher& watcher_;
  std::vector<std::unique_ptr<Player>> players_;
  std::atomic<bool> stopped_ = false;
};

/// Whether the policy has scores of the first head, in the first row of an episode.
bool has_scores(const Registry& registry, const AttackPlan& plan, const std::string& policy) {
  const Spec spec = registry.spec(plan.env);
  const RandomEpisodes one(phase_rng(plan.seed, Phase::train), {.count = 1});
  const auto stream = registry.stream(plan.env, one);
  const Decisions& d = stream->recv();
  Batch actions(spec.action);
  actions.resize(d.asked.size());
  Candidates candidates;
  std::vector<float> scores;
  return Heads(spec)[0].kind != HeadKind::continuous &&
         registry.policy(policy, spec)->scores(d.observation, 0, actions, candidates, scores);
}

void check(const Registry& registry, const AttackPlan& plan) {
  if (!(plan.epsilon > 0 && plan.epsilon <= 1))
    throw Error(Errc::invalid_config, "epsilon: must be above 0 and at most 1");
  if (plan.targets == 0 || plan.practice == 0 || plan.fresh == 0)
    throw Error(Errc::invalid_config, "jobs, practice, fresh: must be at least 1");
  static_cast<void>(references_of(registry, plan.env));
  if (plan.mode == Mode::white && !has_scores(registry, plan, plan.policy))
    throw Error(Errc::invalid_config,
                "mode: white needs a policy that has scores; " + plan.policy + " has none");
}

AttackFigure mean_figure(const std::vector<double>& values) {
  const bench::Summary s = bench::summarize(values);
  return {s.mean, s.ci95};
}

}  // namespace

std::vector<std::string> references_of(const Registry& registry, const std::string& env) {
  return declarations_of(registry.spec(env), *registry.env_factory(env)())->references();
}

AttackFigure share_figure(std::uint64_t hits, std::uint64_t of) {
  constexpr double kQuantile = 1.959963984540054;
  const auto n = static_cast<double>(of);
  const double p = static_cast<double>(hits) / n, scale = 1 / (1 + kQuantile * kQuantile / n);
  const double centre = scale * (p + kQuantile * kQuantile / (2 * n));
  const double half =
      scale * kQuantile * std::sqrt(p * (1 - p) / n + kQuantile * kQuantile / (4 * n * n));
  return {p, {std::max(0.0, centre - half), std::min(1.0, centre + half)}};
}

AttackFigures figures_of(const std::vector<TargetResult>& targets) {
  if (targets.empty()) return {};
  std::vector<double> gains, ratios, harms;
  for (const TargetResult& t : targets) {
    ratios.push_back(t.ratio);
    harms.push_back(t.harm);
    if (t.ratio < 1) gains.push_back(1 - t.ratio);
  }
  return {share_figure(gains.size(), targets.size()), mean_figure(gains), mean_figure(ratios),
          mean_figure(harms)};
}

AttackOutcome attack(const Registry& registry, const AttackPlan& plan, AttackWatcher& watcher) {
  check(registry, plan);
  AttackOutcome out;
  std::vector<std::string> all{plan.policy};
  all.insert(all.end(), plan.beside.begin(), plan.beside.end());
  Campaign campaign(registry, plan, watcher);
  for (const std::string& policy : all) {
    const bool blind =
        plan.mode == Mode::white && policy != plan.policy && !has_scores(registry, plan, policy);
    out.policies.push_back({.policy = policy, .mode = blind ? Mode::black : plan.mode});
    if (!campaign.run(out.policies.back())) return out;
    if (out.policies.back().attack.empty() && policy == plan.policy)
      throw Error(Errc::invalid_config,
                  "env: no job of " + std::to_string(out.policies.back().excluded) +
                      " competes with others in a decision, so there is no target");
  }
  out.finished = true;
  return out;
}

}  // namespace park::attack
