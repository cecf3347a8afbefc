#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>

#include "bridge/server/service.h"
#include "bridge/session/session_table.h"
#include "park/core/registry.h"

namespace park::bridge {

struct StreamServiceOptions {
  std::string env;  ///< the only one that clients may open; empty: any simulated one
  std::uint32_t most_slots = 4096;  ///< limit for all streams of a session
  bool may_wait = false;            ///< as Service has it, also where they are simulated here
  /// Limit for all streams of a session, as park::thread_bytes reports it when they are opened.
  std::uint64_t most_bytes = Limits{}.most_session_bytes;
  Access access{};       ///< of the texts of clients, where they may open any one
  bool trusted = false;  ///< clients may give any text: they are this user's own
};

/// Environments that a client drives: openStream, step, closeStream.
class StreamService final : public Service {
 public:
  /// The registry must outlive the service.
  StreamService(const Registry&, StreamServiceOptions);
  ~StreamService() override;
  void handle(wire::Envelope::Reader, wire::Envelope::Builder reply) override;
  /// Closes the stream that was opened or has moved.
  [[nodiscard]] std::string retract() override;
  [[nodiscard]] bool may_wait() const override;

 private:
  class Driven;
  [[nodiscard]] std::string env_of(wire::OpenStream::Reader) const;
  void check_slots(std::uint64_t more) const;
  void open(wire::OpenStream::Reader, wire::StreamOpened::Builder);
  /// If the environment throws, its stream is closed, since its state is unknown.
  void step(wire::Step::Reader, wire::Decisions::Builder);
  [[nodiscard]] Driven& stream(std::uint32_t number);
  void close(std::uint32_t number);
  /// Bytes of the environments of a stream may be so many more, over what the streams have. Throws
  /// Failed{tooMuch}.
  void check_bytes(std::uint64_t more, std::uint32_t slots) const;

  const Registry& registry_;
  StreamServiceOptions options_;
  std::map<std::uint32_t, std::unique_ptr<Driven>> streams_;
  std::uint32_t next_ = 1;
  std::uint32_t opened_ = 0, moved_ = 0;  // the stream of the last request; 0: none
};

}  // namespace park::bridge
