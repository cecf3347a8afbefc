// A stream of many simulators. A Player is one slot: an environment and its episodes. Three engines
// step the players: Lockstep on the caller's thread; Parallel on several threads that share out the
// slots of a round; Asynchronous with a queue of slots to step and another of slots that are ready.
// send checks all actions before any player moves; recv gathers the rows. The registry makes a Pool
// for every simulated environment.
#include "park/core/pool.h"

#include <algorithm>
#include <atomic>
#include <condition_variable>
#include <deque>
#include <exception>
#include <mutex>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "park/core/id_vector.h"

namespace park {
namespace {

/// One slot: an environment and the episodes that it plays.
class Player {
 public:
  Player(std::unique_ptr<Env> env, Episodes episodes, std::uint32_t slot, std::size_t metrics,
         const PoolOptions& o)
      : env_(std::move(env)),
        episodes_(episodes),
        metrics_(metrics),
        penalty_(o.illegal == Illegal::penalise ? o.penalty : 0),
        events_(o.events) {
    ask_.slot = slot;
    if (events_) env_->events(events_);
  }

  /// No episode is left for this slot.
  [[nodiscard]] bool idle() const noexcept { return idle_; }
  [[nodiscard]] bool begun() const noexcept { return begun_; }
  void set_projected(bool projected) noexcept { projected_ = projected; }

  /// The first question of the next episode, if there is one.
  void start(Decisions& out) {
    if (!begin()) return;
    env_->reset(ask_.episode, out.observation.append());
    out.asked.push_back(ask_);
  }

  /// One step; at the end of an episode the last outcome and the start of the next one.
  void step(ConstRow action, Decisions& out) {
    if (goes_on(env_->step(action, out.observation.append()))) [[likely]] {
      out.asked.push_back(ask_);
      return;
    }
    finish(out, out.observation.rows() - 1);
    out.observation.pop();
    start(out);
  }
  /// The same where a group has made the step and written that row. The next episode starts in the
  /// row; where there is none, the slot is idle and the row is left over.
  void stepped(const Outcome& o, std::size_t row, Decisions& out) {
    if (!goes_on(o)) [[unlikely]] {
      finish(out, row);
      if (!begin()) return;
      env_->reset(ask_.episode, out.observation.row(row));
    }
    out.asked.push_back(ask_);
  }
  [[nodiscard]] Env& env() noexcept { return *env_; }

 private:
  bool goes_on(const Outcome& outcome) noexcept {
    Outcome& o = ask_.since_last;
    o = outcome;
    if (projected_) {
      o.applied = Applied::projected;
      o.reward -= penalty_;
    }
    ++ask_.sequence;
    return o.end == End::none;
  }
  /// Goes to the next episode, if there is one.
  bool begin() {
    begun_ = true;
    const auto e = episodes_.next();
    if (!e) {
      idle_ = true;
      return false;
    }
    ask_.context = e->id;
    ask_.sequence = 0;
    ask_.episode = *e;
    ask_.since_last = {};
    if (events_) events_->begin(*e);
    return true;
  }
  void finish(Decisions& out, std::size_t row) {
    out.final_observation.append(out.observation, row);
    out.ended.push_back({ask_.slot, ask_.context, ask_.sequence, env_->event_count(), ask_.episode,
                         ask_.since_last});
    out.metrics.resize(out.ended.size() * metrics_);
    env_->metrics(std::span(out.metrics).last(metrics_));
  }

  std::unique_ptr<Env> env_;
  Episodes episodes_;
  std::size_t metrics_;
  double penalty_;
  EventSink* events_;
  Ask ask_;
  bool begun_ = false, idle_ = false, projected_ = false;
};

}  // namespace

class Pool::Engine {
 public:
  Engine(const Spec& spec, const Make& make, const EpisodeSource& source, const PoolOptions& o)
      : space_(spec), options_(o), out_(spec), actions_(spec.action) {
    players_.reserve(o.slots);
    for (std::uint32_t s = 0; s < o.slots; ++s)
      players_.emplace_back(make(), Episodes(source, s, o.slots), s, spec.metrics.size(), o);
  }
  virtual ~Engine() = default;
  virtual const Decisions& recv(Deadline) = 0;
  /// `actions_` holds the admitted actions, row i for out_.asked[i].
  virtual void accepted() = 0;

  void send(const Batch& actions) {
    if (actions.rows() != out_.asked.size())
      throw Error(Errc::illegal_action, "send needs " + std::to_string(out_.asked.size()) +
                                            " actions, one per row, not " +
                                            std::to_string(actions.rows()));
    actions_.clear();
    actions_.append(actions);
    std::size_t row = 0;
    for (const Ask& ask : out_.asked) {
      players_[ask.slot].set_projected(
          admit(options_.illegal, space_, out_.observation.row(row), actions_.row(row)));
      ++row;
    }
    accepted();
  }

 protected:
  ActionSpace space_;
  PoolOptions options_;
  Decisions out_;
  Batch actions_;
  IdVector<Player> players_;
};

namespace {

/// The caller steps all slots, in their order, or lets a group do it as long as every slot plays.
class Lockstep final : public Pool::Engine {
 public:
  Lockstep(const Spec& spec, const Pool::Make& make, const EpisodeSource& source,
           const PoolOptions& o)
      : Engine(spec, make, source, o), left_(spec.observation) {
    if (o.slots == 1 || o.events) return;
    IdVector<Env*> envs;
    for (Player& p : players_) envs.push_back(&p.env());
    group_ = envs[0]->group(std::span(envs.data(), envs.size()));
    if (group_) outcomes_.resize(envs.size());
  }

  const Decisions& recv(Deadline) override {
    const bool together = group_ && out_.asked.size() == players_.size();
    out_.clear();
    if (together)
      step_together();
    else
      step_each();
    out_.done = out_.asked.empty();
    return out_;
  }
  void accepted() override {}

 private:
  void step_each() {
    std::size_t row = 0;
    for (Player& p : players_) {
      if (p.idle()) continue;
      if (!p.begun())
        p.start(out_);
      else
        p.step(std::as_const(actions_).row(row++), out_);
    }
  }
  void step_together() {
    const std::size_t n = players_.size();
    for (std::size_t i = 0; i < n; ++i) out_.observation.append();
    group_->step(actions_, out_.observation, std::span(outcomes_.data(), n));
    for (std::size_t i = 0; i < n; ++i) players_[i].stepped(outcomes_[i], i, out_);
    if (out_.asked.size() < n) [[unlikely]]
      leave_out_idle();
  }
  /// Rows of slots without another episode go.
  void leave_out_idle() {
    left_.clear();
    for (std::size_t i = 0; i < players_.size(); ++i)
      if (!players_[i].idle()) left_.append(out_.observation, i);
    std::swap(left_, out_.observation);
  }

  Batch left_;
  IdVector<Outcome> outcomes_;
  std::unique_ptr<EnvGroup> group_;
};

/// Several threads step the slots in lockstep; the caller is the first of them.
class Parallel final : public Pool::Engine {
 public:
  Parallel(const Spec& spec, const Pool::Make& make, const EpisodeSource& source,
           const PoolOptions& o)
      : Engine(spec, make, source, o), workers_(std::min(o.workers, o.slots)), row_of_(o.slots) {
    for (std::uint32_t w = 0; w < workers_; ++w) {
      parts_.emplace_back(spec);
      parts_.back().observation.set_lazy();
    }
    places_.resize(workers_);
    round_ = 1;  // the first round starts every slot
    for (std::uint32_t w = 1; w < workers_; ++w) threads_.emplace_back([this, w] { work(w); });
  }
  ~Parallel() override {
    finish_round();  // one that is in flight must not leave its workers waiting for each other
    stop_ = true;
    ++round_;
    round_.notify_all();
  }

  const Decisions& recv(Deadline) override {
    finish_round();
    if (error_) std::rethrow_exception(std::exchange(error_, nullptr));
    out_.done = out_.asked.empty();
    return out_;
  }
  void accepted() override {
    for (std::size_t i = 0; i < out_.asked.size(); ++i) row_of_[out_.asked[i].slot] = i;
    ++round_;
    round_.notify_all();
  }

 private:
  using Counter = std::atomic<std::uint32_t>;

  /// Spins for a moment, since a round is short, and then sleeps.
  static void wait_while(const Counter& c, std::uint32_t old) {
    for (int i = 0; i < 2000 && c.load() == old; ++i) std::this_thread::yield();
    c.wait(old);
  }
  void finish_round() {
    if (finished_.load() != round_.load()) run_round(0, round_.load());
    for (std::uint32_t f = finished_.load(); f != round_.load(); f = finished_.load())
      wait_while(finished_, f);
  }
  void work(std::uint32_t w) {
    for (std::uint32_t round = 0;;) {
      while (round_.load() == round) wait_while(round_, round);
      round = round_.load();
      if (stop_) return;
      run_round(w, round);
    }
  }
  void run_round(std::uint32_t w, std::uint32_t round) {
    guarded([&] { step_part(w); });
    if (++arrived_ == workers_) {
      arrived_ = 0;
      guarded([&] { plan(); });
      planned_ = round;
      planned_.notify_all();
    } else {
      for (std::uint32_t p = planned_.load(); p != round; p = planned_.load())
        wait_while(planned_, p);
    }
    if (planned_well_) out_.fill(places_[w], parts_[w]);
    if (++filled_ == workers_) {
      filled_ = 0;
      finished_ = round;
      finished_.notify_all();
    }
  }
  void step_part(std::uint32_t w) {
    parts_[w].clear();
    const std::size_t n = players_.size();
    for (std::size_t s = w * n / workers_; s < (w + 1) * n / workers_; ++s) {
      if (players_[s].idle()) continue;
      if (!players_[s].begun())
        players_[s].start(parts_[w]);
      else
        players_[s].step(std::as_const(actions_).row(row_of_[s]), parts_[w]);
    }
  }
  void plan() {
    planned_well_ = false;
    out_.clear();
    for (std::size_t w = 0; w < parts_.size(); ++w) places_[w] = out_.extend(parts_[w]);
    planned_well_ = !error_;
  }
  template <class F>
  void guarded(F&& f) {
    try {
      f();
    } catch (...) {
      const std::lock_guard lock(error_mutex_);
      if (!error_) error_ = std::current_exception();
    }
  }

  std::uint32_t workers_;
  std::vector<Decisions> parts_;
  std::vector<Decisions::Place> places_;
  IdVector<std::size_t> row_of_;  // of each slot's action
  bool planned_well_ = false;
  Counter round_{0}, arrived_{0}, planned_{0}, filled_{0}, finished_{0};
  std::atomic<bool> stop_{false};
  std::mutex error_mutex_;
  std::exception_ptr error_;
  std::vector<std::jthread> threads_;  // last: joined before the rest goes
};

/// recv gives the first `batch` slots that are ready. Without workers the caller steps them in the
/// order of their actions.
class Asynchronous final : public Pool::Engine {
 public:
  Asynchronous(const Spec& spec, const Pool::Make& make, const EpisodeSource& source,
               const PoolOptions& o)
      : Engine(spec, make, source, o) {
    for (std::uint32_t s = 0; s < o.slots; ++s) {
      parts_.emplace_back(spec);
      slot_actions_.emplace_back(spec.action);
      todo_.push_back(s);
    }
    outstanding_ = o.slots;
    for (std::uint32_t w = 0; w < o.workers; ++w)
      threads_.emplace_back([this](const std::stop_token& stop) { work(stop); });
  }

  const Decisions& recv(Deadline until) override {
    std::unique_lock lock(mutex_);
    if (threads_.empty()) {
      while (ready_.size() < options_.batch && !todo_.empty()) step_next(lock);
    } else {
      const auto enough = [&] {
        return error_ || ready_.size() >= std::min<std::size_t>(options_.batch, outstanding_);
      };
      if (until == kNever)
        ready_cv_.wait(lock, enough);
      else
        ready_cv_.wait_until(lock, until, enough);
    }
    if (error_) std::rethrow_exception(std::exchange(error_, nullptr));
    return gather();
  }
  void accepted() override {
    const std::lock_guard lock(mutex_);
    for (std::size_t i = 0; i < out_.asked.size(); ++i) {
      const std::uint32_t s = out_.asked[i].slot;
      slot_actions_[s].clear();
      slot_actions_[s].append(actions_, i);
      todo_.push_back(s);
      ++outstanding_;
    }
    todo_cv_.notify_all();
  }

 private:
  const Decisions& gather() {
    out_.clear();
    for (std::uint32_t n = 0; n < options_.batch && !ready_.empty(); ++n) {
      out_.append(parts_[ready_.front()]);
      ready_.pop_front();
      --outstanding_;
    }
    out_.done = out_.asked.empty() && outstanding_ == 0;
    return out_;
  }
  void work(const std::stop_token& stop) {
    std::unique_lock lock(mutex_);
    while (todo_cv_.wait(lock, stop, [&] { return !todo_.empty(); })) step_next(lock);
  }
  void step_next(std::unique_lock<std::mutex>& lock) {
    const std::uint32_t s = todo_.front();
    todo_.pop_front();
    lock.unlock();
    std::exception_ptr error;
    try {
      parts_[s].clear();
      if (!players_[s].begun())
        players_[s].start(parts_[s]);
      else
        players_[s].step(std::as_const(slot_actions_[s]).row(0), parts_[s]);
    } catch (...) {
      error = std::current_exception();
    }
    lock.lock();
    if (error) error_ = error;
    ready_.push_back(s);
    ready_cv_.notify_one();
  }

  /// A queue that keeps its memory: std::deque allocates as it moves on.
  class Ring {
   public:
    [[nodiscard]] bool empty() const noexcept { return size_ == 0; }
    [[nodiscard]] std::size_t size() const noexcept { return size_; }
    [[nodiscard]] std::uint32_t front() const noexcept { return items_[head_]; }
    void push_back(std::uint32_t v) {
      if (size_ == items_.size()) {
        std::ranges::rotate(items_, items_.begin() + static_cast<std::ptrdiff_t>(head_));
        head_ = 0;
        items_.resize(std::max<std::size_t>(8, 2 * size_));
      }
      items_[(head_ + size_++) % items_.size()] = v;
    }
    void pop_front() noexcept {
      head_ = (head_ + 1) % items_.size();
      --size_;
    }

   private:
    std::vector<std::uint32_t> items_;
    std::size_t head_ = 0, size_ = 0;
  };

  std::vector<Decisions> parts_;  // one per slot
  std::vector<Batch> slot_actions_;
  std::mutex mutex_;
  std::condition_variable_any todo_cv_;
  std::condition_variable ready_cv_;
  Ring todo_, ready_;
  std::size_t outstanding_ = 0;  // slots that a recv has still to deliver
  std::exception_ptr error_;
  std::vector<std::jthread> threads_;
};

void check(const PoolOptions& o) {
  Violations v;
  if (o.slots < 1 || o.slots > 1'000'000) v.add("slots must be in [1, 1000000]");
  if (o.workers > 1024) v.add("workers must be in [0, 1024]");
  if (o.batch > o.slots) v.add("batch must be in [0, slots]");
  if (o.events && o.slots != 1) v.add("events need slots = 1");
  if (!(o.penalty >= 0 && o.penalty < kInf)) v.add("penalty must be finite and >= 0");
  v.throw_if_any(Errc::invalid_config);
}

}  // namespace

Pool::Pool(Spec spec, const Make& make, const EpisodeSource& source, const PoolOptions& o)
    : spec_(std::move(spec)) {
  check(o);
  if (o.batch != 0 && o.batch < o.slots)
    engine_ = std::make_unique<Asynchronous>(spec_, make, source, o);
  else if (o.workers > 1 && o.slots > 1)
    engine_ = std::make_unique<Parallel>(spec_, make, source, o);
  else
    engine_ = std::make_unique<Lockstep>(spec_, make, source, o);
}

Pool::~Pool() = default;

const Decisions& Pool::recv(Deadline until) { return engine_->recv(until); }
void Pool::send(const Batch& actions) { engine_->send(actions); }

}  // namespace park
