// Where running systems and the agent meet. Every open context has an OpenContext in its slot; the
// queue waiting_ holds the slots whose question the agent has not received yet. A system's thread
// enters decide, puts its slot into the queue and waits; recv copies the waiting rows into one
// batch; send writes the answers into the callers' rows and wakes them. A question that reaches its
// deadline leaves the queue and falls back. All state is under one mutex; the registry makes a Live
// for every environment that runs by itself.
#include "park/core/live.h"

#include <algorithm>
#include <condition_variable>
#include <deque>
#include <exception>
#include <mutex>
#include <string>
#include <thread>
#include <utility>

namespace park {
namespace {

enum class State {
  idle,      // the system is not asking
  waiting,   // asked, not yet received by the agent
  asked,     // received by the agent
  answered,  // the answer is in the caller's row
};

/// One open context. The caller's rows are touched only while it is inside decide.
struct OpenContext {
  State state = State::idle;
  Ask ask;
  Outcome owed;                       // since the last row that the agent received
  bool owing = false;                 // something is in it
  Applied applied = Applied::policy;  // of the last row that the agent received
  double penalty = 0;                 // taken off the next outcome
  Deadline until{};                   // of the last question
  const ConstRow* observation = nullptr;
  const Row* action = nullptr;
  std::condition_variable answered;
};

/// Adds what a system reports. The first report since a delivered row is assigned, not added, so
/// that the sums are equal to the bit; `applied` speaks of that delivered row.
void owe(OpenContext& t, const Outcome& o) {
  if (!std::exchange(t.owing, true)) {
    const std::uint32_t skipped = t.owed.skipped;
    t.owed = o;
    t.owed.applied = std::max(o.applied, t.applied);
    t.owed.skipped = skipped;
  } else {
    t.owed.reward += o.reward;
    t.owed.elapsed_s += o.elapsed_s;
    t.owed.end = o.end;
  }
  if (t.penalty != 0) t.owed.reward -= std::exchange(t.penalty, 0);
}

}  // namespace

/// Where systems and agent meet: all state is under one mutex.
class Live::Exchange final : public Decider {
 public:
  Exchange(Spec spec, std::vector<std::unique_ptr<SystemEnv>> systems, const EpisodeSource& source,
           const LiveOptions& o)
      : spec_(std::move(spec)),
        space_(spec_),
        options_(o),
        out_(spec_),
        ends_(spec_),
        admitted_(spec_.action),
        systems_(std::move(systems)),
        running_(systems_.size()) {
    for (std::size_t i = 0; i < systems_.size(); ++i)
      threads_.emplace_back(
          [this, i, e = Episodes(source, i, systems_.size())](const std::stop_token& stop) mutable {
            run(*systems_[i], e, stop);
          });
  }
  ~Exchange() override { stop(); }

  [[nodiscard]] const Spec& spec() const noexcept { return spec_; }

  /// Requests come first: a system that sees a fallback has been told to stop.
  void stop() {
    for (auto& t : threads_) t.request_stop();
    const std::lock_guard lock(mutex_);
    stopping_ = true;
    for (OpenContext& t : slots_) t.answered.notify_all();
  }
  [[nodiscard]] std::uint64_t late() const {
    const std::lock_guard lock(mutex_);
    return late_;
  }
  [[nodiscard]] std::uint64_t refused() const {
    const std::lock_guard lock(mutex_);
    return refused_;
  }

  const Decisions& recv(Deadline until) {
    std::unique_lock lock(mutex_);
    const auto enough = [&] {
      return !waiting_.empty() || !ends_.ended.empty() || running_ == 0 || error_;
    };
    if (until == kNever)
      ready_.wait(lock, enough);
    else
      ready_.wait_until(lock, until, enough);
    if (error_) std::rethrow_exception(std::exchange(error_, nullptr));
    out_.clear();
    out_.append(ends_);
    ends_.clear();
    for (const Ended& e : out_.ended) free_.push_back(e.slot);  // only now it may be used again
    Deadline last = Deadline::min();
    while (!waiting_.empty() && out_.asked.size() < options_.batch)
      last = std::max(last, deliver());
    due_ = out_.asked.empty() ? kNever : last;
    out_.done = running_ == 0 && waiting_.empty() && out_.asked.empty();
    return out_;
  }

  void send(const Batch& actions) {
    if (actions.rows() != out_.asked.size())
      throw Error(Errc::illegal_action, "send needs " + std::to_string(out_.asked.size()) +
                                            " actions, one per row, not " +
                                            std::to_string(actions.rows()));
    admitted_.clear();
    admitted_.append(actions);
    projected_.resize(actions.rows());
    for (std::size_t i = 0; i < actions.rows(); ++i)
      projected_[i] = admit(options_.illegal, space_, out_.observation.row(i), admitted_.row(i));
    const std::lock_guard lock(mutex_);
    for (std::size_t i = 0; i < actions.rows(); ++i) answer(i);
    due_ = kNever;
  }

 private:
  void run(SystemEnv& system, Episodes& episodes, const std::stop_token& stop) {
    std::exception_ptr error;
    try {
      system.run(episodes, *this, stop);
    } catch (...) {
      error = std::current_exception();
    }
    const std::lock_guard lock(mutex_);
    if (error) error_ = error;
    --running_;
    ready_.notify_all();
  }

  /// Returns the deadline of the question.
  Deadline deliver() {
    OpenContext& t = slots_[waiting_.front()];
    waiting_.pop_front();
    t.state = State::asked;
    t.ask.since_last = std::exchange(t.owed, {});
    t.owing = false;
    out_.asked.push_back(t.ask);
    out_.observation.append(t.observation->batch(), t.observation->index());
    return t.until;
  }

  void answer(std::size_t i) {
    const Ask& ask = out_.asked[i];
    OpenContext& t = slots_[ask.slot];
    if (t.state != State::asked || t.ask.context != ask.context || t.ask.sequence != ask.sequence) {
      ++late_;
      return;
    }
    t.action->assign(std::as_const(admitted_).row(i));
    t.applied = projected_[i] ? Applied::projected : Applied::policy;
    if (projected_[i] && options_.illegal == Illegal::penalise) t.penalty = options_.penalty;
    t.state = State::answered;
    t.answered.notify_one();
  }

  Context open(const Episode& e) override {
    const std::lock_guard lock(mutex_);
    std::uint32_t slot = 0;
    if (!free_.empty()) {
      slot = free_.back();
      free_.pop_back();
    } else if (slots_.size() < options_.max_contexts) {
      slot = static_cast<std::uint32_t>(slots_.size());
      slots_.emplace_back();
    } else {
      ++refused_;
      return {0, 0};
    }
    OpenContext& t = slots_[slot];
    t.state = State::idle;
    t.owed = {};
    t.owing = false;
    t.applied = Applied::policy;
    t.penalty = 0;
    t.ask = {slot, ++contexts_, 0, e, {}};
    return {slot, contexts_};
  }

  Applied decide(Context c, const Outcome& since_last, ConstRow observation, Row action,
                 Deadline until) override {
    if (c.id == 0) return Applied::fallback;
    std::unique_lock lock(mutex_);
    OpenContext& t = slots_[c.slot];
    owe(t, since_last);
    if (stopping_) {
      ++t.owed.skipped;
      return t.applied = Applied::fallback;
    }
    t.observation = &observation;
    t.action = &action;
    t.until = until;
    t.state = State::waiting;
    waiting_.push_back(c.slot);
    ready_.notify_one();
    const auto decided = [&] { return t.state == State::answered || stopping_; };
    if (until == kNever)
      t.answered.wait(lock, decided);
    else
      t.answered.wait_until(lock, until, decided);
    if (t.state == State::waiting) {  // the agent has not seen it
      std::erase(waiting_, c.slot);
      ++t.owed.skipped;
      t.applied = Applied::fallback;
    } else {
      ++t.ask.sequence;
      if (t.state == State::asked) t.applied = Applied::fallback;  // its answer will be late
    }
    t.state = State::idle;
    return t.applied;
  }

  [[nodiscard]] Deadline due() const override {
    const std::lock_guard lock(mutex_);
    return due_;
  }

  void close(Context c, const Outcome& last, ConstRow final_observation,
             std::span<const double> metrics) override {
    if (c.id == 0) return;
    const std::lock_guard lock(mutex_);
    OpenContext& t = slots_[c.slot];
    owe(t, last);
    ends_.ended.push_back({c.slot, c.id, t.ask.sequence, 0, t.ask.episode, t.owed});
    ends_.final_observation.append(final_observation.batch(), final_observation.index());
    ends_.metrics.insert(ends_.metrics.end(), metrics.begin(), metrics.end());
    t.ask.context = 0;
    ready_.notify_one();
  }

  Spec spec_;
  ActionSpace space_;
  LiveOptions options_;
  Decisions out_, ends_;
  Batch admitted_;
  std::vector<char> projected_;
  mutable std::mutex mutex_;
  std::condition_variable ready_;
  std::deque<OpenContext> slots_;      // one per slot; references stay valid
  std::deque<std::uint32_t> waiting_;  // slots, in the order of their questions
  std::vector<std::uint32_t> free_;
  Deadline due_ = kNever;  // of all that the agent has
  std::uint64_t contexts_ = 0, late_ = 0, refused_ = 0;
  bool stopping_ = false;
  std::exception_ptr error_;
  std::vector<std::unique_ptr<SystemEnv>> systems_;
  std::size_t running_;
  std::vector<std::jthread> threads_;  // last: joined before the rest goes
};

Live::Live(Spec spec, std::vector<std::unique_ptr<SystemEnv>> systems, const EpisodeSource& source,
           const LiveOptions& options)
    : exchange_(std::make_unique<Exchange>(std::move(spec), std::move(systems), source, options)) {}
Live::~Live() = default;

const Spec& Live::spec() const noexcept { return exchange_->spec(); }
const Decisions& Live::recv(Deadline until) { return exchange_->recv(until); }
void Live::send(const Batch& actions) { exchange_->send(actions); }
void Live::stop() { exchange_->stop(); }
std::uint64_t Live::late() const { return exchange_->late(); }
std::uint64_t Live::refused() const { return exchange_->refused(); }

}  // namespace park
