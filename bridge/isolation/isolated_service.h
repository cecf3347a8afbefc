#pragma once

#include <chrono>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "bridge/isolation/pipe.h"
#include "bridge/server/service.h"

namespace park::bridge {

struct IsolationOptions {
  /// The words of this program that make it the process of a session: it calls serve_session.
  std::vector<std::string> words;
  std::uint64_t most_bytes = 0;                ///< limit of a request and of a reply
  std::chrono::milliseconds longest{120'000};  ///< a request that takes longer ends the process
};

/// A session whose things are in a process of their own, which the first request starts. What ends
/// that process, such as a crash, ends them alone: this request and later ones fail with
/// environmentFailed. The process ends with this object.
class IsolatedService final : public Service {
 public:
  explicit IsolatedService(IsolationOptions);
  ~IsolatedService() override;
  void handle(wire::Envelope::Reader request, wire::Envelope::Builder reply) override;
  [[nodiscard]] std::string retract() override;
  [[nodiscard]] std::uint64_t bytes_elsewhere() const override { return owned_; }

 private:
  class Process;
  /// Hands a message over, and takes the answer into bytes_.
  PipeMessage exchange(PipeMessage::Kind, std::span<const std::byte>);
  void give(wire::Envelope::Builder reply);
  [[noreturn]] void fail(const std::string& how);

  IsolationOptions options_;
  std::unique_ptr<Process> process_;
  std::string ended_;  // how; empty: it has not
  std::vector<std::byte> bytes_;
  std::uint64_t owned_ = 0;  // by the process, at its last answer
};

/// Serves one session to the process that started this one, over descriptor `socket`, until that
/// closes it. Then this process ends, without destructors. `most_bytes` is the limit of a reply.
[[noreturn]] void serve_session(int socket, Service&, std::uint64_t most_bytes);

/// The descriptor of the socket in the process of a session.
inline constexpr int kSessionSocket = 3;

}  // namespace park::bridge
