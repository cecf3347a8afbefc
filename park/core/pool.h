#pragma once

#include <cstdint>
#include <functional>
#include <memory>

#include "park/core/action_space.h"
#include "park/core/stream.h"

namespace park {

struct PoolOptions {
  std::uint32_t slots = 1;  ///< environments; slot s of N plays the episodes s, s + N, s + 2 N, ...
  std::uint32_t workers = 0;  ///< threads that step, the caller included; 0 and 1: the caller alone
  std::uint32_t batch = 0;    ///< rows of a recv; 0 or all slots: in lockstep, fewer: asynchronous
  Illegal illegal = Illegal::error;
  double penalty = 1.0;         ///< taken off the reward by Illegal::penalise
  EventSink* events = nullptr;  ///< needs slots = 1
};

/// A stream of many simulated environments. Every episode gives the same bytes on any number of
/// slots, workers and rows. In lockstep each worker packs the rows of its slots into a part. The
/// last one plans the offsets, then all copy their parts at once. Threads help only if a step takes
/// microseconds: 0 workers is the default. A deadline applies only in the asynchronous mode; in
/// lockstep recv computes. recv throws the exceptions of environments.
class Pool final : public Stream {
 public:
  using Make = std::function<std::unique_ptr<Env>()>;
  /// The source must outlive the pool.
  Pool(Spec, const Make&, const EpisodeSource&, const PoolOptions&);
  ~Pool() override;

  [[nodiscard]] const Spec& spec() const noexcept override { return spec_; }
  using Stream::recv;
  [[nodiscard]] const Decisions& recv(Deadline) override;
  void send(const Batch& actions) override;

  /// Steps the slots; pool.cc has three kinds.
  class Engine;

 private:
  Spec spec_;
  std::unique_ptr<Engine> engine_;
};

}  // namespace park
