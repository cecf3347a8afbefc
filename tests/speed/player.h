#pragma once

#include <memory>
#include <string>

#include "park/core/registry.h"

namespace park::test {

/// A policy that plays a stream.
class Player {
 public:
  Player(const Registry& registry, Stream& stream, const std::string& policy)
      : stream_(stream),
        policy_(registry.policy(policy, stream.spec())),
        actions_(stream.spec().action) {}

  /// Answers what the stream asks.
  void answer(const Decisions& d) {
    for (const Ask& a : d.asked)
      if (a.sequence == 0) policy_->start(a.slot, a.episode, run_.split(a.episode.id));
    actions_.clear();
    actions_.resize(d.asked.size());
    policy_->act(d, actions_);
    stream_.send(actions_);
  }

 private:
  Stream& stream_;
  std::unique_ptr<Policy> policy_;
  Batch actions_;
  Rng run_{1};
};

}  // namespace park::test
