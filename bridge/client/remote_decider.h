#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>

#include "bridge/client/remote_policy.h"
#include "park/core/live.h"

namespace park::bridge {

/// Counts of the outcomes of a RemoteDecider's questions so far.
struct DeciderCounts {
  std::uint64_t answered = 0;    ///< questions whose answer came, in time or not
  std::uint64_t late = 0;        ///< of these, answers that came after their deadline
  std::uint64_t illegal = 0;     ///< of these, answers in whose message an action was illegal
  std::uint64_t refused = 0;     ///< contexts beyond LiveOptions::max_contexts
  std::uint64_t connected = 0;   ///< sessions that were opened
  std::uint64_t unanswered = 0;  ///< questions that no server answered
};

/// Lets a policy behind a server decide for a running system. The system does not depend on the
/// server: each question has a deadline, after which the system falls back to a rule of its own.
/// The decider connects in the background, and again after the server was gone or silent. Questions
/// of all threads that wait at one time go in one message. For a server that comes back every
/// context begins anew. If an illegal action is an error by LiveOptions, all questions of its
/// message fall back.
class RemoteDecider final : public Decider {
 public:
  /// A server that answers nothing for `timeout_s` is left, and no question waits longer. The spec
  /// is what the system asks about; what is wrong about it, or about the endpoint, is in
  /// `trouble`.
  RemoteDecider(const RemotePolicyConfig&, Spec, const LiveOptions& = {});
  /// The same for the policy of a text. A separate thread makes the connections in this way. Throws
  /// Error if no server answers within `hello`.
  using Connect = std::function<std::unique_ptr<Connection>(std::chrono::milliseconds hello)>;
  RemoteDecider(Connect, std::string policy, std::chrono::milliseconds timeout, Spec,
                const LiveOptions& = {});
  /// Every question that waits falls back.
  ~RemoteDecider() override;

  Context open(const Episode&) override;
  Applied decide(Context, const Outcome& since_last, ConstRow observation, Row action,
                 Deadline) override;
  void close(Context, const Outcome& last, ConstRow final_observation,
             std::span<const double> metrics) override;

  [[nodiscard]] DeciderCounts counts() const;
  /// Why there is no server now; empty while there is one.
  [[nodiscard]] std::string trouble() const;

 private:
  class Pump;
  std::unique_ptr<Pump> pump_;
};

}  // namespace park::bridge
