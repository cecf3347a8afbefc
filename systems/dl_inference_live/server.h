#pragma once

#include <cstdint>
#include <memory>
#include <stop_token>
#include <string>
#include <vector>

#include "park/core/json_writer.h"
#include "systems/dl_inference_live/device_loop.h"

namespace park::inference {

struct InferenceServerOptions {
  std::string endpoint;  ///< as for bridge::BoundEndpoint
  std::size_t queue = 1000;
  DeviceOptions device{};
};

/// What a server has done so far.
struct ServerCounts {
  std::uint64_t received = 0;  ///< requests to infer
  std::uint64_t served = 0, failed = 0, rejected = 0;
  std::uint64_t refused = 0;      ///< messages that are no requests
  std::uint64_t undelivered = 0;  ///< replies whose client was gone or did not read
  std::uint64_t batches = 0, decisions = 0, own_rule = 0, illegal = 0;
};

/// Serves models to any number of clients over a ROUTER socket (message.h). Two threads: that of
/// `run` has the socket, one of its own has the device. A request gets one reply, of whichever
/// kind, unless its client is gone or a stop was requested. No message of a client ends the
/// server, and what is kept for clients is bounded by `queue` and the size of a message.
class InferenceServer {
 public:
  /// Binds. Throws bridge::Failed as BoundEndpoint, and where the port is taken. The decider has
  /// to outlive the server.
  InferenceServer(const InferenceServerOptions&, std::vector<std::unique_ptr<Model>>,
                  std::vector<dl_inference::Application>, Decider&);
  ~InferenceServer();

  /// Where clients connect to: with the port that was free.
  [[nodiscard]] const std::string& endpoint() const noexcept;
  /// Serves until a stop is requested. Once.
  void run(const std::stop_token&);
  /// From any thread.
  [[nodiscard]] ServerCounts counts() const;

 private:
  class Front;
  std::unique_ptr<Front> front_;
};

/// The counts as members of the JSON object that is open.
void write_counts(JsonWriter&, const ServerCounts&);

}  // namespace park::inference
