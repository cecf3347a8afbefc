#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "park/core/action_space.h"
#include "park/core/stream.h"
#include "park/core/system_env.h"
#include "park/envs/dl_inference/choices_row.h"
#include "park/envs/dl_inference/score_policies.h"
#include "systems/dl_inference_live/inbox.h"
#include "systems/dl_inference_live/message.h"
#include "systems/dl_inference_live/model.h"

namespace park::inference {

/// Counts of a device. Readable from any thread.
struct DeviceCounts {
  std::atomic<std::uint64_t> batches{0}, failed_batches{0};
  std::atomic<std::uint64_t> decisions{0};  ///< questions, to wait included
  std::atomic<std::uint64_t> own_rule{0};   ///< of these, answered by the server's own rule
  std::atomic<std::uint64_t> illegal{0};    ///< of these, because the answer was illegal
};

struct DeviceOptions {
  double decision_s = 0.02;   ///< longest wait for a decision
  double wait_max_s = 0.001;  ///< longest wait that a decision may choose
};

/// The one device of a server, on the thread of `run`. It asks the decider whenever it is free and
/// requests wait, computes the batch and hands out the replies. Where a decision is missing, late
/// or illegal it takes that of max_slowdown. The decider's rows are those of dl_inference; the time
/// of a batch is what it took.
class DeviceLoop {
 public:
  using Send = std::function<void(const std::vector<std::byte>& route, MessageBytes reply)>;

  /// As many applications as models, with latencies and rates. `send` is called by the thread of
  /// `run`, once for each request of the inbox that was computed.
  DeviceLoop(std::vector<std::unique_ptr<Model>>, std::vector<dl_inference::Application>,
             const DeviceOptions&, Inbox&, Decider&, Send);

  /// Serves until a stop is requested. Requests that are then waiting get no reply.
  void run(const std::stop_token&);
  [[nodiscard]] const DeviceCounts& counts() const noexcept { return counts_; }

 private:
  struct Choice {
    std::size_t app = 0, batch = 0;  // batch 0: waits
    bool own_rule = false;
  };
  /// When a batch began and ended, and how long the device stood still before it.
  struct Times {
    double start_s = 0, end_s = 0, dispatch_s = 0;
  };

  [[nodiscard]] double seconds(Deadline) const;
  void receive(Deadline until, const std::stop_token&);
  void pause(const std::stop_token&);
  void admit(std::size_t from, double until_s);
  [[nodiscard]] Choice decide(Context);
  void serve(const Choice&, const std::stop_token&);
  [[nodiscard]] std::string compute(std::size_t app, std::span<const Waiting> batch);
  void reply(std::span<const Waiting> batch, const Times&, const Choice&,
             const std::string& failure);
  [[nodiscard]] double stood_still_s(double now_s) const;

  std::vector<std::unique_ptr<Model>> models_;
  DeviceOptions options_;
  Inbox& inbox_;
  Decider& decider_;
  Send send_;
  Deadline begin_ = Clock::now();

  Spec spec_;
  ActionSpace space_;
  dl_inference::InferenceLayout layout_;
  dl_inference::ChoicesRow row_;
  dl_inference::MaxSlowdown rule_;
  Decisions question_;  // of the rule
  Batch observation_, action_, rule_action_;
  Outcome owed_{};

  dl_inference::Device device_;
  double decided_s_ = 0;
  double free_s_ = 0;                        // since when the device might compute
  std::vector<std::deque<Waiting>> queues_;  // by application, as those of the device
  std::vector<Waiting> arrived_, batch_;
  std::vector<float> in_, out_;
  DeviceCounts counts_;
};

/// The spec of a server with so many models.
[[nodiscard]] Spec live_spec(std::size_t models);

}  // namespace park::inference
