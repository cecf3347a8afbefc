#include "park/envs/dl_inference/choices.h"

#include <algorithm>
#include <cmath>

namespace park::dl_inference {

Choices::Choices(const InferenceLayout& l, ConstRow row)
    : mask_(row[l.mask]),
      wait_(row[l.wait]),
      app_(row[l.app]),
      batch_max_(row[l.batch_max]),
      max_batch_(row[l.max_batch]),
      oldest_s_(row[l.oldest_s]),
      single_s_(row[l.single_s]),
      full_s_(row[l.full_s]),
      latency_s_(row[l.latency_s]),
      rate_(row[l.rate]),
      weight_(row[l.weight]),
      used_s_(row[l.used_s]),
      used_second_s_(row[l.used_second_s]),
      used_tenth_s_(row[l.used_tenth_s]),
      deadline_s_(row[l.deadline_s]),
      batch_wait_s_(row[l.batch_wait_s]) {}

std::optional<std::size_t> Choices::waiting() const noexcept {
  for (std::size_t e = size(); e-- > 0;)
    if (mask_[e] != 0 && wait_[e] != 0) return e;
  return std::nullopt;
}

std::size_t Choices::first_legal() const noexcept {
  for (std::size_t e = 0; e < size(); ++e)
    if (mask_[e] != 0) return e;
  return 0;
}

bool Choices::any_open() const noexcept {
  for (std::size_t e = 0; e < size(); ++e)
    if (open(e)) return true;
  return false;
}

std::size_t Choices::app(std::size_t e) const noexcept {
  return static_cast<std::size_t>(std::clamp(app_[e], 0, kMaxApps - 1));
}

double Choices::latency_s(std::size_t e, double k) const noexcept {
  const std::span<const float> at = latency_s_.subspan(e * kPowers, kPowers);
  const double most = std::max(1.0, static_cast<double>(max_batch_[e]));
  const double size = std::clamp(k, 1.0, most);
  double low = 1;
  for (std::size_t p = 1; p < at.size(); ++p) {
    const double high = std::min(2 * low, most);
    if (size <= high && high > low)
      return at[p - 1] + (at[p] - at[p - 1]) * (size - low) / (high - low);
    low = high;
  }
  return at.back();
}

double Choices::mean_age(std::size_t e, double p) const noexcept {
  if (p == 0) return 1;
  double sum = 0;
  for (std::size_t q = 0; q < kQuarters; ++q) {
    const double age = 1 + static_cast<double>(batch_wait_s_[e * kQuarters + q]) / single_s(e);
    sum += p == 1 ? age : std::pow(age, p);
  }
  return sum / kQuarters;
}

ChoicePolicy::Answer ChoicePolicy::wait_or(const Choices& choices, Answer otherwise) {
  if (const auto wait = choices.waiting()) return {*wait, 0};
  return otherwise;
}

/// A row without a legal choice is nobody's question; it gets the first one.
void ChoicePolicy::choose(const Ask& ask, ConstRow row, Row action) {
  const Choices choices(layout_, row);
  if (choices.size() == 0) return;
  const Answer a =
      choices.any_open() ? answer(choices, ask.slot) : Answer{choices.first_legal(), 0};
  const auto low = row[layout_.batch_min][a.element], high = row[layout_.batch_max][a.element];
  action.scalar(layout_.choice) = static_cast<std::int32_t>(a.element);
  action.scalar(layout_.batch) =
      std::max(low, static_cast<std::int32_t>(std::min<double>(a.batch, high)));
}

}  // namespace park::dl_inference
