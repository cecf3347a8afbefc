// What a driver tells an agent, as short texts of tests, and a decider that keeps what it is asked.
#pragma once

#include <algorithm>
#include <cstdint>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "park/core/batch.h"
#include "park/core/system_env.h"
#include "systems/spark/spark_wire.h"

namespace park::spark::test {

/// A stage as a driver tells it.
struct ToldStage {
  std::uint32_t id = 0, job = 0;
  std::vector<std::uint32_t> parents{};
  std::uint32_t tasks = 4, left = 4, running = 0;
  bool runnable = true;
  std::uint32_t measured = 0;
  double measured_s = 0;
};

/// What a driver tells when slots are free.
struct Told {
  double time_s = 0, job_seconds = 0, busy_s = 0;
  std::uint64_t fallbacks = 0;
  std::uint32_t slots = 4, idle = 4, source = 4;
  std::int32_t source_job = -1;
  std::vector<double> arrivals_s{0};  // a job each: "job 0", "job 1", ...
  std::vector<ToldStage> stages{{}};
  std::vector<double> ended_s{};                 // jobs that arrived at 0 and took so long
  std::uint32_t first_job = 0, first_ended = 0;  // their numbers begin there
  bool failed = false;                           // those that ended

  void write(spark::wire::Progress::Builder to) const {
    to.setTimeS(time_s);
    to.setJobSeconds(job_seconds);
    to.setBusySeconds(busy_s);
    to.setFallbacks(fallbacks);
    auto list = to.initEnded(static_cast<unsigned>(ended_s.size()));
    for (unsigned i = 0; i < list.size(); ++i) {
      list[i].setNumber(first_ended + i);
      list[i].setEndS(ended_s[i]);
      list[i].setFailed(failed);
      list[i].setWorkS(ended_s[i]);
    }
  }
  void write(spark::wire::Consult::Builder to) const {
    write(to.initProgress());
    to.setSlots(slots);
    to.setIdle(idle);
    to.setSource(source);
    to.setSourceJob(source_job);
    auto all = to.initJobs(static_cast<unsigned>(arrivals_s.size()));
    for (unsigned i = 0; i < all.size(); ++i) {
      all[i].setNumber(first_job + i);
      all[i].setName("job " + std::to_string(i));
      all[i].setArrivalS(arrivals_s[i]);
    }
    auto list = to.initStages(static_cast<unsigned>(stages.size()));
    for (unsigned i = 0; i < list.size(); ++i) write(stages[i], list[i]);
  }

 private:
  static void write(const ToldStage& s, spark::wire::Stage::Builder to) {
    to.setId(s.id);
    to.setJob(s.job);
    auto parents = to.initParents(static_cast<unsigned>(s.parents.size()));
    for (unsigned i = 0; i < parents.size(); ++i) parents.set(i, s.parents[i]);
    to.setTasks(s.tasks);
    to.setLeft(s.left);
    to.setRunning(s.running);
    to.setRunnable(s.runnable);
    to.setMeasured(s.measured);
    to.setMeasuredS(s.measured_s);
    to.setReadyS(s.runnable ? 0 : -1);
  }
};

/// A message of the family and its memory.
class Sent {
 public:
  [[nodiscard]] wire::Message::Builder message() { return message_; }
  [[nodiscard]] kj::Array<capnp::word> bytes() { return capnp::messageToFlatArray(builder_); }

 private:
  capnp::MallocMessageBuilder builder_;
  wire::Message::Builder message_ = builder_.initRoot<wire::Message>();
};

/// Answers by a function, and keeps what it was told.
class Script final : public Decider {
 public:
  using Answer = std::function<Applied(ConstRow, Row)>;
  explicit Script(Answer answer) : answer_(std::move(answer)) {}

  Context open(const Episode&) override { return {0, ++opened}; }
  Applied decide(Context, const Outcome& o, ConstRow observation, Row action,
                 Deadline until) override {
    told.push_back(o);
    deadline = until;
    return answer_(observation, action);
  }
  void close(Context, const Outcome& o, ConstRow, std::span<const double> m) override {
    told.push_back(o);
    metrics.assign(m.begin(), m.end());
  }

  [[nodiscard]] Deadline due() const override { return owed; }

  std::uint64_t opened = 0;
  Deadline deadline{};     // of the last question
  Deadline owed = kNever;  // what `due` says
  std::vector<Outcome> told;
  std::vector<double> metrics;

 private:
  Answer answer_;
};

/// Takes the first stage that is allowed, with a limit.
inline Script::Answer first_allowed(const Spec& spec, std::int32_t limit) {
  const Batch o(spec.observation), a(spec.action);
  return [mask = o.field<std::uint8_t>("mask.stage"), stage = a.field<std::int32_t>("stage"),
          head = a.field<std::int32_t>("limit"), limit](ConstRow seen, Row act) {
    const auto allowed = seen[mask];
    act.scalar(stage) =
        static_cast<std::int32_t>(std::ranges::find(allowed, std::uint8_t{1}) - allowed.begin());
    act.scalar(head) = limit;
    return Applied::policy;
  };
}

/// The leaves with a value outside its bounds.
inline std::string out_of_bounds(const Record& record, ConstRow row) {
  std::string names;
  const auto check = [&]<class T>(const Leaf& leaf, T) {
    for (const T v : row[row.batch().field<T>(leaf.name)])
      if (!(static_cast<double>(v) >= leaf.low && static_cast<double>(v) <= leaf.high))
        names += leaf.name + " ";
  };
  for (const Leaf& leaf : record.leaves) {
    if (leaf.dtype == DType::u8) check(leaf, std::uint8_t{});
    if (leaf.dtype == DType::i32) check(leaf, std::int32_t{});
    if (leaf.dtype == DType::f32) check(leaf, float{});
    if (leaf.dtype == DType::f64) check(leaf, double{});
  }
  return names;
}

}  // namespace park::spark::test
