#pragma once

#include <array>
#include <cstdint>

#include "park/envs/dag_scheduling/clock.h"
#include "park/envs/dag_scheduling/commitments.h"
#include "park/envs/dag_scheduling/config.h"
#include "park/envs/dag_scheduling/durations.h"

namespace park::dag_scheduling {

// Jobs present have a slot, their stages a block of stage ids; both are used again later.

struct ExecutorState {
  std::uint32_t job = kNone;       ///< slot of the job that it belongs to
  std::uint32_t stage = kNone;     ///< stage of the task that it runs, or has just finished
  std::uint32_t previous = kNone;  ///< stage of its last task since it came to the job
  std::uint32_t target = kNone;    ///< stage that it moves to; kNone when that job has ended
  std::uint32_t next = kNone;      ///< in its pool
  Ticks duration = 0;              ///< duration of its last task
  std::uint8_t executor_class = 0;
  bool moving = false;
  bool starved = false;  ///< idle because there was no stage to choose for it
};

/// A first-in, first-out queue of idle executors of one class, linked through ExecutorState::next.
struct ExecutorQueue {
  std::uint32_t head = kNone, tail = kNone;
  std::int32_t count = 0;
};

struct StageState {
  std::uint64_t key = 0;   ///< key of the durations of its tasks
  std::uint32_t plan = 0;  ///< stage of the workload
  std::uint32_t job = 0;   ///< slot
  std::int32_t tasks = 0, launched = 0, finished = 0;
  std::int32_t committed = 0, moving = 0;  ///< executors promised to it, and on their way
  std::int32_t parents_left = 0;           ///< parents that have not finished
  std::int32_t parents_unsaturated = 0;    ///< parents with tasks that no executor is assigned to
  bool unsaturated = false;                ///< demand() > 0
  bool schedulable = false;                ///< unsaturated, and no parent is
  bool touched = false;                    ///< a feature changed since the last observation
  std::uint32_t chosen = 0;                ///< bit c: chosen in this round for class c
  std::int32_t mix_executors = 0;          ///< what `mix` is for
  DurationTable::Mix mix{};
  CommitmentList commitments{};  ///< commitments of its executors
  Ticks last_duration = 0;       ///< duration of the last finished task
  Ticks ready = -1;              ///< when the last parent finished; -1 before
  double mean_s = 0;             ///< what the observation says of a task's duration

  /// Tasks to which no executor is assigned. Negative where tasks were launched by others before
  /// the executors on their way arrived.
  [[nodiscard]] std::int32_t demand() const noexcept {
    return tasks - launched - committed - moving;
  }
  [[nodiscard]] bool runnable() const noexcept { return parents_left == 0 && launched < tasks; }
};

struct JobState {
  std::uint32_t number = 0;  ///< number in the episode, by arrival
  std::uint32_t plan = 0;    ///< job of the workload
  Ticks arrival = 0;
  Ticks deadline = kNever;
  std::uint32_t first = 0, stages = 0;  ///< its stage ids
  std::uint32_t stages_done = 0;
  std::int64_t tasks = 0, launched = 0;
  std::int32_t executors = 0;  ///< attached
  std::int32_t moving = 0;     ///< on their way to it
  std::int32_t committed = 0;  ///< promised by other jobs
  bool active = false, touched = false;
};

/// Whose executors a round of decisions hands out.
struct Source {
  enum class Kind : std::uint8_t {
    stage,   ///< those of a stage that has launched all its tasks
    job,     ///< the idle ones of a job
    common,  ///< the idle ones that belong to no job
    loose,   ///< those whose job has just ended
  };
  Kind kind = Kind::common;
  bool runnable_only = false;  ///< only stages whose parents have finished may be chosen
  std::uint32_t id = kNone;    ///< stage id, or slot

  bool operator==(const Source&) const = default;
};

struct Round {
  bool active = false;
  Source source{};
  std::uint32_t job = kNone;                     ///< slot of the source
  std::array<std::int32_t, kMaxClasses> left{};  ///< executors to hand out
  std::int32_t total = 0;                        ///< over the classes
};

/// A job came or went, for those who keep an image of the cluster.
struct JobChange {
  std::uint32_t slot;
  bool added;
};

}  // namespace park::dag_scheduling
