#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>

#include "bridge/server/service.h"
#include "bridge/session/session_table.h"
#include "park/core/registry.h"

namespace park::bridge {

struct PolicyServiceOptions {
  std::string policy;               ///< the only one that clients may ask; empty: any one
  std::uint32_t most_slots = 4096;  ///< contexts of a policy at once
  std::uint64_t most_bytes = Limits{}.most_bytes;  ///< limit of an answer
  Access access{};                                 ///< of the texts and specs of clients
  bool trusted = false;  ///< clients may give any text and spec: they are this user's own
};

/// Policies that decide for a client: openPolicy, ask, askScores, closePolicy.
class PolicyService final : public Service {
 public:
  /// The registry must outlive the service.
  PolicyService(const Registry&, PolicyServiceOptions);
  ~PolicyService() override;
  void handle(wire::Envelope::Reader, wire::Envelope::Builder reply) override;
  /// Forgets the policy that was opened. An answer is never too large: its size is known before.
  [[nodiscard]] std::string retract() override;
  [[nodiscard]] bool may_wait() const override;

 private:
  class Asked;
  void open(wire::OpenPolicy::Reader, wire::PolicyOpened::Builder);
  /// The text of the policy that a client may have under this name. Throws as open.
  [[nodiscard]] std::string chosen(std::string name) const;
  [[nodiscard]] Asked& policy(std::uint32_t id);

  const Registry& registry_;
  PolicyServiceOptions options_;
  std::map<std::uint32_t, std::unique_ptr<Asked>> policies_;
  std::uint32_t next_ = 1;
  std::uint32_t opened_ = 0;  // by the last request; 0: none
};

}  // namespace park::bridge
