// The environment: one video session per episode. The state is an AbrSession (position on the link,
// time, buffer) and the last chunks for the observation. reset fetches the first chunk; step
// requests the next one at the chosen quality, moves the session to its arrival, waits for room in
// the buffer, and writes the row. A horizon cuts the download that it falls into. Pool calls it.
#include "park/envs/abr/abr.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "park/envs/abr/link.h"

namespace park::abr {
namespace {

// 1e12 bytes at a thousandth of 0.001 Mbps take 8e12 s; a start within a trace adds less than one
// round of it, and noise less than doubles that.
constexpr double kMaxDownloadS = 1e14;
constexpr double kMaxMbps = kMaxChunkBytes;

std::vector<Leaf> rate_leaves(std::int64_t n) {
  return {
      {.name = "rate.mbps",
       .dtype = DType::f64,
       .shape = {n},
       .low = 0,
       .high = kMaxRateKbps / 1000,
       .unit = "Mbps",
       .doc = "rate of each encoding, the lowest first"},
      {.name = "rate.score",
       .dtype = DType::f64,
       .shape = {n},
       .low = -kMaxScore,
       .high = kMaxScore,
       .doc = "its quality q(rate) in the reward"},
      {.name = "qoe.stall_penalty",
       .dtype = DType::f64,
       .low = 0,
       .high = kMaxScore,
       .unit = "1/s",
       .doc = "what a second of stall costs; a change of quality costs |change of q|"},
  };
}

std::vector<Leaf> player_leaves(std::int64_t n) {
  return {
      {.name = "buffer.level_s",
       .dtype = DType::f64,
       .low = 0,
       .high = 2e6,
       .unit = "s",
       .doc = "video that is there and not played"},
      {.name = "buffer.capacity_s",
       .dtype = DType::f64,
       .low = 0,
       .high = 1e6,
       .unit = "s",
       .doc = "with more than this the player waits"},
      {.name = "last.quality",
       .dtype = DType::i32,
       .low = 0,
       .high = static_cast<double>(n - 1),
       .doc = "encoding of the chunk before, 0 the lowest rate"},
      {.name = "history.throughput_mbps",
       .dtype = DType::f64,
       .shape = {kAbrPast},
       .low = 0,
       .high = kMaxMbps,
       .unit = "Mbps",
       .doc = "size / download time of the last chunks, the newest last; 0 before the first"},
      {.name = "history.download_s",
       .dtype = DType::f64,
       .shape = {kAbrPast},
       .low = 0,
       .high = kMaxDownloadS,
       .unit = "s",
       .doc = "their download times, the round trip included"},
  };
}

std::vector<Leaf> chunk_leaves(std::int64_t n) {
  return {
      {.name = "chunk.bytes",
       .shape = {n},
       .low = 0,
       .high = kMaxChunkBytes,
       .unit = "bytes",
       .doc = "size of the next chunk in each encoding"},
      {.name = "chunk.later_bytes",
       .shape = {kAbrLater, n},
       .low = 0,
       .high = kMaxChunkBytes,
       .unit = "bytes",
       .doc =
           "of the chunks that the video lists after it; they may be beyond the last one played"},
      {.name = "chunk.left",
       .low = 0,
       .high = kMaxChunks,
       .unit = "chunks",
       .doc = "chunks to be fetched, the next one included; 0 in the final observation of a whole "
              "video"},
      {.name = "chunk.duration_s",
       .dtype = DType::f64,
       .low = 0,
       .high = 1e4,
       .unit = "s",
       .doc = "video in a chunk"},
      {.name = "info.time_s",
       .dtype = DType::f64,
       .low = 0,
       .high = kMaxDownloadS * kMaxChunks,
       .unit = "s",
       .doc = "time since the request for the first chunk"},
      {.name = "info.trace",
       .dtype = DType::i32,
       .low = 0,
       .high = static_cast<double>(kMaxTraces),
       .doc = "position of the trace among the sorted names, from 0"},
  };
}

std::vector<Metric> metric_list() {
  return {
      {"qoe", "1", false,
       "mean over the chunks after the first of q - penalty x stall - |change of q|; the first "
       "change is that of chunk 2 against chunk 1"},
      {"quality", "1", false, "mean of q over the same chunks"},
      {"bitrate_mbps", "Mbps", false, "mean rate of the same chunks"},
      {"stall_s", "s", true, "time without video to play after the first chunk was there"},
      {"quality_change", "1", true, "mean of |change of q| over the same chunks"},
      {"switches", "1", true, "changes of the encoding"},
      {"startup_s", "s", true, "download time of the first chunk; no part of qoe and stall_s"},
      {"chunks_done", "chunks", false, "chunks that were fetched, the first one included"},
  };
}

}  // namespace

std::vector<std::filesystem::path> Abr::data_files(const Config& c) { return AbrModel::files(c); }

Spec Abr::spec(const Config& c) {
  Spec s;
  s.name = "abr";
  s.summary = "choose the bitrate of each chunk of a video that is streamed";
  s.reference =
      "Mao, Netravali, Alizadeh, Neural Adaptive Video Streaming with Pensieve, SIGCOMM 2017, "
      "section 5.1; Yin, Jindal, Sekar, Sinopoli, A Control-Theoretic Approach for Dynamic "
      "Adaptive Video Streaming over HTTP, SIGCOMM 2015, section 3";
  const auto n = static_cast<std::int64_t>(c.rates());
  for (auto part : {rate_leaves(n), player_leaves(n), chunk_leaves(n)})
    for (Leaf& leaf : part) s.observation.leaves.push_back(std::move(leaf));
  s.action.leaves = {{.name = "quality",
                      .dtype = DType::i32,
                      .low = 0,
                      .high = static_cast<double>(n - 1),
                      .doc = "encoding of the next chunk, 0 the lowest rate; every one is open"}};
  s.metrics = metric_list();
  s.traits.cloneable = true;
  s.traits.twin = "dash";
  return s;
}

Abr::Fields::Fields(const Spec& spec) {
  const Batch o(spec.observation), a(spec.action);
  rate_mbps = o.field<double>("rate.mbps");
  rate_score = o.field<double>("rate.score");
  stall_penalty = o.field<double>("qoe.stall_penalty");
  chunk_s = o.field<double>("chunk.duration_s");
  capacity_s = o.field<double>("buffer.capacity_s");
  buffer_s = o.field<double>("buffer.level_s");
  throughput = o.field<double>("history.throughput_mbps");
  download_s = o.field<double>("history.download_s");
  bytes = o.field<float>("chunk.bytes");
  later_bytes = o.field<float>("chunk.later_bytes");
  left = o.field<float>("chunk.left");
  last = o.field<std::int32_t>("last.quality");
  trace = o.field<std::int32_t>("info.trace");
  time_s = o.field<double>("info.time_s");
  quality = a.field<std::int32_t>("quality");
}

Abr::Abr(const Config& c) : model_(c), fields_(spec(c)), timeline_(c) { fill_static_rows(); }

void Abr::fill_static_rows() {
  for (const double kbps : model_.config().rates_kbps) rate_mbps_.push_back(kbps / 1000);
  // So many rows that those ahead of any chunk lie behind each other.
  for (std::size_t i = 0; i < model_.chunks_listed() + 1 + kAbrLater; ++i)
    for (std::size_t r = 0; r < model_.rates(); ++r)
      sizes_.push_back(static_cast<float>(model_.bytes(r, i)));
}

void Abr::reset(const Episode& e, Row observation) {
  episode_ = e;
  const AbrModel::Start start = model_.start(e);
  trace_ = start.link;
  session_ = {.link = start.position};
  next_ = 0;
  throughput_.fill(0);
  download_s_.fill(0);
  sums_ = {};
  last_ = static_cast<std::size_t>(model_.config().first_quality);
  if (timeline_) timeline_.begin(link(), trace_, session_.link, e.horizon_s);
  AbrSession after = session_;
  const AbrFetch f = request(after, last_);
  startup_s_ = f.download_s;
  accept(after, f, last_);
  observe(observation);
}

Outcome Abr::step(ConstRow action, Row observation) {
  const auto quality = static_cast<std::size_t>(action.scalar(fields_.quality));
  const double begin_s = session_.time_s;
  AbrSession after = session_;
  const AbrFetch f = request(after, quality);
  Outcome o;
  if (after.time_s > episode_.horizon_s) [[unlikely]] {
    o = cut();
  } else {
    o.reward = model_.qoe().of(quality, last_, f.stall_s);
    count(quality, o.reward, f.stall_s);
    o.end = accept(after, f, quality);
  }
  o.elapsed_s = session_.time_s - begin_s;
  observe(observation);
  return o;
}

AbrFetch Abr::request(AbrSession& s, std::size_t quality) const {
  return model_.fetch(link(), s, model_.bytes(quality, next_), model_.noise(episode_, next_));
}

/// The chunk is there. Waits for room in the buffer where another one follows.
End Abr::accept(const AbrSession& after, const AbrFetch& f, std::size_t quality) {
  const AbrSession before = session_;
  session_ = after;
  last_ = quality;
  ++next_;
  remember(f);
  const bool whole = next_ == model_.chunks();
  const double wait_s = whole ? 0 : model_.wait(link(), session_);
  if (timeline_) timeline_.fetched(before, f, wait_s, quality, sums_.qoe());
  if (whole) return End::terminated;
  const double over_s = session_.time_s - episode_.horizon_s;
  if (over_s < 0 || next_ == 1) [[likely]]  // the first decision is always asked
    return End::none;
  session_.time_s = episode_.horizon_s;
  session_.buffer_s += over_s;
  return End::truncated;
}

/// The horizon comes before the chunk is there: what is played until then counts.
Outcome Abr::cut() {
  const double elapsed_s = std::max(episode_.horizon_s - session_.time_s, 0.0);
  const double stall_s = std::max(elapsed_s - session_.buffer_s, 0.0);
  if (timeline_) timeline_.cut(session_, elapsed_s);
  session_.time_s += elapsed_s;
  session_.buffer_s = std::max(session_.buffer_s - elapsed_s, 0.0);
  sums_.stall_s += stall_s;
  const double reward = 0.0 - model_.qoe().stall_penalty * stall_s;
  sums_.reward += reward;
  return {.reward = reward, .end = End::truncated};
}

void Abr::count(std::size_t quality, double reward, double stall_s) {
  const QoeTable& qoe = model_.qoe();
  sums_.reward += reward;
  sums_.score += qoe.score[quality];
  sums_.mbps += model_.config().rates_kbps[quality] / 1000;
  sums_.stall_s += stall_s;
  sums_.change += std::abs(qoe.score[quality] - qoe.score[last_]);
  sums_.switches += quality == last_ ? 0 : 1;
  ++sums_.chunks;
}

void Abr::remember(const AbrFetch& f) noexcept {
  std::shift_left(throughput_.begin(), throughput_.end(), 1);
  std::shift_left(download_s_.begin(), download_s_.end(), 1);
  throughput_.back() = f.bytes / kBytesPerMegabit / f.download_s;
  download_s_.back() = f.download_s;
}

void Abr::observe(Row row) const {
  const std::size_t n = model_.rates();
  const float* const ahead = sizes_.data() + (next_ % model_.chunks_listed()) * n;
  std::ranges::copy(rate_mbps_, row[fields_.rate_mbps].begin());
  std::ranges::copy(model_.qoe().score, row[fields_.rate_score].begin());
  row.scalar(fields_.stall_penalty) = model_.qoe().stall_penalty;
  row.scalar(fields_.buffer_s) = session_.buffer_s;
  row.scalar(fields_.capacity_s) = model_.config().buffer_s;
  row.scalar(fields_.last) = static_cast<std::int32_t>(last_);
  std::ranges::copy(throughput_, row[fields_.throughput].begin());
  std::ranges::copy(download_s_, row[fields_.download_s].begin());
  std::copy_n(ahead, n, row[fields_.bytes].begin());
  std::copy_n(ahead + n, kAbrLater * n, row[fields_.later_bytes].begin());
  row.scalar(fields_.left) = static_cast<float>(model_.chunks() - next_);
  row.scalar(fields_.chunk_s) = model_.config().chunk_s;
  row.scalar(fields_.time_s) = session_.time_s;
  row.scalar(fields_.trace) = static_cast<std::int32_t>(trace_);
}

void Abr::metrics(std::span<double> m) const {
  const auto n = static_cast<double>(sums_.chunks);
  m[0] = sums_.qoe();
  m[1] = sums_.score / n;
  m[2] = sums_.mbps / n;
  m[3] = sums_.stall_s;
  m[4] = sums_.change / n;
  m[5] = static_cast<double>(sums_.switches);
  m[6] = startup_s_;
  m[7] = static_cast<double>(next_);
}

std::unique_ptr<Env> Abr::clone() const {
  auto copy = std::make_unique<Abr>(*this);
  copy->timeline_.set(nullptr);
  return copy;
}

}  // namespace park::abr
