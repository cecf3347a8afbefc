#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "park/core/action_space.h"
#include "park/core/stream.h"

namespace park {

struct LiveOptions {
  std::uint32_t batch = 64;           ///< the most rows of a recv
  std::uint32_t max_contexts = 4096;  ///< open at once; beyond it a context always falls back
  Illegal illegal = Illegal::project;
  double penalty = 1.0;  ///< taken off the reward by Illegal::penalise
};

/// A stream of running systems. Each SystemEnv runs on a thread of its own and asks; the agent
/// answers what recv delivers. A question that expires before the agent has seen it is skipped. Its
/// outcome is included in the next one, so rewards add up. An answer after its deadline is dropped
/// and counted. One agent thread; the systems may ask from any thread.
class Live final : public Stream {
 public:
  /// The source must outlive the stream.
  Live(Spec, std::vector<std::unique_ptr<SystemEnv>>, const EpisodeSource&, const LiveOptions&);
  /// Stops the systems and waits for their run to return.
  ~Live() override;

  [[nodiscard]] const Spec& spec() const noexcept override;
  using Stream::recv;
  [[nodiscard]] const Decisions& recv(Deadline) override;
  void send(const Batch& actions) override;

  /// Every pending and later question falls back at once; recv delivers what is left, then done.
  void stop();
  /// Answers that came after their deadline.
  [[nodiscard]] std::uint64_t late() const;
  /// Contexts that were refused.
  [[nodiscard]] std::uint64_t refused() const;

 private:
  class Exchange;
  std::unique_ptr<Exchange> exchange_;
};

}  // namespace park
