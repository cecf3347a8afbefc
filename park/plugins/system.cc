// A run of a plug-in's system. Questions carries the plug-in's calls to Park's decider: rows are
// copied into one of a few batches, which are taken for the time of a call, since calls come from
// any thread. What Park throws is kept, the plug-in is told to end, and it is thrown again when run
// has returned.
#include "park/plugins/system.h"

#include <atomic>
#include <chrono>
#include <cmath>
#include <cstring>
#include <exception>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include "park/plugin/rows.h"
#include "park/plugin/tables.h"
#include "park/plugins/new_row.h"

namespace park::plugins {
namespace {

/// A question on its way: one row and one action.
struct Desk {
  explicit Desk(const Spec& spec)
      : observation(spec.observation), action(spec.action), form(spec.observation), places(form) {
    fields = plugin::byte_fields(observation);
    choices = plugin::byte_fields(action);
    action.resize(1);
  }
  Batch observation, action;
  IdVector<Field<std::uint8_t>> fields, choices;
  RowForm form;
  NewRow places;
};

Outcome outcome_of(const ParkOutcome& theirs) {
  const ParkOutcome o = plugin::copied(theirs);
  if (!std::isfinite(o.reward) || !(o.elapsed_s >= 0 && o.elapsed_s < kInf) || o.end < 0 ||
      o.end > PARK_TRUNCATED || o.applied < 0 || o.applied > PARK_FALLBACK)
    throw Error(Errc::not_finite,
                "an outcome: allowed are a finite reward, a finite time from 0 on, an end and an "
                "applied of 0 to 2");
  return plugin::from_park(o);
}

class Questions {
 public:
  Questions(Episodes& episodes, Decider& decider, std::stop_token stop, const Spec& spec)
      : episodes_(&episodes), decider_(&decider), stop_(std::move(stop)), spec_(&spec) {
    table_ = {sizeof(ParkDecider), this, &next, &open, &decide, &close, &stopped};
  }
  [[nodiscard]] const ParkDecider* table() const noexcept { return &table_; }
  /// After the run. Throws what ended it, if Park did.
  void finish() const {
    if (failed_) std::rethrow_exception(failed_);
  }
  [[nodiscard]] std::int64_t left_open() const noexcept { return open_; }

 private:
  static Questions& of(void* self) noexcept { return *static_cast<Questions*>(self); }

  template <class F>
  std::int32_t guarded(F&& f) noexcept {
    try {
      f();
      return PARK_OK;
    } catch (const Error& e) {
      keep();
      return plugin::code_of(e.code());
    } catch (...) {
      keep();
      return PARK_FAILED;
    }
  }
  void keep() noexcept {
    const std::scoped_lock lock(mutex_);
    if (!failed_) failed_ = std::current_exception();
  }

  [[nodiscard]] std::unique_ptr<Desk> take_desk() {
    const std::scoped_lock lock(mutex_);
    if (desks_.empty()) return std::make_unique<Desk>(*spec_);
    auto desk = std::move(desks_.back());
    desks_.pop_back();
    return desk;
  }
  void give_back(std::unique_ptr<Desk> desk) {
    const std::scoped_lock lock(mutex_);
    desks_.push_back(std::move(desk));
  }
  /// The row of the plug-in, checked.
  [[nodiscard]] static ConstRow read(Desk& desk, const ParkRow& theirs) {
    desk.observation.clear();
    const Row row = desk.observation.append();
    ParkNewRow& form = desk.places.get();
    desk.form.offer(row, form);
    for (std::size_t c = 0; c < desk.fields.size(); ++c)
      form.columns[c] = const_cast<void*>(theirs.columns[c]);
    for (std::size_t g = 0; g < desk.observation.record().groups.size(); ++g)
      form.counts[g] = theirs.counts[g];
    desk.form.take(row, form);
    return row;
  }

  static std::int32_t next(void* self, ParkEpisode* to) {
    std::int32_t any = 0;
    of(self).guarded([&] {
      const auto e = of(self).episodes_->next();
      if (!e) return;
      to->id = e->id;
      to->inputs = e->inputs;
      to->dynamics = e->dynamics;
      to->horizon_s = e->horizon_s;
      any = 1;
    });
    return any;
  }
  static std::int32_t open(void* self, const ParkEpisode* episode, ParkContext* to) {
    return of(self).guarded([&] {
      const Context c = of(self).decider_->open(plugin::from_park(plugin::copied(*episode)));
      ++of(self).open_;
      to->slot = c.slot;
      to->id = c.id;
    });
  }
  static std::int32_t decide(void* self, const ParkContext* context, const ParkOutcome* since_last,
                             const ParkRow* observation, void* const* action,
                             std::int64_t deadline_ns, std::int32_t* applied) {
    *applied = PARK_FALLBACK;
    return of(self).guarded([&] {
      *applied = static_cast<std::int32_t>(of(self).ask({context->slot, context->id},
                                                        outcome_of(*since_last), *observation,
                                                        action, deadline_ns));
    });
  }
  Applied ask(Context context, const Outcome& since_last, const ParkRow& row, void* const* action,
              std::int64_t deadline_ns) {
    auto desk = take_desk();
    Deadline deadline = kNever;
    if (deadline_ns != PARK_NEVER)
      deadline = Deadline(
          std::chrono::duration_cast<Clock::duration>(std::chrono::nanoseconds(deadline_ns)));
    const Row choice = desk->action.row(0);
    const Applied applied =
        decider_->decide(context, since_last, read(*desk, row), choice, deadline);
    if (applied != Applied::fallback)
      for (std::size_t h = 0; h < desk->choices.size(); ++h) {
        const auto value = choice[desk->choices[h]];
        std::memcpy(action[h], value.data(), value.size());
      }
    give_back(std::move(desk));
    return applied;
  }
  static std::int32_t close(void* self, const ParkContext* context, const ParkOutcome* last,
                            const ParkRow* final_observation, const double* metrics,
                            std::uint64_t count) {
    return of(self).guarded([&] {
      Questions& q = of(self);
      if (count != q.spec_->metrics.size())
        throw Error(Errc::invalid_space, "a context is closed with " + std::to_string(count) +
                                             " figures; its spec has " +
                                             std::to_string(q.spec_->metrics.size()));
      const Outcome o = outcome_of(*last);
      if (o.end == End::none)
        throw Error(Errc::invalid_space, "a context is closed whose episode goes on");
      auto desk = q.take_desk();
      q.decider_->close({context->slot, context->id}, o, read(*desk, *final_observation),
                        {metrics, count});
      q.give_back(std::move(desk));
      --q.open_;
    });
  }
  static std::int32_t stopped(void* self) { return of(self).stop_.stop_requested() ? 1 : 0; }

  Episodes* episodes_;
  Decider* decider_;
  std::stop_token stop_;
  const Spec* spec_;
  ParkDecider table_{};
  std::atomic<std::int64_t> open_{0};
  std::mutex mutex_;  // of what follows
  std::exception_ptr failed_;
  std::vector<std::unique_ptr<Desk>> desks_;
};

}  // namespace

PluginSystem::PluginSystem(std::shared_ptr<const SystemKind> kind,
                           std::shared_ptr<const Configuration> config)
    : kind_(std::move(kind)), config_(std::move(config)), spec_(config_->spec()) {
  ErrorPlace error;
  error.expect_ok(kind_->calls.create(config_->get(), &system_, error.get()), kind_->who);
}

PluginSystem::~PluginSystem() { kind_->calls.destroy(system_); }

void PluginSystem::run(Episodes& episodes, Decider& decider, std::stop_token stop) {
  ErrorPlace error;
  Questions questions(episodes, decider, stop, spec_);
  std::int32_t code = PARK_OK;
  {
    const std::stop_callback on_stop(stop, [this] {
      if (kind_->calls.stop != nullptr) kind_->calls.stop(system_);
    });
    code = kind_->calls.run(system_, questions.table(), error.get());
  }
  questions.finish();
  error.expect_ok(code, kind_->who);
  if (questions.left_open() != 0)
    throw Error(Errc::unavailable, kind_->who + ": its run ended with " +
                                       std::to_string(questions.left_open()) +
                                       " contexts that it did not close");
}

}  // namespace park::plugins
