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
std::vector<std::filesystem::path> Abr::data_files(const Config& c) { return AbrModel::files(c); }

Spec Abr::spec(const Config& c) {
  return PlayerLayout(c).spec(
      {.name = "abr",
       .summary = "choose the bitrate of each chunk of a video that is streamed",
       .reference =
           "Mao, Netravali, Alizadeh, Neural Adaptive Video Streaming with Pensieve, SIGCOMM 2017, "
           "section 5.1; Yin, Jindal, Sekar, Sinopoli, A Control-Theoretic Approach for Dynamic "
           "Adaptive Video Streaming over HTTP, SIGCOMM 2015, section 3",
       .traits = {.cloneable = true}});
}

Abr::Abr(const Config& c) : model_(c), layout_(c), timeline_(c) { fill_static_rows(); }

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
  const auto quality = static_cast<std::size_t>(action.scalar(layout_.quality));
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
  const PlayerLayout& l = layout_;
  const std::size_t n = model_.rates();
  const float* const ahead = sizes_.data() + (next_ % model_.chunks_listed()) * n;
  std::ranges::copy(rate_mbps_, row[l.rate_mbps].begin());
  std::ranges::copy(model_.qoe().score, row[l.score].begin());
  row.scalar(l.stall_penalty) = model_.qoe().stall_penalty;
  row.scalar(l.buffer_s) = session_.buffer_s;
  row.scalar(l.capacity_s) = model_.config().buffer_s;
  row.scalar(l.last) = static_cast<std::int32_t>(last_);
  std::ranges::copy(throughput_, row[l.throughput_mbps].begin());
  std::ranges::copy(download_s_, row[l.download_s].begin());
  std::copy_n(ahead, n, row[l.bytes].begin());
  std::copy_n(ahead + n, kAbrLater * n, row[l.later_bytes].begin());
  row.scalar(l.left) = static_cast<float>(model_.chunks() - next_);
  row.scalar(l.chunk_s) = model_.config().chunk_s;
  row.scalar(l.time_s) = session_.time_s;
  row.scalar(l.trace) = static_cast<std::int32_t>(trace_);
}

void Abr::metrics(std::span<double> out) const {
  const PlayerLayout& l = layout_;
  const auto n = static_cast<double>(sums_.chunks);
  out[l.qoe] = sums_.qoe();
  out[l.mean_quality] = sums_.score / n;
  out[l.bitrate_mbps] = sums_.mbps / n;
  out[l.stall_s] = sums_.stall_s;
  out[l.quality_change] = sums_.change / n;
  out[l.switches] = static_cast<double>(sums_.switches);
  out[l.startup_s] = startup_s_;
  out[l.chunks_done] = static_cast<double>(next_);
}

std::unique_ptr<Env> Abr::clone() const {
  auto copy = std::make_unique<Abr>(*this);
  copy->timeline_.set(nullptr);
  return copy;
}

std::unique_ptr<Env> Abr::clone_with_future(std::uint64_t seed) const {
  auto copy = std::make_unique<Abr>(*this);
  copy->timeline_.set(nullptr);
  const Rng future(seed);
  copy->episode_.dynamics = future.split("dynamics").bits();
  if (!model_.config().starts.empty()) return copy;
  copy->episode_.inputs = future.split("inputs").bits();
  const AbrModel::Start start = model_.start(copy->episode_);
  copy->trace_ = start.link;
  copy->session_.link = start.position;
  return copy;
}

}  // namespace park::abr
