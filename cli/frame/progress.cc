#include "cli/frame/progress.h"

#include <algorithm>
#include <chrono>

#include "cli/frame/names.h"
#include "park/command/numbers.h"

namespace park::cli {
namespace {

constexpr double kFirstPlainS = 5, kPlainPeriodS = 10;
constexpr double kFirstBarS = 0.3, kBarPeriodS = 0.1;
constexpr std::size_t kBarWidth = 24;

}  // namespace

double monotonic_s() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

Progress::Progress(Console& console, std::string unit, std::uint64_t total, std::string step,
                   Now now)
    : console_(&console),
      unit_(std::move(unit)),
      step_(std::move(step)),
      total_(total),
      now_(std::move(now)),
      begin_s_(now_()),
      next_s_(begin_s_ + (console.terminal() ? kFirstBarS : kFirstPlainS)) {}

void Progress::advance(std::uint64_t units, std::uint64_t steps) {
  done_ += units;
  steps_ += steps;
  if (!console_->shows(LogLevel::info)) return;
  const double now = now_();
  if (now < next_s_) return;
  next_s_ = now + (console_->terminal() ? kBarPeriodS : kPlainPeriodS);
  if (console_->terminal())
    console_->status(bar() + line(now - begin_s_));
  else
    console_->info(line(now - begin_s_));
}

std::string Progress::line(double elapsed_s) const {
  const std::uint64_t done = skipped_ + done_;
  std::string text = std::to_string(done);
  if (total_ > 0) text += '/' + std::to_string(total_);
  text += ' ' + unit_ + ", " + count_text(static_cast<double>(steps_) / elapsed_s) + ' ' + step_;
  text += "/s";
  if (done_ > 0 && done < total_) {
    const double per_unit = elapsed_s / static_cast<double>(done_);
    text += ", " + duration_text(per_unit * static_cast<double>(total_ - done)) + " left";
  }
  if (done_ == 0 && steps_ == 0 && elapsed_s > kFirstPlainS) text += ", nothing was asked yet";
  return label_.empty() ? text : text + "  " + label_;
}

std::string Progress::bar() const {
  if (total_ == 0) return "";
  const std::size_t filled =
      std::min<std::uint64_t>(kBarWidth, kBarWidth * (skipped_ + done_) / total_);
  return '[' + std::string(filled, '#') + std::string(kBarWidth - filled, '.') + "] ";
}

}  // namespace park::cli
