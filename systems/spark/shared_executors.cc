// A pool of executors for several applications. Each member has its newest report and its target:
// how many executors it is to have. A question of a member is answered in two rounds over the
// reports of all: first its own free slots are handed out, then what no member has. Grants of its
// own slots to its own stages go back to its driver. All others change targets, which every driver
// learns with the answer to its next message.
#include "systems/spark/shared_executors.h"

#include <algorithm>
#include <chrono>
#include <list>
#include <mutex>
#include <optional>
#include <utility>
#include <vector>

#include "bridge/codec/failure.h"
#include "bridge/codec/wire_bytes.h"

namespace park::spark {
namespace {

/// What the pool knows of an application.
struct Member {
  explicit Member(wire::Begin::Reader from)
      : sums(from.getProgress()), application(bridge::text_of(from.getApplication())) {}

  DriverSums sums;
  std::string application;  ///< Spark's id
  double offset_s = 0;      ///< the pool's clock less the driver's
  ClusterReport report{};
  EndedJobs ended{};
  NumberedJobs numbers{};  ///< of the jobs of its report
  bool reported = false;
  bool replaced = false;     ///< by a newer session of the application
  std::uint32_t target = 0;  ///< executors that it is to have
  /// Stages, by their ids, for which executors are on their way.
  std::vector<std::pair<std::uint32_t, std::uint32_t>> moving{};

  [[nodiscard]] std::uint32_t moving_to(std::uint32_t stage) const {
    std::uint32_t n = 0;
    for (const auto& [id, count] : moving) n += id == stage ? count : 0;
    return n;
  }
  /// Executors that came are on their way no more, nor those of stages that need none.
  void settle_moves();
  /// Takes over what an older session of the application has, to which nothing is left.
  void replace(Member& older);
};

void Member::replace(Member& older) {
  report = std::exchange(older.report, {});
  numbers = std::exchange(older.numbers, {});
  reported = older.reported;
  target = std::exchange(older.target, 0);
  moving = std::exchange(older.moving, {});
  older.replaced = true;
}

void Member::settle_moves() {
  std::uint32_t expected = target > report.slots ? target - report.slots : 0;
  for (auto& [id, count] : moving) {
    const auto stage = std::ranges::find(report.stages, id, &StageReport::id);
    count = stage == report.stages.end() ? 0 : std::min({count, expected, stage->left});
    expected -= count;
  }
  std::erase_if(moving, [](const auto& one) { return one.second == 0; });
}

/// The reports of all members as one.
struct Merged {
  ClusterReport report;
  std::vector<Member*> owners;  // of each stage

  /// What was granted is on its way; the next round is about what no application has.
  void next_round();
};

void Merged::next_round() {
  for (StageReport& s : report.stages) {
    s.moving += std::exchange(s.committed, 0);
    s.chosen = s.away = false;
  }
  for (JobReport& j : report.jobs) j.moving += std::exchange(j.committed, 0);
  report.granted = report.kept = 0;
  report.source_job = -1;
}

/// Adds a job of a member with its stages; notes in `places` where these are.
void add_job(Merged& to, Member& of, const JobReport& job, std::vector<std::uint32_t>& places) {
  JobReport more = job;
  more.number = of.numbers.at(job.number).number;
  more.arrival_s += of.offset_s;
  more.first = static_cast<std::uint32_t>(to.report.stages.size());
  for (std::uint32_t i = job.first; i < job.first + job.stages; ++i) {
    StageReport stage = of.report.stages[i];
    stage.job = static_cast<std::uint32_t>(to.report.jobs.size());
    stage.moving = of.moving_to(stage.id);
    if (stage.ready_s >= 0) stage.ready_s = std::max(0.0, stage.ready_s + of.offset_s);
    more.moving += stage.moving;
    places[i] = static_cast<std::uint32_t>(to.report.stages.size());
    to.report.stages.push_back(stage);
    to.owners.push_back(&of);
  }
  to.report.jobs.push_back(std::move(more));
}

void check_together(const char* field, std::size_t value, std::size_t most) {
  if (value > most)
    throw bridge::Failed(bridge::Code::TOO_MUCH,
                         std::string(field) + ": the applications have " + std::to_string(value) +
                             " together, this agent allows " + std::to_string(most));
}

}  // namespace

class SharedExecutors::Pool {
 public:
  using Place = std::list<Member>::iterator;

  Pool(Decider& decider, const Spec& spec, const ReportLimits& limits,
       std::shared_ptr<const KnownDurations> known, const SharedPool& shared)
      : decider_(decider),
        spec_(spec),
        limits_(limits),
        known_(std::move(known)),
        executors_(shared.executors),
        moving_delay_s_(shared.moving_delay_s),
        numbers_(limits.jobs) {}

  [[nodiscard]] std::uint32_t size() const noexcept { return executors_; }

  Place join(wire::Begin::Reader from, const std::function<Episode()>& next) {
    const std::lock_guard lock(mutex_);
    std::list<Member> more;
    more.emplace_back(from);
    if (members_.empty()) {
      account_.emplace(decider_, spec_, next());
      begin_ = Clock::now();
      told_s_ = 0;
      numbers_ = JobNumbers(limits_.jobs);
    }
    more.back().offset_s = now_s() - more.back().sums.time_s();
    for (Member& m : members_)
      if (!m.replaced && !m.application.empty() && m.application == more.back().application)
        more.back().replace(m);
    members_.splice(members_.end(), more);
    return std::prev(members_.end());
  }

  void decide(Place at, wire::Consult::Reader from, wire::Decision::Builder to, Deadline deadline) {
    const std::lock_guard lock(mutex_);
    take(*at, from);
    Merged all = merge();
    Grants grants;
    bool declined = hand_out(all, *at, grants, deadline);
    all.next_round();
    if (!declined) declined = share_out(all, deadline);
    write_grants(grants, to);
    to.setDeclined(declined);
    to.setExecutors(static_cast<std::int32_t>(at->target));
  }

  void progress(Place at, wire::Progress::Reader from) {
    const std::lock_guard lock(mutex_);
    take(*at, from);
  }

  /// Its executors are free for others. `end` is that of the episode where it was the last one.
  void leave(Place at, End end) {
    const std::lock_guard lock(mutex_);
    at->numbers.leave(numbers_);
    members_.erase(at);
    if (!members_.empty()) return;
    account_->close(end);
    account_.reset();
  }

  std::uint64_t fallbacks(Place at) {
    const std::lock_guard lock(mutex_);
    return at->sums.fallbacks();
  }

  EndedJobs::Sums ended(Place at) {
    const std::lock_guard lock(mutex_);
    return at->ended.sums();
  }

 private:
  [[nodiscard]] double now_s() const {
    return std::chrono::duration<double>(Clock::now() - begin_).count();
  }

  void take(Member& member, wire::Progress::Reader from) {
    if (member.replaced)
      throw bridge::Failed(bridge::Code::OUT_OF_ORDER,
                           "spark: the application goes on in a newer session");
    DriverSums::News news = member.sums.take(from);
    const double now = now_s();
    news.elapsed_s = now - std::exchange(told_s_, now);  // all drivers live through the same time
    account_->take(news);
    account_->saw(now, executors_);
    member.ended.take(from,
                      [&](auto job) { account_->ended(job, job.getArrivalS() + member.offset_s); });
  }

  void take(Member& member, wire::Consult::Reader from) {
    ClusterReport report = read_report(from, limits_, mean_s_, known_.get());
    check_fits(member, report);
    mean_s_ = mean_task_s(from, mean_s_);
    take(member, from.getProgress());
    member.report = std::move(report);
    // An agent that comes back finds the executors that its predecessor gave.
    if (!std::exchange(member.reported, true)) member.target = member.report.slots;
    member.numbers.follow(member.report.jobs, numbers_);
    for (const JobReport& job : member.report.jobs)
      account_->arrived(job.arrival_s + member.offset_s);
    member.settle_moves();
  }

  /// A report that is too large with those of the others changes nothing for them.
  void check_fits(const Member& member, const ClusterReport& report) const {
    std::size_t jobs = report.jobs.size(), stages = report.stages.size(),
                edges = report.edges.size();
    for (const Member& m : members_) {
      if (&m == &member) continue;
      jobs += m.report.jobs.size();
      stages += m.report.stages.size();
      edges += m.report.edges.size();
    }
    check_together("jobs", jobs, limits_.jobs);
    check_together("stages", stages, limits_.stages);
    check_together("edges", edges, limits_.edges);
  }

  [[nodiscard]] std::uint32_t free() const {
    std::uint32_t given = 0;
    for (const Member& m : members_) given += m.target;
    return executors_ - std::min(given, executors_);
  }

  /// The reports of all as one.
  Merged merge() {
    struct Part {
      std::uint64_t order;
      Member* member;
      const JobReport* job;
      std::vector<std::uint32_t>* places;
    };
    std::vector<Part> parts;
    std::list<std::vector<std::uint32_t>> places;  // of each member's stages
    Merged all{
        .report = {.time_s = now_s(), .moving_delay_s = moving_delay_s_, .slots = executors_},
        .owners = {}};
    std::uint32_t idle = free();
    for (Member& m : members_) {
      idle += m.report.idle;
      places.emplace_back(m.report.stages.size());
      for (const JobReport& job : m.report.jobs)
        parts.push_back({m.numbers.at(job.number).order, &m, &job, &places.back()});
    }
    all.report.idle = std::min(idle, executors_);
    std::ranges::sort(parts, {}, &Part::order);
    for (const Part& part : parts) add_job(all, *part.member, *part.job, *part.places);
    auto of = places.begin();
    for (const Member& m : members_) {
      for (const auto& [parent, child] : m.report.edges)
        all.report.edges.emplace_back((*of)[parent], (*of)[child]);
      ++of;
    }
    return all;
  }

  /// What no application has goes to any stage. Returns whether the policy had no answer.
  bool share_out(Merged& all, Deadline deadline) {
    all.report.source = free();
    return account_->hand_out(all.report, deadline, [&](std::size_t stage, std::uint32_t n) {
      send(*all.owners[stage], all.report.stages[stage].id, n);
    });
  }

  /// The free slots of one application. Returns whether the policy had no answer.
  bool hand_out(Merged& all, Member& from, Grants& grants, Deadline deadline) {
    // What it has beyond its target has been given away before.
    const std::uint32_t gone = from.report.slots - std::min(from.report.slots, from.target);
    all.report.source = from.report.source - std::min(from.report.source, gone);
    if (all.report.source == 0) return false;
    all.report.kept = !from.report.jobs.empty() && all.report.source >= from.target ? 1 : 0;
    all.report.source_job = source_job(all, from);
    for (std::size_t i = 0; i < all.owners.size(); ++i)
      all.report.stages[i].away = all.owners[i] != &from;
    return account_->hand_out(all.report, deadline, [&](std::size_t stage, std::uint32_t n) {
      Member& to = *all.owners[stage];
      const std::uint32_t id = all.report.stages[stage].id;
      if (&to == &from) {
        grants.emplace_back(id, n);
        return;
      }
      from.target -= n;
      send(to, id, n);
    });
  }

  static void send(Member& to, std::uint32_t stage, std::uint32_t n) {
    to.target += n;
    to.moving.emplace_back(stage, n);
  }

  static std::int64_t source_job(const Merged& all, const Member& from) {
    if (from.report.source_job < 0) return -1;
    const JobReport& job = from.report.jobs[static_cast<std::size_t>(from.report.source_job)];
    const std::uint32_t number = from.numbers.at(job.number).number;
    const auto at = std::ranges::find(all.report.jobs, number, &JobReport::number);
    return at - all.report.jobs.begin();
  }

  std::mutex mutex_;
  Decider& decider_;
  const Spec& spec_;
  const ReportLimits limits_;
  const std::shared_ptr<const KnownDurations> known_;
  const std::uint32_t executors_;
  const double moving_delay_s_;
  std::list<Member> members_;
  std::optional<EpisodeAccount> account_;  // while there are members
  Deadline begin_{};                       // of the episode
  double told_s_ = 0;                      // of its time, to the account
  double mean_s_ = kUnknownTaskS;          // of a task where nothing of its job was measured
  JobNumbers numbers_;                     // of the jobs of all
};

/// A member of the pool.
class SharedExecutors::Sharing final : public Application {
 public:
  Sharing(Pool& pool, Pool::Place at) : pool_(pool), at_(at) {}
  ~Sharing() override {
    if (open_) pool_.leave(at_, End::truncated);
  }

  void decide(wire::Consult::Reader from, wire::Decision::Builder to, Deadline deadline) override {
    pool_.decide(at_, from, to, deadline);
  }
  void finish(wire::Progress::Reader from) override {
    pool_.progress(at_, from);
    fallbacks_ = pool_.fallbacks(at_);
    ended_ = pool_.ended(at_);
    open_ = false;
    pool_.leave(at_, End::terminated);
  }
  [[nodiscard]] bool is_open() const override { return open_; }
  [[nodiscard]] std::uint64_t fallbacks() const override {
    return open_ ? pool_.fallbacks(at_) : fallbacks_;
  }
  [[nodiscard]] EndedJobs::Sums ended() const override { return open_ ? pool_.ended(at_) : ended_; }

 private:
  Pool& pool_;
  const Pool::Place at_;
  std::uint64_t fallbacks_ = 0;  // of its end
  EndedJobs::Sums ended_{};      // of its end
  bool open_ = true;
};

SharedExecutors::SharedExecutors(Decider& decider, const Spec& spec, const ReportLimits& limits,
                                 std::shared_ptr<const KnownDurations> known,
                                 const SharedPool& shared)
    : pool_(std::make_unique<Pool>(decider, spec, limits, std::move(known), shared)) {}

SharedExecutors::~SharedExecutors() = default;

std::unique_ptr<Application> SharedExecutors::join(wire::Begin::Reader from,
                                                   const std::function<Episode()>& next) {
  return std::make_unique<Sharing>(*pool_, pool_->join(from, next));
}

std::uint32_t SharedExecutors::size() const noexcept { return pool_->size(); }

}  // namespace park::spark
