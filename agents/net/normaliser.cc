#include "agents/net/normaliser.h"

#include <ATen/ops/ones.h>
#include <ATen/ops/zeros.h>

#include <algorithm>
#include <cmath>

namespace park::agents {
namespace {

constexpr float kClip = 10;
// A smaller deviation, against the mean, is rounding.
constexpr double kLeastDeviation = 1e-6;

/// Count, mean and sum of squared deviations of each column, one after the other in memory.
struct Moments {
  explicit Moments(const at::Tensor& t)
      : columns(t.size(1)),
        count(t.data_ptr<double>()),
        mean(count + columns),
        squares(mean + columns) {}
  std::int64_t columns;
  double *count, *mean, *squares;

  void add(std::int64_t c, double n, double its_mean, double its_squares) const {
    const double both = count[c] + n;
    if (both <= 0) return;
    const double delta = its_mean - mean[c];
    mean[c] += delta * n / both;
    squares[c] += its_squares + delta * delta * count[c] * n / both;
    count[c] = both;
  }
};

}  // namespace

Normaliser::Normaliser(std::int64_t columns)
    : shift_(register_buffer("shift", at::zeros({columns}))),
      scale_(register_buffer("scale", at::ones({columns}))),
      settled_(register_buffer("settled", at::zeros({3, columns}, at::kDouble))),
      pending_(register_buffer("pending", at::zeros({3, columns}, at::kDouble))) {}

at::Tensor Normaliser::apply(at::Tensor x) const {
  const at::Tensor shift_here = shift_.cpu(), scale_here = scale_.cpu();
  const float *shift = shift_here.data_ptr<float>(), *scale = scale_here.data_ptr<float>();
  float* v = x.data_ptr<float>();
  for (std::int64_t r = 0; r < x.size(0); ++r, v += x.size(1))
    for (std::int64_t c = 0; c < x.size(1); ++c)
      v[c] = std::clamp((v[c] - shift[c]) * scale[c], -kClip, kClip);
  return x;
}

void Normaliser::observe(const at::Tensor& x) {
  const at::Tensor here = pending_.cpu();
  const Moments pending(here);
  const float* v = x.data_ptr<float>();
  const std::int64_t n = x.size(0), columns = x.size(1);
  for (std::int64_t c = 0; c < columns && n > 0; ++c) {
    double sum = 0, squares = 0;
    for (std::int64_t r = 0; r < n; ++r) sum += v[r * columns + c];
    const double mean = sum / static_cast<double>(n);
    for (std::int64_t r = 0; r < n; ++r) {
      const double d = v[r * columns + c] - mean;
      squares += d * d;
    }
    pending.add(c, static_cast<double>(n), mean, squares);
  }
  pending_.copy_(here);
}

void Normaliser::settle() {
  const at::Tensor all_here = settled_.cpu(), new_here = pending_.cpu(), shift = shift_.cpu(),
                   scale = scale_.cpu();
  const Moments all(all_here), recent(new_here);
  for (std::int64_t c = 0; c < all.columns; ++c) {
    all.add(c, recent.count[c], recent.mean[c], recent.squares[c]);
    if (all.count[c] <= 0) continue;
    const double deviation = std::sqrt(all.squares[c] / all.count[c]);
    const bool varies = deviation > kLeastDeviation * std::max(1.0, std::abs(all.mean[c]));
    shift.data_ptr<float>()[c] = static_cast<float>(all.mean[c]);
    scale.data_ptr<float>()[c] = varies ? static_cast<float>(1 / deviation) : 0;
  }
  settled_.copy_(all_here);
  shift_.copy_(shift);
  scale_.copy_(scale);
  pending_.zero_();
}

}  // namespace park::agents
