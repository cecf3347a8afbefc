#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <span>
#include <vector>

#include "park/core/env.h"
#include "park/core/rng.h"
#include "park/envs/abr/config.h"
#include "park/envs/abr/link.h"
#include "park/envs/abr/video.h"

namespace park::abr {

/// The data that abr reads from files. Immutable; environments of a process that name the same
/// files share it.
struct AbrData {
  std::vector<Link> links;
  Video video;
  std::vector<std::size_t> starts;  ///< one per link, or none
};

/// A session between two requests.
struct AbrSession {
  LinkPosition link;
  double time_s = 0;    ///< since the first request
  double buffer_s = 0;  ///< video that is there and not played
};

/// The outcome of a request.
struct AbrFetch {
  double bytes = 0;
  double download_s = 0;  ///< time from the request to the last byte
  double stall_s = 0;     ///< part of it without video to play
};

/// Pensieve's simulator: links, video, and what a request does. Immutable.
class AbrModel {
 public:
  /// Throws Error where a file is unusable, or the video does not match rates_kbps.
  explicit AbrModel(const AbrConfig&);
  [[nodiscard]] static std::vector<std::filesystem::path> files(const AbrConfig&);

  [[nodiscard]] const AbrConfig& config() const noexcept { return config_; }
  [[nodiscard]] const QoeTable& qoe() const noexcept { return qoe_; }
  [[nodiscard]] std::size_t rates() const noexcept { return qoe_.score.size(); }
  /// Chunks of an episode.
  [[nodiscard]] std::size_t chunks() const noexcept { return chunks_; }
  /// Chunks of the video; after the last one comes the first.
  [[nodiscard]] std::size_t chunks_listed() const noexcept { return data_->video.chunks(); }
  [[nodiscard]] double bytes(std::size_t rate, std::size_t chunk) const noexcept {
    return data_->video.bytes[rate][chunk % data_->video.chunks()];
  }
  [[nodiscard]] const Link& link(std::size_t i) const noexcept { return data_->links[i]; }

  /// Which link an episode plays, and from where.
  struct Start {
    std::size_t link;
    LinkPosition position;
  };
  [[nodiscard]] Start start(const Episode&) const noexcept;
  /// The factor of a chunk's download time.
  [[nodiscard]] double noise(const Episode&, std::size_t chunk) const noexcept;

  /// Fetches so many bytes: round trip and transfer, a stall where the buffer runs empty, and the
  /// chunk is in the buffer. The wait for a full buffer is not included: see wait.
  AbrFetch fetch(const Link&, AbrSession&, double bytes, double noise) const noexcept;
  /// Waits, in steps of 0.5 s, while the buffer holds more than buffer_s; returns the time.
  double wait(const Link&, AbrSession&) const noexcept;

 private:
  AbrConfig config_;
  QoeTable qoe_;
  std::shared_ptr<const AbrData> data_;
  std::size_t chunks_ = 0;
};

}  // namespace park::abr
