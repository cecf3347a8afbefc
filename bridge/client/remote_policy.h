#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "bridge/client/connection.h"
#include "park/core/registry.h"

namespace park::bridge {

/// The policy `remote`: one that a server elsewhere has.
struct RemotePolicyConfig {
  std::string endpoint{}, policy{}, key{}, server_key{};
  double timeout_s = 60;
  bool operator==(const RemotePolicyConfig&) const = default;

  template <class Self, class Visit>
  static void fields(Self& self, Visit&& visit) {
    Reach::fields(self, visit);
    visit("policy", self.policy,
          FieldDoc{.doc = "text of the policy; empty: the only one that the server has",
                   .names = Names::nothing});
  }
};

/// Asks a server for every decision, all rows of a batch in one message.
class RemotePolicy final : public Policy {
 public:
  using Config = RemotePolicyConfig;
  [[nodiscard]] static PolicyInfo info();
  /// Throws Error{unavailable} if no server answers, and what making the policy throws there.
  RemotePolicy(const RemotePolicyConfig&, const Spec&);
  /// The policy of this text, over a connection that is there.
  RemotePolicy(std::unique_ptr<Connection>, const std::string& policy, const Spec&);
  ~RemotePolicy() override;
  void start(std::uint32_t slot, const Episode&, Rng) override;
  /// Throws Error{unavailable} if the server is gone, or silent for timeout_s.
  void act(const Decisions&, Batch& actions) override;
  /// False also if the server does not know the request. Throws as act.
  [[nodiscard]] bool scores(const Batch& observation, std::size_t head, const Batch& actions,
                            Candidates&, std::vector<float>& scores) override;
  [[nodiscard]] std::uint32_t most_slots() const noexcept override;
  [[nodiscard]] bool may_wait() const noexcept override { return true; }

 private:
  /// Sends a request, and calls `read` with its reply.
  template <class Build, class Read>
  void call(Build&&, Read&&);

  std::unique_ptr<Connection> connection_;
  Heads heads_;
  std::uint32_t id_ = 0, most_slots_ = 1;
  std::vector<std::uint64_t> chance_;  // of the slots: the key of the generator of what began last
};

}  // namespace park::bridge
