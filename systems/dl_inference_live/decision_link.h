#pragma once

#include <cstdint>
#include <mutex>
#include <optional>

#include "bridge/codec/decisions.h"
#include "bridge/server/service.h"
#include "park/core/action_space.h"
#include "park/core/stream.h"
#include "park/core/system_env.h"
#include "systems/dl_inference_live/ledger.h"

namespace park::inference {

/// An episode whose decisions another process asks for. Its costs are those of the client's ledger,
/// not those that the server reckons. Thread-safe.
class DecisionLink {
 public:
  /// All have to outlive the link.
  DecisionLink(Decider& decider, Ledger& ledger) : decider_(decider), ledger_(ledger) {}

  /// Opens the context of an episode that begins at that time. Once.
  void begin(const Episode&, Deadline at);
  /// Answers a question of the server's. Throws bridge::Failed where nothing answers it.
  void decide(const Outcome& of_server, ConstRow observation, Row action);
  /// Ends the context. REQUIRES that it has begun and no question is being answered.
  void close(double time_s, End, ConstRow final_observation, std::span<const double> metrics);

 private:
  [[nodiscard]] Outcome owed(double now_s);

  std::mutex mutex_;
  Decider& decider_;
  Ledger& ledger_;
  Context context_{};
  std::optional<Deadline> begin_;
  double told_s_ = 0;
};

/// The session of a server process with the policy of its episode: openPolicy, ask, closePolicy of
/// the bridge. So the server asks this policy in the same way as any policy.
class DecisionService final : public bridge::Service {
 public:
  DecisionService(DecisionLink&, const Spec&);
  void handle(bridge::wire::Envelope::Reader, bridge::wire::Envelope::Builder reply) override;

 private:
  void answer(bridge::wire::Decisions::Reader, bridge::wire::Rows::Builder);

  DecisionLink& link_;
  Spec spec_;
  ActionSpace space_;
  bridge::DecisionsReader reader_;
  Decisions question_;
  Batch actions_;
};

}  // namespace park::inference
