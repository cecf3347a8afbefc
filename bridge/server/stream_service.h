#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>

#include "bridge/server/service.h"
#include "park/core/registry.h"

namespace park::bridge {

struct StreamServiceOptions {
  std::string env;  ///< the only one that clients may open; empty: any simulated one
  std::uint32_t most_slots = 4096;  ///< limit for all streams of a session
  bool may_wait = false;            ///< as Service has it, also where they are simulated here
};

/// Environments that a client drives: openStream, step, closeStream.
class StreamService final : public Service {
 public:
  /// The registry must outlive the service.
  StreamService(const Registry&, StreamServiceOptions);
  ~StreamService() override;
  void handle(wire::Envelope::Reader, wire::Envelope::Builder reply) override;
  [[nodiscard]] bool may_wait() const override;

 private:
  class Driven;
  void open(wire::OpenStream::Reader, wire::StreamOpened::Builder);
  /// If the environment throws, its stream is closed, since its state is unknown.
  void step(wire::Step::Reader, wire::Decisions::Builder);
  [[nodiscard]] Driven& stream(std::uint32_t number);

  const Registry& registry_;
  StreamServiceOptions options_;
  std::map<std::uint32_t, std::unique_ptr<Driven>> streams_;
  std::uint32_t next_ = 1;
};

}  // namespace park::bridge
