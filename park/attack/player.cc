// Plays with misreports. In each slot of a pool a MisreportingEnv shows the policy what users
// declare; below it WatchedEnv sees the truth: rows, actions, and the arrivals and completions of
// jobs that the environment reports to an event sink.
#include "park/attack/player.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>
#include <utility>

#include "park/core/error.h"
#include "park/core/pool.h"

namespace park::attack {
namespace {

// As of `park run`.
constexpr std::uint32_t kSlots = 16;

/// Takes the times of jobs from the points "arrival" and "completion".
class JobClock final : public EventSink {
 public:
  void begin(const Episode&) override { arrivals_.clear(); }
  void lane(std::string_view) override {}
  void job(std::uint64_t, std::string_view, std::span<const EventStage>) override {}
  void span(std::string_view, double, double, std::string_view,
            std::span<const EventArg>) override {}
  void value(std::string_view, std::string_view, double, double) override {}
  void point(std::string_view, double time_s, std::string_view what,
             std::span<const EventArg> args) override {
    const auto arg = std::ranges::find(args, "job", &EventArg::name);
    if (arg == args.end()) return;
    const auto job = static_cast<std::size_t>(arg->value);
    if (what == "arrival") {
      arrivals_.resize(std::max(arrivals_.size(), job + 1), time_s);
      times_->resize(arrivals_.size(), std::numeric_limits<double>::quiet_NaN());
    } else if (what == "completion" && job < arrivals_.size()) {
      (*times_)[job] = time_s - arrivals_[job];
    }
  }
  void write_to(JobTimes& times) { times_ = &times; }

 private:
  std::vector<double> arrivals_;
  JobTimes* times_ = nullptr;
};

/// What the true environment does, reported play by play.
class WatchedEnv final : public Env {
 public:
  WatchedEnv(const Spec& spec, std::unique_ptr<Env> env, std::vector<JobTimes>& times,
             const Player::Visit& visit)
      : env_(std::move(env)), times_(times), visit_(visit), before_(spec.observation) {
    env_->events(&clock_);
  }
  void reset(const Episode& e, Row row) override {
    episode_ = e;
    sequence_ = 0;
    clock_.begin(e);
    clock_.write_to(times_[e.id]);
    env_->reset(e, row);
    keep(row);
  }
  Outcome step(ConstRow action, Row row) override {
    if (visit_) visit_(episode_.id, {std::as_const(before_).row(0), sequence_}, action);
    const Outcome outcome = env_->step(action, row);
    ++sequence_;
    keep(row);
    return outcome;
  }
  void metrics(std::span<double> out) const override { env_->metrics(out); }
  std::unique_ptr<Declarations> declarations() const override { return env_->declarations(); }

 private:
  void keep(ConstRow row) {
    if (!visit_) return;
    before_.clear();
    before_.append(row.batch(), row.index());
  }

  std::unique_ptr<Env> env_;
  std::vector<JobTimes>& times_;
  const Player::Visit& visit_;
  Batch before_;
  JobClock clock_;
  Episode episode_;
  std::uint64_t sequence_ = 0;
};

std::vector<Episode> episodes_of(const std::vector<Play>& plays) {
  std::vector<Episode> all;
  for (const Play& p : plays) all.push_back(p.episode);
  return all;
}

}  // namespace

Player::Player(const Registry& registry, const std::string& env, const std::string& policy,
               Stop stop)
    : make_(registry.env_factory(env)),
      spec_(registry.spec(env)),
      stop_(std::move(stop)),
      declarations_(declarations_of(spec_, *make_())),
      policy_text_(policy),
      policy_(registry.policy(policy, spec_)),
      heads_(spec_),
      row_(spec_.observation),
      action_(spec_.action) {
  action_.resize(1);
}

std::vector<JobTimes> Player::play(const std::vector<Play>& plays, const Visit& visit) {
  if (plays.empty()) return {};
  std::vector<JobTimes> times(plays.size());
  const FixedEpisodes source(episodes_of(plays));
  const auto slots = static_cast<std::uint32_t>(
      std::min<std::size_t>({policy_->most_slots(), kSlots, plays.size()}));
  const auto watched = [&] { return std::make_unique<WatchedEnv>(spec_, make_(), times, visit); };
  const auto declared = [&](const Episode& e, const Declarations&, const Moment&,
                            std::uint64_t job) -> std::optional<Misreport> {
    const auto& d = plays[e.id].declared;
    return d && d->job == job ? d : std::nullopt;
  };
  Pool pool(spec_, misreporting(spec_, watched, declared), source, {.slots = slots});
  Batch actions(spec_.action);
  for (;;) {
    if (stop_ && stop_()) throw Stopped{};
    const Decisions& d = pool.recv();
    if (d.done) return times;
    actions.clear();
    actions.resize(d.asked.size());
    for (const Ask& a : d.asked)
      if (a.sequence == 0)
        policy_->start(a.slot, a.episode,
                       Rng(a.episode.inputs).split(a.episode.dynamics).split("actions"));
    policy_->act(d, actions);
    pool.send(actions);
  }
}

bool Player::competes(const Moment& now, std::uint64_t job) {
  if (declarations_->quantities(now, job) == 0) return false;
  row_.clear();
  row_.append(now.row.batch(), now.row.index());
  if (heads_[0].kind == HeadKind::continuous) return true;
  heads_.candidates(0, row_, action_, candidates_);
  double low = kInf, high = -kInf;
  for (const std::int32_t value : candidates_.value) {
    heads_.set(action_.row(0), 0, value);
    const double b = declarations_->benefit(now, job, std::as_const(action_).row(0));
    low = std::min(low, b), high = std::max(high, b);
  }
  return high > low;
}

}  // namespace park::attack
