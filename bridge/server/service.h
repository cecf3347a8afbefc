#pragma once

#include <string>

#include "bridge/codec/frame.h"

namespace park::bridge {

/// The part of a server that belongs to one session. One call at a time, from any thread.
class Service {
 public:
  virtual ~Service() = default;
  /// Answers a request. `reply` has its session and number already. Throws Failed, and what the
  /// things that it owns throw: then the request has failed and the reply is void.
  virtual void handle(wire::Envelope::Reader request, wire::Envelope::Builder reply) = 0;
  /// The reply to the last request was not sent, because it is too large. Undoes what the request
  /// did; a stream that has moved is closed. Returns the end of the line that reports it, such as
  /// "; stream 3 has moved and is closed".
  [[nodiscard]] virtual std::string retract() { return {}; }
  /// Whether a step or a question may wait for more than the processor: for a lock, for another
  /// process. Then the thread that serves everybody never does one.
  [[nodiscard]] virtual bool may_wait() const { return true; }
  /// Bytes that it owns in another process.
  [[nodiscard]] virtual std::uint64_t bytes_elsewhere() const { return 0; }
};

}  // namespace park::bridge
