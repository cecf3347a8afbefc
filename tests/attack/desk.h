// A made-up desk, small enough to know its best misreports by hand. Jobs wait from the start and
// are done one after the other; users declare for how long a job reads and writes. Policies take
// the job with the largest linear score.
#pragma once

#include <array>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "park/core/candidates.h"
#include "park/core/declarations.h"
#include "park/core/env.h"
#include "park/core/events.h"
#include "park/core/layout.h"
#include "park/core/policy.h"
#include "park/core/registry.h"

namespace park::test {

struct DeskLayout : Layout {
  using Layout::Layout;
  GroupOf jobs{observation, "jobs", 8};
  LeafOf<std::int32_t> id{jobs, "job.id", {.high = 7, .doc = "number"}};
  LeafOf<float> reading{jobs, "job.reading", {.high = 1e6, .doc = "declared"}};
  LeafOf<float> writing{jobs, "job.writing", {.high = 1e6, .doc = "declared"}};
  LeafOf<std::int32_t> job{action, "job", {.doc = "the one that is done next", .index_of = "jobs"}};
  MetricOf mean_s{metrics, "mean_s", {.unit = "s", .doc = "mean time to the end of a job"}};
};

/// Users of a desk declare how long a job reads and writes.
class DeskDeclarations final : public Declarations {
 public:
  explicit DeskDeclarations(std::uint64_t jobs) : jobs_(jobs) {}
  std::uint64_t jobs() const override { return jobs_; }
  std::vector<std::string> references() const override { return {"first_come"}; }
  void present(const Moment& now, std::vector<std::uint64_t>& jobs) const override {
    for (const std::int32_t id : now.row[l_.id]) jobs.push_back(static_cast<std::uint64_t>(id));
  }
  std::size_t quantities(const Moment& now, std::uint64_t job) const override {
    return place(now.row, job) ? 2 : 0;
  }
  std::vector<std::uint8_t> critical(const Moment&, std::uint64_t) const override { return {1, 0}; }
  std::optional<std::string> complaint(const Moment&, const Misreport& m,
                                       double epsilon) const override {
    return complaint_of_factors(m.factors, 2, epsilon);
  }
  void show(const Moment& now, const std::vector<Misreport>& all, Row seen) const override {
    seen.assign(now.row);
    for (const Misreport& m : all) {
      const auto at = place(now.row, m.job);
      if (!at || m.factors.empty()) continue;
      seen[l_.reading][*at] *= static_cast<float>(m.factors[0]);
      seen[l_.writing][*at] *= static_cast<float>(m.factors[1]);
    }
  }
  double benefit(const Moment& now, std::uint64_t job, ConstRow action) const override {
    const auto chosen = static_cast<std::size_t>(action.scalar(l_.job));
    return now.row[l_.id][chosen] == static_cast<std::int64_t>(job) ? 1 : 0;
  }
  void own(const Moment& now, std::uint64_t job, std::vector<float>& out) const override {
    const std::size_t at = *place(now.row, job);
    out.push_back(now.row[l_.reading][at]);
    out.push_back(now.row[l_.writing][at]);
  }

 private:
  std::optional<std::size_t> place(ConstRow row, std::uint64_t job) const {
    for (std::size_t j = 0; j < row[l_.id].size(); ++j)
      if (row[l_.id][j] == static_cast<std::int64_t>(job)) return j;
    return {};
  }
  std::uint64_t jobs_;
  DeskLayout l_;
};

/// All jobs wait at a desk from the start; job j reads for 10 + j seconds and writes for 5. The
/// action is the one that is done next, to its end.
class Desk final : public Env {
 public:
  explicit Desk(std::size_t jobs, bool declares = true) : jobs_(jobs), declares_(declares) {}
  static Spec spec() {
    return DeskLayout().spec({.name = "desk", .summary = "a desk", .reference = "none"});
  }
  void reset(const Episode&, Row row) override {
    waiting_.clear();
    now_s_ = sum_s_ = 0;
    for (std::size_t j = 0; j < jobs_; ++j) {
      waiting_.push_back(j);
      report("arrival", j);
    }
    write(row);
  }
  Outcome step(ConstRow action, Row row) override {
    const auto at = action.scalar(l_.job);
    const std::size_t job = waiting_[static_cast<std::size_t>(at)];
    const double length_s = 15.0 + static_cast<double>(job);
    const double waited = length_s * static_cast<double>(waiting_.size());
    now_s_ += length_s;
    sum_s_ += now_s_;
    report("completion", job);
    waiting_.erase(waiting_.begin() + at);
    write(row);
    return {-waited, length_s, waiting_.empty() ? End::terminated : End::none};
  }
  void metrics(std::span<double> out) const override {
    out[l_.mean_s] = sum_s_ / static_cast<double>(jobs_);
  }
  void events(EventSink* sink) override { sink_ = sink; }
  std::unique_ptr<Declarations> declarations() const override {
    if (!declares_) return nullptr;
    return std::make_unique<DeskDeclarations>(jobs_);
  }

 private:
  void report(const char* what, std::size_t job) const {
    const EventArg arg{"job", static_cast<double>(job)};
    if (sink_ != nullptr) sink_->point("jobs", now_s_, what, {&arg, 1});
  }
  void write(Row row) const {
    row.resize(l_.jobs, waiting_.size());
    for (std::size_t j = 0; j < waiting_.size(); ++j) {
      row[l_.id][j] = static_cast<std::int32_t>(waiting_[j]);
      row[l_.reading][j] = 10 + static_cast<float>(waiting_[j]);
      row[l_.writing][j] = 5;
    }
  }

  std::size_t jobs_;
  bool declares_;
  DeskLayout l_;
  std::vector<std::size_t> waiting_;
  double now_s_ = 0, sum_s_ = 0;
  EventSink* sink_ = nullptr;
};

/// Takes the job of the largest score a * reading + b * writing; the first of equal ones.
class LinearPolicy final : public Policy {
 public:
  LinearPolicy(const Spec& spec, float a, float b)
      : l_(bind_layout<DeskLayout>(spec)), heads_(spec), a_(a), b_(b) {}
  void act(const Decisions& d, Batch& actions) override {
    for (std::size_t r = 0; r < d.asked.size(); ++r) {
      std::size_t best = 0;
      for (std::size_t j = 1; j < d.observation.row(r).count(l_.jobs); ++j)
        if (score(d.observation.row(r), j) > score(d.observation.row(r), best)) best = j;
      heads_.set(actions.row(r), 0, static_cast<std::int32_t>(best));
    }
  }
  bool scores(const Batch& observation, std::size_t head, const Batch& actions, Candidates& c,
              std::vector<float>& out) override {
    heads_.candidates(head, observation, actions, c);
    out.clear();
    for (std::size_t r = 0; r < observation.rows(); ++r)
      for (std::int64_t i = c.offsets[r]; i < c.offsets[r + 1]; ++i)
        out.push_back(score(observation.row(r),
                            static_cast<std::size_t>(c.value[static_cast<std::size_t>(i)])));
    return true;
  }

 private:
  float score(ConstRow row, std::size_t job) const {
    return a_ * row[l_.reading][job] + b_ * row[l_.writing][job];
  }
  DeskLayout l_;
  Heads heads_;
  float a_, b_;
};

/// Looks at nothing declared and has no scores.
class FirstCome final : public RowPolicy {
 private:
  void choose(const Ask&, ConstRow, Row) override {}
};

/// Desks "desk" of two jobs, and policies by which the shortest one comes first.
inline Registry desk_registry(std::size_t jobs = 2, bool declares = true) {
  Registry registry;
  registry.add_env(Desk::spec(), [=] { return std::make_unique<Desk>(jobs, declares); });
  registry.add_policy({.name = "shortest", .summary = "x", .reference = "x", .environments = {}},
                      [](const Spec& s) { return std::make_unique<LinearPolicy>(s, -1.f, -1.f); });
  registry.add_policy(
      {.name = "likes_writers", .summary = "x", .reference = "x", .environments = {}},
      [](const Spec& s) { return std::make_unique<LinearPolicy>(s, -.1f, .1f); });
  registry.add_policy({.name = "first_come", .summary = "x", .reference = "x", .environments = {}},
                      [](const Spec&) { return std::make_unique<FirstCome>(); });
  return registry;
}

}  // namespace park::test
