#include "park/envs/dl_inference/device_log.h"

#include <algorithm>

namespace park::dl_inference {

DeviceLog::DeviceLog(std::size_t apps) : used_s_(apps) {
  for (Window& w : windows_) w.sum_s.resize(apps), w.in.resize(apps);
}

void DeviceLog::clear() noexcept {
  log_.clear();
  std::ranges::fill(used_s_, 0.0);
  for (Window& w : windows_) {
    w.first = 0;
    w.cut_s = 0;
    std::ranges::fill(w.sum_s, 0.0);
    std::ranges::fill(w.in, std::uint64_t{0});
  }
}

void DeviceLog::start(std::size_t app, double start_s, double end_s) {
  log_.push({app, start_s, end_s});
  used_s_[app] += end_s - start_s;
  for (Window& w : windows_) {
    w.sum_s[app] += end_s - start_s;
    ++w.in[app];
  }
}

void DeviceLog::cut(double now_s) noexcept {
  Batch& last = log_.at(log_.end() - 1);
  const double left_s = last.end_s - now_s;
  used_s_[last.app] -= left_s;
  for (Window& w : windows_) w.sum_s[last.app] -= left_s;
  last.end_s = now_s;
}

void DeviceLog::look(double now_s) noexcept {
  for (std::size_t i = 0; i < windows_.size(); ++i) {
    Window& w = windows_[i];
    const double begin_s = now_s - kWindowsS[i];
    for (; w.first < log_.end() && log_.at(w.first).end_s <= begin_s; ++w.first) {
      const Batch& gone = log_.at(w.first);
      w.sum_s[gone.app] -= gone.end_s - gone.start_s;
      if (--w.in[gone.app] == 0) w.sum_s[gone.app] = 0;
    }
    const bool across = w.first < log_.end() && log_.at(w.first).start_s < begin_s;
    w.cut_s = across ? begin_s - log_.at(w.first).start_s : 0;
  }
  log_.pop_before(std::min(windows_[0].first, windows_[1].first));
}

double DeviceLog::used_in_s(std::size_t window, std::size_t app) const noexcept {
  const Window& w = windows_[window];
  double used_s = w.sum_s[app];
  if (w.cut_s > 0 && log_.at(w.first).app == app) used_s -= w.cut_s;
  return std::clamp(used_s, 0.0, kWindowsS[window]);
}

}  // namespace park::dl_inference
