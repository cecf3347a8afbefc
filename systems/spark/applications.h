#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>

#include "bridge/server/service.h"
#include "systems/spark/agent_status.h"
#include "systems/spark/application.h"
#include "systems/spark/shared_executors.h"

namespace park::spark {

/// The applications that an agent takes, one for each episode; an episode has several where they
/// share their executors. Thread-safe.
class Applications {
 public:
  /// `all_done` is called when the last one has ended; from any thread. `known` may be null.
  /// `log`: as of AgentStatus.
  Applications(Episodes&, Decider&, const Spec&, const ReportLimits&,
               std::shared_ptr<const KnownDurations> known, std::function<void()> all_done,
               const std::string& log = "", const SharedPool& shared = {});

  /// Throws Failed{notAllowed} if there are no more episodes, or for an application with executors
  /// of its own where the others share theirs.
  [[nodiscard]] std::unique_ptr<Application> begin(wire::Begin::Reader);
  /// Ends one of them.
  void end(std::unique_ptr<Application>);
  /// What people are told of it.
  [[nodiscard]] AgentStatus& status() noexcept { return status_; }
  /// Offers of those that have gone that went by Spark's own order.
  [[nodiscard]] std::uint64_t fallbacks() const;
  /// No: a question is with the policy for far longer than its deadline. An agent whose locks are
  /// stuck does not answer.
  [[nodiscard]] bool is_alive() const;

 private:
  mutable std::mutex mutex_;
  Episodes& episodes_;
  Decider& decider_;
  const Spec& spec_;
  ReportLimits limits_;
  std::shared_ptr<const KnownDurations> known_;
  std::function<void()> all_done_;
  AgentStatus status_;
  std::optional<SharedExecutors> shared_;
  std::optional<Episode> next_;
  std::uint32_t open_ = 0;
  std::uint64_t fallbacks_ = 0;
};

/// The state of a driver's session: its application. The application is gone when the session is
/// over, so that its last message is still answered.
class SparkService final : public bridge::Service {
 public:
  explicit SparkService(Applications& all) : all_(all) {}
  ~SparkService() override;
  SparkService(const SparkService&) = delete;
  SparkService& operator=(const SparkService&) = delete;
  void handle(bridge::wire::Envelope::Reader, bridge::wire::Envelope::Builder reply) override;

 private:
  void answer(wire::Message::Reader, wire::Message::Builder, Deadline);
  void begin(wire::Begin::Reader);
  void decide(wire::Consult::Reader, wire::Decision::Builder, Deadline);
  void finish(wire::Progress::Reader);
  /// What is new in a message.
  void note(wire::Progress::Reader);
  [[nodiscard]] Application& application();

  Applications& all_;
  std::unique_ptr<Application> application_;
  std::uint64_t number_ = 0;  // of the application, for people
  std::uint64_t fallbacks_ = 0, rejected_ = 0;
  EndedJobs::Sums ended_{};
};

}  // namespace park::spark
