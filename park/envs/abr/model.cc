// Links, video and starts of a configuration, and what one request does to a session. Files are
// read once and shared by all models of a process that name the same unchanged ones. fetch moves a
// session through a download, wait through pauses of the player. The environment and the offline
// optimum call them, so that both follow the same rules.
#include "park/envs/abr/model.h"

#include <algorithm>
#include <cmath>
#include <string>
#include <system_error>
#include <utility>

#include "park/core/error.h"
#include "park/envs/abr/network_trace.h"
#include "park/files/lines.h"
#include "park/files/read.h"
#include "park/files/stamp_cache.h"

namespace park::abr {
namespace {

namespace fs = std::filesystem;

constexpr double kWaitStepS = 0.5;  // Pensieve's DRAIN_BUFFER_SLEEP_TIME

std::vector<files::FileStamp> stamps_of(const AbrConfig& c) {
  std::vector<files::FileStamp> all;
  for (const fs::path& file : AbrModel::files(c)) {
    std::error_code error;
    all.push_back(files::stamp_of(file, error));
    if (error) throw Error(Errc::io, "cannot read '" + file.string() + "': " + error.message());
  }
  return all;
}

std::vector<std::size_t> read_starts(const std::string& path, const std::vector<Link>& links) {
  std::vector<std::size_t> starts;
  Violations bad;
  const std::string text = files::text_of(path, "starts");
  for (files::NumberLines line(text); bad.size() < files::kMostViolations && line.next();) {
    const std::size_t k = starts.size();
    if (k == links.size()) {
      files::add_at(bad, path, line.number(), "there are more pointers than traces");
      break;
    }
    const auto most = static_cast<double>(links[k].intervals());
    const auto p = files::number_in(line.word(), 1, most);
    const bool whole = p && *p == std::floor(*p) && line.word().empty();
    if (!whole)
      files::add_at(bad, path, line.number(),
                    "must be a line of the trace '" + links[k].name() +
                        "', a whole number from 1 to " + std::to_string(links[k].intervals()));
    starts.push_back(whole ? static_cast<std::size_t>(*p) : 1);
  }
  if (bad.empty() && starts.size() < links.size())
    bad.add("starts: '" + path + "' has " + std::to_string(starts.size()) +
            " pointers and must have one for each of the " + std::to_string(links.size()) +
            " traces");
  bad.throw_if_any(Errc::bad_file);
  return starts;
}

std::shared_ptr<const AbrData> read_data(const AbrConfig& c) {
  auto data = std::make_shared<AbrData>();
  for (const NetworkTrace& t : read_traces(c.traces_folder())) data->links.emplace_back(t);
  data->video = read_video(c.video_folder());
  if (!c.starts.empty()) data->starts = read_starts(c.starts, data->links);
  return data;
}

std::shared_ptr<const AbrData> open_data(const AbrConfig& c) {
  static files::StampCache<std::vector<fs::path>, AbrData> cache;
  return cache.get({c.traces_folder(), c.video_folder(), c.starts}, stamps_of(c),
                   [&] { return read_data(c); });
}

}  // namespace

std::vector<fs::path> AbrModel::files(const AbrConfig& c) {
  std::vector<fs::path> all = files::files_of(c.traces_folder(), "traces");
  for (fs::path& file : files::files_of(c.video_folder(), "video")) all.push_back(std::move(file));
  if (!c.starts.empty()) all.emplace_back(c.starts);
  return all;
}

AbrModel::AbrModel(const AbrConfig& c) : config_(c), qoe_(c.qoe_table()), data_(open_data(c)) {
  const Video& video = data_->video;
  if (video.rates() != c.rates())
    throw Error(Errc::invalid_config, "rates_kbps has " + std::to_string(c.rates()) +
                                          " values and the video '" + c.video_folder().string() +
                                          "' has " + std::to_string(video.rates()) +
                                          " encodings; it must have one for each");
  chunks_ = c.chunks > 0 ? static_cast<std::size_t>(c.chunks) : video.chunks() - 1;
  if (chunks_ < 2)
    throw Error(Errc::bad_file, "video: '" + c.video_folder().string() +
                                    "' must have at least 3 chunks: the last one is not played");
}

AbrModel::Start AbrModel::start(const Episode& e) const noexcept {
  const std::size_t n = data_->links.size();
  const Rng inputs(e.inputs);
  const std::size_t k = data_->starts.empty() ? inputs.split("trace").below(n) : e.id % n;
  const Link& link = data_->links[k];
  const std::size_t first =
      data_->starts.empty() ? 1 + inputs.split("start").below(link.intervals()) : data_->starts[k];
  return {k, link.start(first)};
}

double AbrModel::noise(const Episode& e, std::size_t chunk) const noexcept {
  if (config_.noise == 0) return 1;
  return Rng(e.dynamics).split("noise").split(chunk).uniform(1 - config_.noise, 1 + config_.noise);
}

AbrFetch AbrModel::fetch(const Link& link, AbrSession& s, double bytes,
                         double noise) const noexcept {
  AbrFetch f{.bytes = bytes};
  f.download_s = (link.transfer(s.link, bytes, config_.payload) + config_.rtt_s) * noise;
  f.stall_s = std::max(f.download_s - s.buffer_s, 0.0);
  s.time_s += f.download_s;
  s.buffer_s = std::max(s.buffer_s - f.download_s, 0.0) + config_.chunk_s;
  return f;
}

double AbrModel::wait(const Link& link, AbrSession& s) const noexcept {
  const double over_s = s.buffer_s - config_.buffer_s;
  if (over_s <= 0) return 0;
  const double wait_s = std::ceil(over_s / kWaitStepS) * kWaitStepS;
  link.pass(s.link, wait_s);
  s.time_s += wait_s;
  s.buffer_s -= wait_s;
  return wait_s;
}

}  // namespace park::abr
