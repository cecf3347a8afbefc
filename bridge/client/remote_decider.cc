// A system here, a policy behind a server. Inside the Pump a Live collects the questions of all
// threads; one thread takes what waits, sends it as one message and hands the answers back. Begun
// notes what the server of this connection knows, so that every context begins anew after a
// reconnection. Losing the server leaves all questions to their fallback. Running systems call
// open, decide and close.
#include "bridge/client/remote_decider.h"

#include <algorithm>
#include <cmath>
#include <condition_variable>
#include <future>
#include <mutex>
#include <optional>
#include <thread>
#include <utility>
#include <vector>

namespace park::bridge {
namespace {

using std::chrono::milliseconds;

constexpr milliseconds kLook{50};                               // how soon an end is noticed
constexpr milliseconds kFirstPause{100}, kLongestPause{2'000};  // before connecting again

/// Stands for the system inside a Live: it hands out the decider that it is given.
class Inside final : public SystemEnv {
 public:
  explicit Inside(std::promise<Decider*> decider) : decider_(std::move(decider)) {}
  void run(Episodes&, Decider& decider, std::stop_token stop) override {
    decider_.set_value(&decider);
    std::mutex mutex;
    std::condition_variable_any wake;
    std::unique_lock lock(mutex);
    wake.wait(lock, stop, [&] { return stop.stop_requested(); });
  }

 private:
  std::promise<Decider*> decider_;
};

/// What a server knows of the contexts: to one that is new they all begin. Numbers the questions
/// of each from where it began there.
class Begun {
 public:
  explicit Begun(const Spec& spec) : question_(spec) {}

  /// What to ask this server.
  [[nodiscard]] const Decisions& question(const Decisions& d) {
    known_.clear();
    ended_first_.clear();
    bool same = true;
    for (const Ended& e : d.ended) {
      const bool known = knows(e.slot, e.context);
      known_.push_back(known ? 1 : 0);
      ended_first_.push_back(known ? first(e.slot) : 0);
      same = same && known && first(e.slot) == 0;
    }
    for (const Ask& a : d.asked) {
      if (a.slot >= slots_.size()) slots_.resize(a.slot + 1);
      if (!knows(a.slot, a.context)) slots_[a.slot] = {a.context, a.sequence};
      same = same && first(a.slot) == 0;
    }
    return same ? d : rewritten(d);
  }

 private:
  struct Slot {
    std::uint64_t context = 0, first = 0;  // the sequence that it began with there
  };

  [[nodiscard]] std::uint64_t first(std::uint32_t slot) const { return slots_[slot].first; }
  [[nodiscard]] bool knows(std::uint32_t slot, std::uint64_t context) const {
    return slot < slots_.size() && slots_[slot].context == context;
  }

  const Decisions& rewritten(const Decisions& d) {
    question_.clear();
    question_.observation.append(d.observation);
    for (Ask a : d.asked) {
      a.sequence -= first(a.slot);
      if (a.sequence == 0) a.since_last = {};
      question_.asked.push_back(a);
    }
    const std::size_t metrics = d.ended.empty() ? 0 : d.metrics.size() / d.ended.size();
    for (std::size_t i = 0; i < d.ended.size(); ++i) {
      if (known_[i] == 0) continue;
      question_.ended.push_back(d.ended[i]);
      question_.ended.back().decisions -= ended_first_[i];
      question_.final_observation.append(d.final_observation, i);
      const auto begin = d.metrics.begin() + static_cast<std::ptrdiff_t>(i * metrics);
      question_.metrics.insert(question_.metrics.end(), begin,
                               begin + static_cast<std::ptrdiff_t>(metrics));
    }
    return question_;
  }

  std::vector<Slot> slots_;
  std::vector<char> known_;                 // of those that ended: whether this server knows them
  std::vector<std::uint64_t> ended_first_;  // ... and the sequence that they began with there
  Decisions question_;
};

}  // namespace

/// The thread that asks the server.
class RemoteDecider::Pump {
 public:
  Pump(Connect connect, std::string policy, milliseconds timeout, Spec spec,
       const LiveOptions& options)
      : connect_(std::move(connect)),
        policy_text_(std::move(policy)),
        timeout_(timeout),
        spec_(std::move(spec)),
        none_({}) {
    std::promise<Decider*> promise;
    std::future<Decider*> future = promise.get_future();
    std::vector<std::unique_ptr<SystemEnv>> systems;
    systems.push_back(std::make_unique<Inside>(std::move(promise)));
    live_ = std::make_unique<Live>(spec_, std::move(systems), none_, options);
    decider_ = future.get();
    thread_ = std::jthread([this] { run(); });
  }
  ~Pump() {
    live_->stop();
    thread_.join();
  }

  [[nodiscard]] Decider& decider() noexcept { return *decider_; }
  [[nodiscard]] Deadline latest() const { return Clock::now() + timeout_; }
  [[nodiscard]] DeciderCounts counts() const {
    const std::lock_guard lock(mutex_);
    DeciderCounts counts = counts_;
    counts.late = live_->late();
    counts.refused = live_->refused();
    return counts;
  }
  [[nodiscard]] std::string trouble() const {
    const std::lock_guard lock(mutex_);
    return trouble_;
  }

 private:
  void run() {
    Batch actions(spec_.action);
    Decisions question(spec_);
    for (;;) {
      if (!policy_) connect();
      const Decisions& d = live_->recv(Clock::now() + kLook);
      if (d.done) return;
      question.append(d);  // behind the contexts that ended since the last one
      if (d.asked.empty() && policy_) continue;
      if (ask(question, actions)) send(actions);
      question.clear();
    }
  }

  /// Where an action is illegal the questions stay without an answer, and the systems go on.
  void send(const Batch& actions) {
    try {
      live_->send(actions);
    } catch (const Error&) {
      const std::lock_guard lock(mutex_);
      counts_.illegal += actions.rows();
    }
  }

  void connect() {
    if (Clock::now() < again_) return;
    try {
      // Questions wait in the meantime: not long for a server that is not there.
      policy_.emplace(connect_(pause_), policy_text_, spec_);
      begun_.emplace(spec_);
      pause_ = kFirstPause;
      const std::lock_guard lock(mutex_);
      ++counts_.connected;
      trouble_.clear();
    } catch (const Error& error) {
      lost(error);
    }
  }

  bool ask(const Decisions& d, Batch& actions) {
    if (policy_) {
      try {
        const Decisions& question = begun_->question(d);
        for (const Ask& a : question.asked)
          if (a.sequence == 0) policy_->start(a.slot, a.episode, Rng(1).split(a.context));
        policy_->act(question, actions);
        const std::lock_guard lock(mutex_);
        counts_.answered += d.asked.size();
        return true;
      } catch (const Error& error) {
        lost(error);
      }
    }
    const std::lock_guard lock(mutex_);
    counts_.unanswered += d.asked.size();
    return false;
  }

  void lost(const Error& error) {
    policy_.reset();
    again_ = Clock::now() + pause_;
    pause_ = std::min(2 * pause_, kLongestPause);
    const std::lock_guard lock(mutex_);
    trouble_ = error.what();
  }

  Connect connect_;
  std::string policy_text_;
  milliseconds timeout_;
  Spec spec_;
  FixedEpisodes none_;
  std::unique_ptr<Live> live_;
  Decider* decider_ = nullptr;
  std::optional<RemotePolicy> policy_;
  std::optional<Begun> begun_;
  Deadline again_{};
  milliseconds pause_ = kFirstPause;
  mutable std::mutex mutex_;  // of the rest
  DeciderCounts counts_;
  std::string trouble_ = "not connected yet";
  std::jthread thread_;
};

RemoteDecider::RemoteDecider(const RemotePolicyConfig& config, Spec spec,
                             const LiveOptions& options)
    : RemoteDecider(
          [config](milliseconds hello) {
            ConnectOptions reach = connect_options(config);
            reach.hello = hello;
            return std::make_unique<Connection>(reach);
          },
          config.policy, milliseconds(std::llround(config.timeout_s * 1000)), std::move(spec),
          options) {}
RemoteDecider::RemoteDecider(Connect connect, std::string policy, milliseconds timeout, Spec spec,
                             const LiveOptions& options)
    : pump_(std::make_unique<Pump>(std::move(connect), std::move(policy), timeout, std::move(spec),
                                   options)) {}
RemoteDecider::~RemoteDecider() = default;

Context RemoteDecider::open(const Episode& episode) { return pump_->decider().open(episode); }

Applied RemoteDecider::decide(Context context, const Outcome& since_last, ConstRow observation,
                              Row action, Deadline until) {
  return pump_->decider().decide(context, since_last, observation, action,
                                 std::min(until, pump_->latest()));
}

void RemoteDecider::close(Context context, const Outcome& last, ConstRow final_observation,
                          std::span<const double> metrics) {
  pump_->decider().close(context, last, final_observation, metrics);
}

DeciderCounts RemoteDecider::counts() const { return pump_->counts(); }
std::string RemoteDecider::trouble() const { return pump_->trouble(); }

}  // namespace park::bridge
