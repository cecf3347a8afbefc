#pragma once

#include <functional>
#include <string>
#include <zmq.hpp>

#include "park/core/system_env.h"
#include "park/envs/dl_inference/arrival_process.h"
#include "systems/dl_inference_live/ledger.h"
#include "systems/dl_inference_live/message.h"

namespace park::inference {

struct LoadOptions {
  double horizon_s = kInf;  ///< the load is cut off there
  double drain_s = 10;      ///< longest wait for replies after the last arrival
  /// Asked many times a second, so that the end of a server or of the program is noticed.
  std::function<bool()> goes_on = [] { return true; };
};

struct LoadEnd {
  double time_s = 0;      ///< of the episode, when it ended
  bool complete = false;  ///< every request was answered, and none is to come
};

/// An open-loop client of an InferenceServer: it sends each request when it is to arrive, no matter
/// how many are without a reply. One thread.
class LoadClient {
 public:
  /// Connects in the background. Throws bridge::Failed where the text is no endpoint.
  explicit LoadClient(const std::string& endpoint);

  /// The text of a server's reply to a wish other than Wish::infer. Throws Error{unavailable} where
  /// none comes in time.
  [[nodiscard]] std::string ask(Wish, Deadline);
  /// Sends the arrivals of a process that was reset, and waits for the replies. The ledger must be
  /// new. What cannot be sent, since a server reads nothing, stays unanswered.
  LoadEnd play(
      dl_inference::ArrivalProcess&, Ledger&, const LoadOptions&,
      const std::function<void(Deadline begin)>& began = [](Deadline) {});

 private:
  void send_due(dl_inference::ArrivalProcess&, Ledger&, double horizon_s, double now_s);
  void receive(Ledger&, Deadline begin);
  void wait(double most_s);

  zmq::context_t context_;
  zmq::socket_t socket_;
  zmq::message_t part_;
};

}  // namespace park::inference
