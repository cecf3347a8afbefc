#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <span>
#include <vector>

#include "park/core/env.h"
#include "park/core/futures.h"
#include "park/core/space.h"
#include "park/envs/abr/config.h"
#include "park/envs/abr/layout.h"
#include "park/envs/abr/model.h"
#include "park/envs/abr/timeline.h"

namespace park::abr {

/// Bitrate adaptation: a video player fetches chunk after chunk over a link whose bandwidth
/// changes, and chooses for each one of several encodings. What is not there in time stalls the
/// video.
///
/// Model: time 0 is the request for the first chunk, which is fetched at first_quality; a decision
/// is asked before every further request. A download takes a round trip, during which the link's
/// trace stands still. Then the chunk's bytes arrive at a part `payload` of the bandwidth of the
/// trace. The buffer loses the seconds played meanwhile and gains chunk_s when the download is
/// done. While it would hold more than buffer_s, the player waits in steps of 0.5 s. Reward: the
/// quality of experience of the chunk, QoeTable. The episode terminates when the last chunk is
/// there. At Episode::horizon_s it is truncated, and an unfinished chunk counts with its stall
/// alone. Episode::inputs draws trace and start where `starts` does not give them;
/// Episode::dynamics draws the noise.
///
/// Source: H. Mao, R. Netravali, M. Alizadeh, "Neural Adaptive Video Streaming with Pensieve",
/// SIGCOMM 2017, section 5.1 and the simulator of its artifact. The constants of that simulator are
/// the defaults. QoE: X. Yin et al., SIGCOMM 2015, section 3. Unlike in the artifact, there is no
/// noise by default.
class Abr final : public Env, public Futures {
 public:
  using Config = AbrConfig;
  /// Reads no file.
  [[nodiscard]] static Spec spec(const Config&);
  /// Traces, encodings and start pointers.
  [[nodiscard]] static std::vector<std::filesystem::path> data_files(const Config&);

  /// REQUIRES a configuration that parse_config accepts. Throws what AbrModel throws.
  explicit Abr(const Config&);

  void reset(const Episode&, Row observation) override;
  Outcome step(ConstRow action, Row observation) override;
  /// Metrics of the chunks after the first; NaN for a mean over none.
  void metrics(std::span<double>) const override;
  /// See AbrTimeline.
  void events(EventSink* sink) override { timeline_.set(sink); }
  /// Chunks that were fetched.
  [[nodiscard]] std::uint64_t event_count() const noexcept override { return next_; }
  [[nodiscard]] std::unique_ptr<Env> clone() const override;
  /// The link continues as another trace from a drawn place, where `starts` does not give it; the
  /// noise is drawn anew.
  [[nodiscard]] std::unique_ptr<Env> clone_with_future(std::uint64_t seed) const override;

 private:
  /// Sums over the chunks after the first.
  struct Sums {
    double reward = 0, score = 0, mbps = 0, stall_s = 0, change = 0;
    std::uint64_t chunks = 0, switches = 0;

    /// Per chunk; NaN without one.
    [[nodiscard]] double qoe() const noexcept { return reward / static_cast<double>(chunks); }
  };

  [[nodiscard]] const Link& link() const noexcept { return model_.link(trace_); }
  void fill_static_rows();
  [[nodiscard]] AbrFetch request(AbrSession&, std::size_t quality) const;
  End accept(const AbrSession& after, const AbrFetch&, std::size_t quality);
  Outcome cut();
  void count(std::size_t quality, double reward, double stall_s);
  void remember(const AbrFetch&) noexcept;
  void observe(Row) const;

  AbrModel model_;
  PlayerLayout layout_;
  std::vector<double> rate_mbps_;  // [rates]
  std::vector<float> sizes_;       // [chunks listed + 1 + kAbrLater, rates]

  // The state of the episode.
  Episode episode_{};
  std::size_t trace_ = 0, next_ = 0;  // the chunk that is asked for
  std::size_t last_ = 0;              // encoding of the one before
  AbrSession session_{};
  std::array<double, kAbrPast> throughput_{}, download_s_{};  // oldest first
  double startup_s_ = 0;
  Sums sums_{};

  AbrTimeline timeline_;
};

}  // namespace park::abr
