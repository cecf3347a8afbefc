#pragma once

#include "bridge/codec/frame.h"

namespace park::bridge {

/// The part of a server that belongs to one session. One call at a time, from any thread.
class Service {
 public:
  virtual ~Service() = default;
  /// Answers a request. `reply` has its session and number already. Throws Failed, and what the
  /// things that it owns throw: then the request has failed and the reply is void.
  virtual void handle(wire::Envelope::Reader request, wire::Envelope::Builder reply) = 0;
  /// Whether a step or a question may wait for more than the processor: for a lock, for another
  /// process. Then the thread that serves everybody never does one.
  [[nodiscard]] virtual bool may_wait() const { return true; }
};

}  // namespace park::bridge
