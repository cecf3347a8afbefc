#include "park/envs/load_balance/servers.h"

#include <algorithm>

#include "park/core/error.h"

namespace park::load_balance {
namespace {

/// Column by column, in a form that compilers turn into vector instructions: nothing overlaps.
void write_rows(std::size_t n, double now_s, const double* __restrict rates,
                const double* __restrict free_at_s, const std::uint32_t* __restrict jobs,
                float* __restrict rate_out, float* __restrict jobs_out, float* __restrict work_out,
                float* __restrict drain_out) noexcept {
  for (std::size_t i = 0; i < n; ++i) {
    const double left_s = std::max(free_at_s[i], now_s) - now_s;
    rate_out[i] = static_cast<float>(rates[i]);
    jobs_out[i] = static_cast<float>(static_cast<std::int32_t>(jobs[i]));
    work_out[i] = static_cast<float>(left_s * rates[i]);
    drain_out[i] = static_cast<float>(left_s);
  }
}

}  // namespace

Servers::Servers(std::span<const double> rates)
    : rates_(rates.begin(), rates.end()),
      free_at_s_(rates.size()),
      next_done_s_(rates.size()),
      jobs_(rates.size()),
      rings_(rates.size()),
      leaving_(rates.size()) {
  clear();
}

void Servers::clear() noexcept {
  std::ranges::fill(free_at_s_, 0.0);
  std::ranges::fill(next_done_s_, kNever);
  std::ranges::fill(jobs_, 0u);
  for (Ring& ring : rings_) ring.head = 0;
  present_ = completed_ = 0;
}

Servers::Service Servers::add(std::size_t server, double now_s, double size) {
  const double start_s = std::max(now_s, free_at_s_[server]);
  const double done_s = start_s + size / rates_[server];
  free_at_s_[server] = done_s;
  push(server, done_s);
  return {start_s, done_s};
}

double Servers::advance(double now_s, double until_s) noexcept {
  // Which servers have completions is as good as random: collecting them without a branch saves
  // most of the mispredicted ones.
  std::uint32_t* const leaving = leaving_.data();
  const double* const next_done_s = next_done_s_.data();
  const auto n = static_cast<std::uint32_t>(next_done_s_.size());
  std::size_t count = 0;
  for (std::uint32_t i = 0; i < n; ++i) {
    leaving[count] = i;
    count += next_done_s[i] <= until_s ? 1 : 0;
  }
  double job_seconds = 0;
  for (std::size_t i = 0; i < count; ++i) {
    const std::size_t server = leaving[i];
    do {
      job_seconds += next_done_s[server] - now_s;
      pop(server);
    } while (next_done_s[server] <= until_s);
  }
  return job_seconds + static_cast<double>(present_) * (until_s - now_s);
}

double Servers::drained_s() const noexcept { return std::ranges::max(free_at_s_); }

double Servers::work_left(double now_s) const noexcept {
  double work = 0;
  for (std::size_t i = 0; i < rates_.size(); ++i)
    work += (std::max(free_at_s_[i], now_s) - now_s) * rates_[i];
  return work;
}

void Servers::write(double now_s, std::span<float> rate, std::span<float> jobs,
                    std::span<float> work, std::span<float> drain_s) const noexcept {
  write_rows(rates_.size(), now_s, rates_.data(), free_at_s_.data(), jobs_.data(), rate.data(),
             jobs.data(), work.data(), drain_s.data());
}

void Servers::push(std::size_t server, double done_s) {
  Ring& ring = rings_[server];
  const std::size_t jobs = jobs_[server]++;
  if (jobs == ring.done_s.size()) [[unlikely]] {
    std::rotate(ring.done_s.begin(), ring.done_s.begin() + static_cast<std::ptrdiff_t>(ring.head),
                ring.done_s.end());
    ring.head = 0;
    ring.done_s.resize(2 * jobs);
  }
  if (jobs == 0) next_done_s_[server] = done_s;
  ring.done_s[(ring.head + jobs) & (ring.done_s.size() - 1)] = done_s;
  ++present_;
}

void Servers::pop(std::size_t server) noexcept {
  PARK_ASSERT(jobs_[server] > 0);
  Ring& ring = rings_[server];
  ring.head = (ring.head + 1) & (ring.done_s.size() - 1);
  next_done_s_[server] = --jobs_[server] == 0 ? kNever : ring.at(0);
  --present_;
  ++completed_;
}

}  // namespace park::load_balance
