// The messages on the socket between the supervisor and its trainer. The trainer is a process that
// loads LibTorch once and forks a process for every task of a job. Both are parts of one build, so
// a message is a plain struct. An order goes to the trainer; its workers answer on the same socket
// themselves.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

namespace park::dl_cluster_live {

/// Rises when anything in this header changes.
inline constexpr std::int32_t kMessageVersion = 1;
inline constexpr std::size_t kMostTasks = 64;  ///< processes of a run
inline constexpr std::size_t kMostPath = 512;

/// What a job trains, from what exchanges little to what exchanges much for a step's computing.
/// Every kind has data and initial parameters of its own, drawn from the seed of the run.
struct JobKind {
  std::string_view name;
  std::int32_t batch;  ///< samples of a step, of all workers together
};

inline constexpr std::int32_t kConv = 0, kMlp = 1, kWide = 2;
inline constexpr std::array<JobKind, 3> kJobKinds{{{"conv", 64}, {"mlp", 16}, {"wide", 512}}};

enum class OrderWhat : std::int32_t {
  start,  ///< forks the tasks of a run
  stop,   ///< the run writes a checkpoint after its present step and ends
  kill,   ///< its processes end at once
};

/// `workers` tasks compute gradients. Without servers the tasks exchange gradients by ring
/// all-reduce. Else each of the servers keeps a part of the parameters, adds up gradients and sends
/// parameters back.
struct Order {
  OrderWhat what = OrderWhat::kill;
  std::int32_t run = 0;
  std::int32_t kind = 0, workers = 0, servers = 0;
  std::int32_t pinned = 0;                      ///< 1: each task stays on its processor
  std::array<std::int32_t, kMostTasks> cpus{};  ///< of the tasks, workers first
  std::int64_t steps = 0;                       ///< at which the job is finished
  std::uint64_t seed = 0;
  double checkpoint_s = 0, report_s = 0;  ///< between two checkpoints, two reports
  double timeout_s = 0;                   ///< of an exchange
  std::array<char, kMostPath> folder{};   ///< of the job: its checkpoint and meeting points
};

enum class ReportWhat : std::int32_t {
  ready,     ///< the trainer takes orders; `status` is its kMessageVersion
  started,   ///< the workers of a run know one another, the checkpoint is read
  progress,  ///< after a step
  stopped,   ///< a checkpoint is written, as ordered
  finished,  ///< all steps are done and a checkpoint is written
  ended,     ///< a task has ended: `rank`, and `status` as of a shell
};

struct Report {
  ReportWhat what = ReportWhat::ready;
  std::int32_t run = 0, rank = 0, status = 0;
  std::int64_t step = 0;  ///< steps done since the job began
  double time_s = 0;      ///< on the monotonic clock of the machine
  double cpu_s = 0;       ///< of the first worker's thread, since it began
};

/// The socket of the trainer and of its workers: their standard input.
inline constexpr int kSocket = 0;
/// The name of the program beside the library of Park.
inline constexpr const char* kTrainerProgram = "park_trainer";

}  // namespace park::dl_cluster_live
