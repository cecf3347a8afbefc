#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

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
  double time_s = 0, job_seconds = 0;
  std::uint64_t fallbacks = 0;
  std::uint32_t slots = 4, idle = 4, source = 4;
  std::int32_t source_job = -1;
  std::vector<double> arrivals_s{0};  // a job each: "job 0", "job 1", ...
  std::vector<ToldStage> stages{{}};
  std::vector<double> ended_s{};  // jobs that arrived at 0 and took so long

  void write(spark::wire::Progress::Builder to) const {
    to.setTimeS(time_s);
    to.setJobSeconds(job_seconds);
    to.setFallbacks(fallbacks);
    auto list = to.initEnded(static_cast<unsigned>(ended_s.size()));
    for (unsigned i = 0; i < list.size(); ++i) {
      list[i].setEndS(ended_s[i]);
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
      all[i].setNumber(i);
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

}  // namespace park::spark::test
