#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "park/core/config.h"
#include "park/core/error.h"
#include "park/core/space.h"

namespace park::abr {

/// Bounds that the configuration guarantees.
inline constexpr double kMaxRateKbps = 1e9;
inline constexpr double kMaxScore = 1e9;  ///< limit of QoE, for one chunk
inline constexpr std::int32_t kMaxChunks = 1'000'000;

/// The quality measure of players: q(R) of each rate, and the cost of a second of stall. The
/// quality of experience of a chunk is q - stall_penalty * stall - |q - q of the chunk before|.
struct QoeTable {
  std::vector<double> score;  ///< [rates]
  double stall_penalty;       ///< 1/s

  [[nodiscard]] double of(std::size_t quality, std::size_t before, double stall_s) const noexcept {
    const double change = score[quality] - score[before];
    return score[quality] - stall_penalty * stall_s - (change < 0 ? -change : change);
  }
};

/// The defaults are the setting of Pensieve's simulator.
struct AbrConfig {
  std::string traces = "bundled";
  std::string video = "bundled";
  std::string starts{};
  std::int32_t first_quality = 0;
  std::string qoe = "lin";
  std::vector<double> rates_kbps{300, 750, 1200, 1850, 2850, 4300};
  std::vector<double> hd_scores{1, 2, 3, 12, 15, 20};
  std::int32_t chunks = 0;
  double chunk_s = 4, buffer_s = 60;
  double rtt_s = 0.08, payload = 0.95, noise = 0;

  bool operator==(const AbrConfig&) const = default;

  template <class Self, class Visit>
  static void fields(Self& c, Visit&& visit) {
    visit("traces", c.traces,
          FieldDoc{.doc =
                       "bundled, bundled-validation, bundled-test (other traces of the same kind), "
                       "or a folder of network traces: every file is one, with lines "
                       "'time_s Mbps'; line i, from 0, says the bandwidth from the time of line "
                       "i-1 to its own, and after the last line comes line 1, from time 0",
                   .names = Names::file,
                   .bundled = "bundled|bundled-validation|bundled-test"});
    visit("video", c.video,
          FieldDoc{.doc = "bundled, or a folder with a file per encoding; sorted by name, the "
                          "lowest rate first; a line is the size of a chunk in bytes",
                   .names = Names::file,
                   .bundled = "bundled"});
    visit("starts", c.starts,
          FieldDoc{.doc = "file with a line per trace, in the order of the sorted names: the line "
                          "of the trace that an episode starts in, at the time of the line before; "
                          "episode k then plays trace k. None: both are drawn from its inputs",
                   .names = Names::file});
    visit("first_quality", c.first_quality,
          FieldDoc{.doc = "encoding of the first chunk, which is fetched without a decision; 0 is "
                          "the lowest rate",
                   .min = 0,
                   .max = 63});
    visit("qoe", c.qoe,
          FieldDoc{.doc = "quality q of a rate R, and the cost of a second of stall: lin: R in "
                          "Mbps, 4.3; log: ln(R / lowest R), 2.66; hd: hd_scores, 8",
                   .choices = "lin|log|hd"});
    visit("rates_kbps", c.rates_kbps,
          FieldDoc{.doc = "rates of the encodings, the lowest first",
                   .unit = "kbps",
                   .min = 1e-3,
                   .max = kMaxRateKbps});
    visit("hd_scores", c.hd_scores,
          FieldDoc{.doc = "hd: q of each rate", .min = -kMaxScore, .max = kMaxScore});
    visit("chunks", c.chunks,
          FieldDoc{.doc = "chunks that are played; after the last one listed comes the first; 0: "
                          "all that are listed but the last, which is shorter, so Pensieve's 48 "
                          "of 49",
                   .min = 0,
                   .max = kMaxChunks});
    visit("chunk_s", c.chunk_s,
          FieldDoc{.doc = "duration of a chunk", .unit = "s", .min = 1e-3, .max = 1e4});
    visit("buffer_s", c.buffer_s,
          FieldDoc{.doc = "video that the player holds; with more it waits, in steps of 0.5 s",
                   .unit = "s",
                   .min = 1,
                   .max = 1e6});
    visit("rtt_s", c.rtt_s,
          FieldDoc{.doc = "round trip before each chunk", .unit = "s", .min = 0, .max = 1e3});
    visit("payload", c.payload,
          FieldDoc{.doc = "part of the bandwidth that carries the video", .min = 1e-3, .max = 1});
    visit("noise", c.noise,
          FieldDoc{.doc = "the download time of each chunk is multiplied by a number drawn from "
                          "[1 - noise, 1 + noise); Pensieve trains with 0.1",
                   .min = 0,
                   .max = 0.9});
  }

  /// The rules between fields.
  static void check(const AbrConfig&, Violations&);

  [[nodiscard]] std::size_t rates() const noexcept { return rates_kbps.size(); }
  [[nodiscard]] QoeTable qoe_table() const;
  /// The folders that the fields stand for. Throw Error{io} if the bundled data is not found.
  [[nodiscard]] std::filesystem::path traces_folder() const;
  [[nodiscard]] std::filesystem::path video_folder() const;
};

}  // namespace park::abr
