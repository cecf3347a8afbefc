// A run goes from starting to running, perhaps to stopping, and is over, failed or killed. Reports
// of the trainer and its tasks move it, and so do deadlines; each move may add an event. A run is
// forgotten, and its cores are free, when all its processes have ended. Where processes do not end,
// the trainer is started anew, which ends all of them.
#include "systems/dl_cluster_live/runs.h"

#include <sched.h>

#include <algorithm>
#include <string>
#include <utility>

#include "park/core/error.h"

namespace park::dl_cluster_live {
namespace {

constexpr std::chrono::milliseconds kLookAtRuns{50};

Clock::duration seconds(double s) {
  return std::chrono::duration_cast<Clock::duration>(std::chrono::duration<double>(s));
}

double clock_now_s() {
  return std::chrono::duration<double>(Clock::now().time_since_epoch()).count();
}

std::vector<std::int32_t> usable_cpus() {
  std::vector<std::int32_t> all;
  cpu_set_t set;
  CPU_ZERO(&set);
  if (sched_getaffinity(0, sizeof set, &set) != 0) return all;
  for (std::size_t cpu = 0; cpu < CPU_SETSIZE; ++cpu)
    if (CPU_ISSET(cpu, &set)) all.push_back(static_cast<std::int32_t>(cpu));
  return all;
}

}  // namespace

Runs::Runs(const RunLimits& limits, std::int32_t cores, std::filesystem::path folder,
           std::stop_token stop)
    : limits_(limits),
      folder_(std::move(folder)),
      stop_(std::move(stop)),
      cpus_(usable_cpus()),
      busy_(static_cast<std::size_t>(cores)),
      trainer_(std::make_unique<TrainerProcess>(folder_, stop_)) {}

std::int32_t Runs::free_cores() const noexcept {
  return static_cast<std::int32_t>(std::ranges::count(busy_, char{0}));
}

std::int32_t Runs::start(const RunRequest& request) {
  std::filesystem::create_directories(request.folder);
  const std::string folder = request.folder.string();
  if (folder.size() >= kMostPath) throw Error(Errc::io, folder + ": the path is too long");
  const auto tasks =
      static_cast<std::size_t>(request.workers) + static_cast<std::size_t>(request.servers);
  const bool pinned = busy_.size() <= cpus_.size() || (runs_.empty() && tasks <= cpus_.size());
  Order order{.what = OrderWhat::start,
              .run = ++started_,
              .kind = request.kind,
              .workers = request.workers,
              .servers = request.servers,
              .pinned = pinned ? 1 : 0,
              .steps = request.steps,
              .seed = request.seed,
              .checkpoint_s = limits_.checkpoint_s,
              .report_s = limits_.report_s,
              .timeout_s = limits_.stall_s};
  std::ranges::copy(folder, order.folder.begin());
  Run run{.number = started_, .alive = request.workers + request.servers};
  for (std::size_t core = 0; core < busy_.size() && std::ssize(run.cores) < run.alive; ++core) {
    if (busy_[core] != 0) continue;
    busy_[core] = 1;
    if (pinned) order.cpus[run.cores.size()] = cpus_[core];
    run.cores.push_back(static_cast<std::int32_t>(core));
  }
  PARK_ASSERT(std::ssize(run.cores) == run.alive);
  enter(run, State::starting, limits_.start_s);
  runs_.push_back(std::move(run));
  trainer_->send(order);
  return started_;
}

Runs::Run* Runs::find(std::int32_t number) {
  const auto at = std::ranges::find(runs_, number, &Run::number);
  return at == runs_.end() ? nullptr : &*at;
}

void Runs::enter(Run& run, State state, double most_s) {
  run.state = state;
  run.until = Clock::now() + seconds(most_s);
}

void Runs::stop(std::int32_t number) {
  Run* const run = find(number);
  if (run == nullptr || (run->state != State::starting && run->state != State::running)) return;
  enter(*run, State::stopping, limits_.stop_s);
  trainer_->send({.what = OrderWhat::stop, .run = number});
}

void Runs::end(Run& run) {
  run.told_to_end = true;
  trainer_->send({.what = OrderWhat::kill, .run = run.number});
}

void Runs::kill(std::int32_t number) {
  Run* const run = find(number);
  if (run == nullptr || run->state == State::killed) return;
  enter(*run, State::killed, limits_.end_s);
  end(*run);
  std::erase_if(events_, [number](const RunEvent& e) { return e.run == number; });
}

void Runs::end_all() {
  for (Run& run : runs_) {
    enter(run, State::killed, limits_.end_s);
    end(run);
  }
  events_.clear();
  const Deadline until = Clock::now() + seconds(limits_.end_s);
  while (!runs_.empty() && !trainer_->gone() && Clock::now() < until)
    if (const auto report = trainer_->next(kLookAtRuns)) take(*report);
  if (runs_.empty()) return;
  trainer_.reset();  // which ends what is left
  runs_.clear();
  std::ranges::fill(busy_, char{0});
  trainer_ = std::make_unique<TrainerProcess>(folder_, stop_);
}

std::optional<RunEvent> Runs::next(Clock::duration most) {
  const Deadline until = Clock::now() + most;
  while (events_.empty()) {
    const auto left = std::clamp<Clock::duration>(until - Clock::now(), {}, kLookAtRuns);
    const auto report = trainer_->next(std::chrono::ceil<std::chrono::milliseconds>(left));
    if (report) take(*report);
    if (trainer_->gone()) restart_trainer();
    check_deadlines();
    if (!report && (Clock::now() >= until || stop_.stop_requested())) break;
  }
  if (events_.empty()) return {};
  const RunEvent event = events_.front();
  events_.pop_front();
  return event;
}

void Runs::tell(RunEvent::What what, const Report& report) {
  events_.push_back({.what = what,
                     .run = report.run,
                     .step = report.step,
                     .time_s = report.time_s,
                     .cpu_s = report.cpu_s});
}

void Runs::take(const Report& report) {
  Run* const run = find(report.run);
  if (run == nullptr) return;
  if (report.what == ReportWhat::ended) return take_end(*run, report);
  if (run->state == State::over || run->state == State::failed || run->state == State::killed)
    return;
  switch (report.what) {
    case ReportWhat::started:
      if (run->state == State::starting) enter(*run, State::running, limits_.stall_s);
      return tell(RunEvent::What::started, report);
    case ReportWhat::progress:
      if (run->state == State::running) enter(*run, State::running, limits_.stall_s);
      return tell(RunEvent::What::progress, report);
    case ReportWhat::stopped:
      enter(*run, State::over, limits_.end_s);
      return tell(RunEvent::What::stopped, report);
    case ReportWhat::finished:
      enter(*run, State::over, limits_.end_s);
      return tell(RunEvent::What::finished, report);
    default:
      return;
  }
}

void Runs::take_end(Run& run, const Report& report) {
  --run.alive;
  const bool over = run.state == State::over || run.state == State::killed;
  // A task that ends before the run is over takes the others with it.
  if (!over && run.state != State::failed && (report.status != 0 || run.alive == 0)) {
    enter(run, State::failed, limits_.end_s);
    end(run);
  }
  if (run.alive > 0) return;
  if (run.state == State::failed) tell(RunEvent::What::failed, report);
  remove(report.run);
}

void Runs::remove(std::int32_t number) {
  for (const std::int32_t core : find(number)->cores) busy_[static_cast<std::size_t>(core)] = 0;
  std::erase_if(runs_, [number](const Run& run) { return run.number == number; });
}

void Runs::check_deadlines() {
  const Deadline now = Clock::now();
  bool stuck = false;
  for (Run& run : runs_) {
    if (now < run.until) continue;
    stuck = stuck || run.told_to_end;
    const bool over = run.state == State::over || run.state == State::killed;
    enter(run, over ? run.state : State::failed, limits_.end_s);
    end(run);
  }
  if (stuck) restart_trainer();
}

void Runs::restart_trainer() {
  for (const Run& run : runs_)
    if (run.state != State::over && run.state != State::killed)
      tell(RunEvent::What::failed, {.run = run.number, .time_s = clock_now_s()});
  trainer_.reset();
  runs_.clear();
  std::ranges::fill(busy_, char{0});
  trainer_ = std::make_unique<TrainerProcess>(folder_, stop_);
}

}  // namespace park::dl_cluster_live
