#include "park/envs/abr/config.h"

#include <array>
#include <cmath>

#include "park/core/data_path.h"
#include "park/core/text.h"
#include "park/envs/abr/video.h"

namespace park::abr {
namespace {

constexpr double kKbpsPerMbps = 1000;

void check_rates(const AbrConfig& c, Violations& bad) {
  const std::string have = "rates_kbps has " + std::to_string(c.rates()) + " values";
  if (c.rates() < 2 || c.rates() > kMaxRates) bad.add(have + "; allowed are 2 to 64");
  for (std::size_t i = 1; i < c.rates(); ++i)
    if (c.rates_kbps[i] <= c.rates_kbps[i - 1]) return bad.add("rates_kbps must increase");
}

}  // namespace

void AbrConfig::check(const AbrConfig& c, Violations& bad) {
  check_rates(c, bad);
  if (static_cast<std::size_t>(c.first_quality) >= c.rates())
    bad.add("first_quality = " + std::to_string(c.first_quality) +
            " must be below the number of rates_kbps, " + std::to_string(c.rates()));
  if (c.qoe == "hd" && c.hd_scores.size() != c.rates())
    bad.add("hd_scores has " + std::to_string(c.hd_scores.size()) +
            " values and needs one for each of the " + std::to_string(c.rates()) + " rates_kbps");
  if (c.chunks == 1) bad.add("chunks = 1 leaves nothing to decide; allowed are 0 and 2 to 1e6");
  if (c.chunk_s > c.buffer_s)
    bad.add("buffer_s = " + number_text(c.buffer_s) +
            " must hold a chunk of chunk_s = " + number_text(c.chunk_s));
}

QoeTable AbrConfig::qoe_table() const {
  if (qoe == "hd") return {.score = hd_scores, .stall_penalty = 8};
  QoeTable table{.score = rates_kbps, .stall_penalty = qoe == "log" ? 2.66 : 4.3};
  for (double& r : table.score)
    r = qoe == "log" ? std::log(r / rates_kbps.front()) : r / kKbpsPerMbps;
  return table;
}

std::filesystem::path AbrConfig::traces_folder() const {
  constexpr std::array<std::pair<const char*, const char*>, 3> kBundled{
      {{"bundled", "cellular"},
       {"bundled-validation", "cellular-validation"},
       {"bundled-test", "cellular-test"}}};
  for (const auto& [name, folder] : kBundled)
    if (traces == name) return data_dir() / "traces" / folder;
  return traces;
}

std::filesystem::path AbrConfig::video_folder() const {
  if (video == "bundled") return data_dir() / "videos" / "default";
  return video;
}

}  // namespace park::abr
