#pragma once

#include <cstdint>
#include <string>

#include "bridge/codec/frame.h"
#include "bridge/server/policy_service.h"
#include "park/core/registry.h"
#include "park/core/stream.h"

namespace park::bridge::test {

/// A policy behind a service, as a client meets it that sends any spec and any rows.
class ServedPolicy {
 public:
  explicit ServedPolicy(const Registry& registry)
      : service_(registry, {.policy = "", .most_slots = kSlots}) {}

  /// The text of the failure, or "".
  [[nodiscard]] std::string open(const Spec&, const std::string& policy);
  /// Sends a row, as that of a new context or of the one before. Reads the answer of the policy
  /// into the only row of `actions`. With a new context another one ends in that row, about which
  /// the policy was never asked. The text of the failure, or "". REQUIRES open.
  [[nodiscard]] std::string ask(ConstRow, bool begins, Batch& actions);

 private:
  static constexpr std::uint32_t kSlots = 4, kUnseen = 3;

  template <class Build, class Read>
  std::string handle(Build build, Read read);

  PolicyService service_;
  EnvelopeWriter request_, reply_;
  EnvelopeReader reader_, answer_;
  std::uint32_t id_ = 0;
  std::uint64_t context_ = 0, sequence_ = 0;
  Spec sent_;  // of the questions: groups with all the room there is
};

}  // namespace park::bridge::test
