#pragma once

#include <memory>
#include <span>
#include <vector>

#include "agents/kit/decide.h"
#include "agents/kit/exploration.h"
#include "park/core/policy.h"

namespace park::agents {

/// Decides by a network: by the largest scores, or by drawing. A draw is keyed by run, episode,
/// sequence and head, so that it depends neither on slots nor on batches.
class NetworkPolicy final : public Policy {
 public:
  NetworkPolicy(const Spec& spec, std::shared_ptr<Network> net, bool sample)
      : heads_(spec), net_(std::move(net)), sample_(sample) {}

  /// What draws try in poor states from now on; nullptr: nothing. It has to outlive its use.
  void explore(Exploration* exploration) noexcept { exploration_ = exploration; }

  void start(std::uint32_t slot, const Episode&, Rng) override;
  void act(const Decisions&, Batch& actions) override;
  [[nodiscard]] bool scores(const Batch& observation, std::size_t head, const Batch& actions,
                            Candidates&, std::vector<float>& scores) override;
  /// Log-probabilities of the actions of the last act, if actions are drawn. They are the
  /// network's, also where exploration chose.
  [[nodiscard]] std::span<const float> log_probs() const noexcept { return log_probs_; }

 private:
  Heads heads_;
  std::shared_ptr<Network> net_;
  bool sample_;
  Exploration* exploration_ = nullptr;
  std::vector<Rng> rng_;  // [slots]
  std::vector<float> log_probs_;
  Candidates narrowed_;
};

}  // namespace park::agents
