// An environment for tests: a shop whose customers come by chance and are served one by one. Its
// spec has every kind of leaf and head. The field `fault` breaks one rule, so that checks can prove
// that they notice. Each step serves one of the customers who are there.
#include "tests/kit/toy_shop.h"

#include <algorithm>
#include <array>
#include <atomic>
#include <functional>
#include <limits>
#include <stdexcept>
#include <thread>

#include "park/core/rng.h"

namespace park::test {
namespace {

constexpr std::size_t kKinds = 2, kDesks = 3;
constexpr double kLongest = 1e7;

Record observation_record(const ToyShopConfig& c) {
  Record r;
  r.groups = {{"customers", c.customers}, {"kinds", kKinds}};
  r.leaves = {{.name = "clock.time_s",
               .dtype = DType::f64,
               .low = 0,
               .high = kLongest,
               .unit = "s",
               .doc = "now"},
              {.name = "customer.left",
               .dtype = DType::i32,
               .low = 0,
               .high = 12,
               .doc = "wanted",
               .group = "customers"},
              {.name = "customer.wait_s",
               .low = 0,
               .high = kLongest,
               .unit = "s",
               .doc = "since arrival",
               .group = "customers"},
              {.name = "customer.kind",
               .dtype = DType::i32,
               .low = 0,
               .high = 1,
               .doc = "which",
               .group = "customers",
               .index_of = "kinds"},
              {.name = "mask.customer",
               .dtype = DType::u8,
               .low = 0,
               .high = 1,
               .doc = "may be served",
               .group = "customers"},
              {.name = "amount.min",
               .dtype = DType::i32,
               .low = 0,
               .high = 12,
               .doc = "least",
               .group = "customers"},
              {.name = "amount.max",
               .dtype = DType::i32,
               .low = 0,
               .high = 12,
               .doc = "most",
               .group = "customers"},
              {.name = "kind.weight",
               .shape = {2},
               .low = -1,
               .high = 1,
               .doc = "constant",
               .group = "kinds"},
              {.name = "mask.desk",
               .dtype = DType::u8,
               .shape = {kDesks},
               .low = 0,
               .high = 1,
               .doc = "open to it",
               .group = "kinds"},
              {.name = "info.visits",
               .dtype = DType::i32,
               .low = 0,
               .high = 1e6,
               .doc = "decisions so far"}};
  return r;
}

std::atomic<std::uint64_t> shared_count = 0, made_count = 0;
std::atomic<std::int64_t> spec_count = 0;

}  // namespace

const std::vector<Fault>& faults() {
  static const std::vector<Fault> all = {
      {"no_doc", "spec_is_valid", "a leaf has no documentation"},
      {"unbounded", "spec_is_valid", "a leaf has no upper bound"},
      {"no_metric_unit", "spec_is_valid", "a metric has no unit"},
      {"other_name", "spec_is_valid", "the spec has another name than the environment"},
      {"growing_spec", "canonical_text_round_trips", "each call of spec gives a larger capacity"},
      {"nan", "observations_are_sound", "a value is not a number after some decisions"},
      {"outside", "observations_are_sound", "a value leaves its bounds after some decisions"},
      {"bad_index", "observations_are_sound", "an index names an element that is not there"},
      {"overfull", "observations_are_sound", "a group has more elements than its capacity"},
      {"nan_reward", "observations_are_sound", "the reward is not a number"},
      {"claims", "observations_are_sound",
       "the environment says now and then that the policy did not decide"},
      {"nan_metric", "metrics_are_told", "a metric is not a number"},
      {"counts_looks", "metrics_are_told", "a metric changes when it is asked for"},
      {"unwritten_fixed", "every_value_is_written",
       "a value of every row is left as it was in memory"},
      {"unwritten_ragged", "every_value_is_written",
       "a value of each element is left as it was in memory"},
      {"unwritten_metric", "every_value_is_written", "a metric is left as it was in memory"},
      {"neighbour", "rows_leave_their_neighbours_alone", "a row writes to the row before it"},
      {"spills", "rows_leave_their_neighbours_alone", "a row writes to the row behind it"},
      {"endless", "episodes_end", "the end is never reported"},
      {"backwards", "time_adds_up", "elapsed seconds are negative"},
      {"hasty", "time_adds_up",
       "elapsed seconds are negative at the lowest value of one head alone"},
      {"drift", "time_adds_up", "elapsed seconds are 1 % longer than the clock says"},
      {"late_arrival", "time_adds_up", "an arrival is reported after its step"},
      {"late_horizon", "horizon_only_cuts", "an episode goes beyond its horizon"},
      {"sees_horizon", "horizon_only_cuts", "a value shows the horizon before it comes"},
      {"wrong_end", "horizon_only_cuts", "an episode that is cut counts as terminated"},
      {"no_choice", "every_prefix_completes", "a mask allows nothing"},
      {"dead_end", "every_prefix_completes", "a mask allows nothing after one choice"},
      {"empty_range", "every_prefix_completes", "a range is empty in some states"},
      {"refuses", "legal_actions_are_accepted", "an action that the mask allows is refused"},
      {"refuses_one", "legal_actions_are_accepted",
       "one action that the mask allows is refused in one state"},
      {"ignores", "legal_actions_are_accepted", "decisions are ignored"},
      {"eager", "policies_play",
       "a value leaves its bounds in states that only a good policy comes to"},
      {"remembers", "repeats_itself", "a count is kept across resets"},
      {"abandoned", "repeats_itself",
       "an episode that was given up after some decisions changes the next one"},
      {"numbered", "repeats_itself", "the number of an episode changes it"},
      {"old_events", "repeats_itself", "events are counted across resets"},
      {"shared", "repeats_itself",
       "randomness without a seed, shared by all environments of the process"},
      {"deaf", "inputs_matter", "the seed of the inputs is ignored"},
      {"narrow", "inputs_matter", "half of the seed of the inputs is ignored"},
      {"follows", "inputs_ignore_actions",
       "inputs are drawn in the order of use, which actions change"},
      {"chance", "inputs_ignore_actions", "inputs are drawn from the seed of the dynamics"},
      {"silent", "inputs_ignore_actions", "no arrival is reported"},
      {"foretells", "inputs_ignore_actions", "an observation shows the size of the next arrival"},
      {"watched", "watching_changes_nothing", "a sink of events changes the episode"},
      {"still_reports", "watching_changes_nothing", "events are reported to a sink that is gone"},
      {"bad_span", "watching_changes_nothing", "a span ends before it starts"},
      {"overlap", "watching_changes_nothing", "spans of a lane overlap"},
      {"lost_stage", "watching_changes_nothing", "a span names a stage that its job has not"},
      {"thread", "threads_change_nothing", "an episode depends on the thread"},
      {"thread", "push_equals_pull", "an episode depends on the thread"},
      {"ages", "records_replay", "an episode depends on how many environments were made before"},
      {"no_clone", "clones_agree_and_part", "there is no clone though the traits say so"},
      {"fresh_clone", "clones_agree_and_part", "a clone begins anew"},
      {"shared_clone", "clones_agree_and_part",
       "a clone and its original share what a reset writes"},
      {"clone_reports", "clones_agree_and_part", "a clone reports to the sink of its original"},
      {"one_future", "clones_agree_and_part", "every seed draws the same future"},
      {"loose_future", "clones_agree_and_part", "a seed draws another future each time"},
      {"counts_anew", "clones_agree_and_part",
       "a copy with another future has no events behind it"},
      {"disturbs", "clones_agree_and_part", "a copy with another future changes its original"},
      {"future_reports", "clones_agree_and_part",
       "a copy with another future reports to the sink of its original"},
      {"allocates", "steady_state_allocates_nothing", "each step allocates"},
      {"hoards", "steady_state_allocates_nothing", "memory grows with every step"},
      {"rarely_allocates", "long_runs_allocate_nothing", "one step in ten thousand allocates"},
  };
  return all;
}

Spec ToyShop::spec(const Config& c) {
  Spec s{.name = std::string(kName), .summary = "serve customers", .reference = "for tests"};
  s.observation = observation_record(c);
  s.action.leaves = {{.name = "customer",
                      .dtype = DType::i32,
                      .low = 0,
                      .high = c.customers - 1.0,
                      .doc = "whom",
                      .index_of = "customers"},
                     {.name = "amount",
                      .dtype = DType::i32,
                      .low = 1,
                      .high = 12,
                      .doc = "how much",
                      .given = {"customer"}},
                     {.name = "desk",
                      .dtype = DType::i32,
                      .low = 0,
                      .high = kDesks - 1.0,
                      .doc = "where",
                      .given = {"customer", "customer.kind"}},
                     {.name = "speed", .low = 0, .high = 1, .doc = "how fast"}};
  s.metrics = {{"decisions", "1", true, "number of decisions"},
               {"time_s", "s", true, "at the end"}};
  s.traits.cloneable = true;
  if (c.fault == "no_doc") s.observation.leaves[1].doc.clear();
  if (c.fault == "unbounded") s.observation.leaves[2].high = kInf;
  if (c.fault == "no_metric_unit") s.metrics[0].unit.clear();
  if (c.fault == "other_name") s.name = "shop";
  if (c.fault == "growing_spec") s.observation.groups[0].capacity += ++spec_count;
  return s;
}

ToyShop::ToyShop(const Config& c) : config_(c), made_(made_count++) {
  const Spec s = spec(c);
  const Batch o(s.observation), a(s.action);
  time_ = o.field<double>("clock.time_s");
  left_ = o.field<std::int32_t>("customer.left");
  wait_ = o.field<float>("customer.wait_s");
  kind_ = o.field<std::int32_t>("customer.kind");
  mask_customer_ = o.field<std::uint8_t>("mask.customer");
  min_ = o.field<std::int32_t>("amount.min");
  max_ = o.field<std::int32_t>("amount.max");
  weight_ = o.field<float>("kind.weight");
  mask_desk_ = o.field<std::uint8_t>("mask.desk");
  visits_ = o.field<std::int32_t>("info.visits");
  customers_ = o.group("customers");
  kinds_ = o.group("kinds");
  customer_ = a.field<std::int32_t>("customer");
  amount_ = a.field<std::int32_t>("amount");
  desk_ = a.field<std::int32_t>("desk");
  speed_ = a.field<float>("speed");
  present_.reserve(static_cast<std::size_t>(c.customers));
  for (const Clerk& clerk : c.staff) rate_ += clerk.rate;
}

std::unique_ptr<Env> ToyShop::clone() const {
  if (is("no_clone")) return nullptr;
  if (is("fresh_clone")) return std::make_unique<ToyShop>(config_);
  auto copy = std::make_unique<ToyShop>(*this);
  copy->present_.reserve(present_.capacity());
  if (!is("clone_reports")) copy->sink_ = nullptr;
  if (!is("shared_clone")) copy->pace_ = std::make_shared<double>(*pace_);
  return copy;
}

std::unique_ptr<Env> ToyShop::clone_with_future(std::uint64_t seed) const {
  auto copy = std::make_unique<ToyShop>(*this);
  copy->present_.reserve(present_.capacity());
  copy->pace_ = std::make_shared<double>(*pace_);
  if (!is("future_reports")) copy->sink_ = nullptr;
  if (is("counts_anew")) copy->event_count_ = 0;
  if (is("one_future")) seed = 0;
  if (is("loose_future")) seed += ++shared_count;
  if (is("disturbs")) *pace_ *= 1.01;
  const Rng future(seed);
  copy->episode_.inputs = future.split("inputs").bits();
  copy->episode_.dynamics = future.split("dynamics").bits();
  if (arrived_ < config_.customers)
    copy->next_s_ = now_s_ + future.split("gap").exponential(config_.interval_s);
  return copy;
}

Rng ToyShop::draw_of(std::uint64_t customer) const {
  const std::uint64_t seed = is("deaf")     ? 0
                             : is("chance") ? episode_.dynamics
                             : is("narrow") ? episode_.inputs & 0xffffffffU
                                            : episode_.inputs;
  return Rng(seed).split("customers").split(customer);
}

std::int32_t ToyShop::wanted(Rng& draw) const {
  return 1 + static_cast<std::int32_t>(draw.below(config_.mood == "busy" ? 12 : 6));
}

/// Everybody who has arrived by now.
void ToyShop::let_in() {
  while (arrived_ < config_.customers && next_s_ <= now_s_) {
    const auto number = static_cast<std::uint64_t>(arrived_);
    Rng draw = draw_of(is("follows") ? gaps_drawn_ : number);
    Customer c;
    c.arrival_s = next_s_;
    c.number = arrived_++;
    c.left = wanted(draw);
    ++event_count_;
    c.kind = static_cast<std::int32_t>(draw.below(kKinds));
    next_s_ += draw.exponential(config_.interval_s);
    ++gaps_drawn_;
    present_.push_back(c);
    const EventArg amount{"amount", static_cast<double>(c.left)};
    const double reported_s = is("late_arrival") ? now_s_ + 1 : c.arrival_s;
    if (sink_ && !is("silent")) sink_->point("door", reported_s, "arrival", {&amount, 1});
  }
}

void ToyShop::report_service(double start_s) const {
  const EventArg job{"job", 1}, stage{"stage", 0};
  const std::array<EventArg, 2> lost{job, stage};
  const std::span<const EventArg> args =
      is("lost_stage") ? std::span<const EventArg>(lost) : std::span<const EventArg>();
  sink_->span("shop", start_s, is("bad_span") ? start_s - 1 : now_s_, "service", args);
  if (is("overlap")) sink_->span("shop", start_s, now_s_, "service", {});
}

double ToyShop::service_s(const Customer& c, std::int32_t amount, double speed) const {
  Rng noise = Rng(episode_.dynamics)
                  .split(static_cast<std::uint64_t>(c.number))
                  .split(static_cast<std::uint64_t>(c.visits));
  double s = amount * (0.5 + noise.uniform()) / (1 + speed) / rate_;
  if (is("shared")) s *= 1 + 1e-9 * static_cast<double>(++shared_count);
  if (is("watched") && sink_) s *= 1.5;
  if (is("ages")) s *= 1 + 1e-3 * static_cast<double>(made_);
  if (is("thread"))
    s *= 1 + 1e-3 * static_cast<double>(std::hash<std::thread::id>()(std::this_thread::get_id()) %
                                        1000);
  if (is("remembers")) s *= 1 + 1e-9 * total_decisions_;
  if (is("numbered")) s *= 1 + 1e-3 * static_cast<double>(episode_.id % 5);
  if (left_behind_) s *= 1.5;
  return s * *pace_;
}

void ToyShop::reset(const Episode& e, Row row) {
  left_behind_ = is("abandoned") && !ended_ && decisions_ > 2;
  ended_ = false;
  served_first_ = 0;
  if (is("shared_clone")) *pace_ = 1 + 1e-3 * static_cast<double>(e.inputs % 997);
  if (!is("old_events")) event_count_ = 0;
  episode_ = e;
  now_s_ = next_s_ = 0;
  arrived_ = decisions_ = 0;
  gaps_drawn_ = 0;
  present_.clear();
  let_in();
  write(row);
}

/// Faults that need a certain history.
void ToyShop::follow_fault(std::int32_t place, std::int32_t amount) {
  const Customer& c = present_[static_cast<std::size_t>(place)];
  const bool first = place == 0 && present_.size() > 1 && amount == c.left && amount > 1;
  served_first_ = first ? served_first_ + 1 : 0;
  if (is("refuses") && amount == c.left && amount > 1) throw std::runtime_error("too much");
  if (is("refuses_one") && decisions_ == 12 && amount == 1 && place == 1)
    throw std::runtime_error("not now");
}

Outcome ToyShop::step(ConstRow action, Row row) {
  const auto i =
      is("ignores") ? std::size_t{0} : static_cast<std::size_t>(action.scalar(customer_));
  Customer& c = present_[i];
  const std::int32_t amount = is("ignores") ? 1 : action.scalar(amount_);
  const double speed = is("ignores") ? 0 : action.scalar(speed_);
  follow_fault(static_cast<std::int32_t>(i), amount);
  if (is("allocates")) log_ = std::vector<double>(static_cast<std::size_t>(3 + decisions_ % 3));
  if (is("hoards")) log_.push_back(now_s_);
  if (is("rarely_allocates") && decisions_ == 9000) log_ = std::vector<double>(3);
  if (is("follows")) gaps_drawn_ += static_cast<std::uint64_t>(action.scalar(desk_));
  const double before_s = now_s_;
  const auto waiting = static_cast<double>(present_.size());
  now_s_ += service_s(c, amount, speed);
  if (sink_) report_service(before_s);
  ++decisions_;
  ++total_decisions_;
  ++c.visits;
  c.left -= amount;
  if (c.left == 0 && !is("endless"))
    present_.erase(present_.begin() + static_cast<std::ptrdiff_t>(i));
  if (is("endless") && c.left == 0) c.left = 1;
  const bool empty = present_.empty();
  if (empty && arrived_ < config_.customers) now_s_ = std::max(now_s_, next_s_);
  Outcome o;
  if (now_s_ >= episode_.horizon_s && !is("late_horizon")) {
    now_s_ = episode_.horizon_s;
    o.end = is("wrong_end") ? End::terminated : End::truncated;
  } else if (empty && arrived_ == config_.customers) {
    o.end = End::terminated;
  }
  if (is("late_horizon") && now_s_ >= episode_.horizon_s) o.end = End::truncated;
  let_in();
  o.elapsed_s = now_s_ - before_s;
  o.reward = is("nan_reward") ? std::numeric_limits<double>::quiet_NaN() : -waiting * o.elapsed_s;
  if (is("drift")) o.elapsed_s *= 1.01;
  if (is("backwards") || (is("hasty") && speed == 0)) o.elapsed_s = -o.elapsed_s;
  if (is("claims") && decisions_ % 5 == 0) o.applied = Applied::projected;
  ended_ = o.end != End::none;
  write(row);
  return o;
}

void ToyShop::write(Row row) {
  row.scalar(time_) = now_s_;
  if (is("sees_horizon") && episode_.horizon_s < kLongest) row.scalar(time_) = episode_.horizon_s;
  if (!is("unwritten_fixed")) row.scalar(visits_) = decisions_;
  if (is("foretells") && arrived_ < config_.customers) {
    Rng next = draw_of(static_cast<std::uint64_t>(arrived_));
    row.scalar(visits_) = wanted(next);
  }
  row.resize(customers_,
             present_.size() + (is("overfull") ? static_cast<std::size_t>(config_.customers) : 0));
  row.resize(kinds_, kKinds);
  write_customers(row);
  write_kinds(row);
  spoil(row);
}

void ToyShop::write_customers(Row row) const {
  for (std::size_t i = 0; i < present_.size(); ++i) {
    const Customer& c = present_[i];
    row[left_][i] = c.left;
    if (!is("unwritten_ragged"))
      row[wait_][i] = static_cast<float>(std::max(0.0, now_s_ - c.arrival_s));
    row[kind_][i] = c.kind;
    row[mask_customer_][i] = is("no_choice") ? 0 : 1;
    row[min_][i] = is("empty_range") && c.left > 3 ? c.left + 1 : 1;
    row[max_][i] = c.left;
  }
}

void ToyShop::write_kinds(Row row) const {
  for (std::size_t k = 0; k < kKinds; ++k) {
    row[weight_][2 * k] = k == 0 ? -1.0f : 0.5f;
    row[weight_][2 * k + 1] = 1.0f;
    for (std::size_t d = 0; d < kDesks; ++d) row[mask_desk_][k * kDesks + d] = d == k || d == k + 1;
    if (is("dead_end") && k == 1)
      for (std::size_t d = 0; d < kDesks; ++d) row[mask_desk_][k * kDesks + d] = 0;
  }
}

void ToyShop::spoil(Row row) const {
  if (is("nan") && decisions_ > 2) row[weight_][3] = std::numeric_limits<float>::quiet_NaN();
  if ((is("outside") && decisions_ > 2) || (is("eager") && served_first_ > 3))
    row[weight_][3] = 1.5f;
  if (is("bad_index") && !present_.empty()) row[kind_][0] = kKinds;
  if (is("spills")) (&row.scalar(visits_))[1] = 7;
  if (is("neighbour") && row.index() > 0) row.batch().row(row.index() - 1).scalar(visits_) = 7;
}

void ToyShop::metrics(std::span<double> m) const {
  m[0] = is("nan_metric") ? std::numeric_limits<double>::quiet_NaN() : decisions_;
  if (is("counts_looks")) m[0] += ++looks_;
  if (!is("unwritten_metric")) m[1] = now_s_;
}

Spec ToySloppy::spec(const Config&) {
  Spec s{.name = std::string(kName), .summary = "wrong fields", .reference = "for tests"};
  s.observation.leaves = {{.name = "nothing", .low = 0, .high = 1, .doc = "zero"}};
  s.action.leaves = {{.name = "anything", .low = 0, .high = 1, .doc = "ignored"}};
  s.metrics = {{"none", "1", true, "zero"}};
  return s;
}

}  // namespace park::test
