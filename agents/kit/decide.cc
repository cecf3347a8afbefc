// evaluate and decide walk the heads of a batch in order: candidates of each row, scores of a
// network for them, then the log-probability of what was chosen or the choice itself, which later
// heads see. Discrete heads go by a softmax over ragged rows (segments.h), continuous ones by a
// squashed Gaussian. Training calls evaluate with gradients; NetworkPolicy calls decide without.
#include "agents/kit/decide.h"

#include <ATen/ops/from_blob.h>
#include <ATen/ops/log.h>
#include <ATen/ops/sigmoid.h>
#include <ATen/ops/zeros.h>
#include <c10/core/GradMode.h>

#include <algorithm>
#include <cmath>
#include <numbers>
#include <string>
#include <vector>

#include "agents/kit/segments.h"
#include "agents/kit/tensor.h"

namespace park::agents {
namespace {

// A squashed action keeps this distance from the bounds, where its logarithm would be infinite.
constexpr float kMargin = 1e-6f;

/// The place of each row's choice among the candidates [B].
std::vector<std::int64_t> places(const Heads& heads, std::size_t head, const Candidates& c,
                                 const Batch& actions) {
  std::vector<std::int64_t> all(c.rows());
  for (std::size_t r = 0; r < c.rows(); ++r) {
    const std::int32_t value = heads.get(actions.row(r), head);
    const auto n = static_cast<std::size_t>(c.count(r));
    const std::size_t at = place_of(value, heads[head].kind, {c.value.data() + c.offsets[r], n});
    if (at == n)
      throw Error(Errc::illegal_action,
                  "head '" + heads[head].name + "' cannot take " + std::to_string(value));
    all[r] = c.offsets[r] + static_cast<std::int64_t>(at);
  }
  return all;
}

/// log density of the squashed Gaussian low + (high - low) sigmoid(u), u normal, at an action.
void add_continuous(Network& net, const Heads& heads, std::size_t h, const at::Tensor& mean,
                    const Batch& actions, Evaluation& e) {
  const Heads::Head& head = heads[h];
  const auto b = static_cast<std::int64_t>(actions.rows());
  std::vector<float> taken;
  for (std::size_t r = 0; r < actions.rows(); ++r) {
    const std::span<const float> a = heads.real(actions.row(r), h);
    taken.insert(taken.end(), a.begin(), a.end());
  }
  const double range = head.high - head.low;
  const at::Tensor unit = ((view(std::span<const float>(taken)).view({b, -1}) - head.low) / range)
                              .clamp(kMargin, 1 - kMargin);
  const at::Tensor u = at::log(unit / (1 - unit)), log_sd = net.log_deviation(h);
  const at::Tensor z = (u - mean) / log_sd.exp();
  const at::Tensor density = -0.5 * z * z - log_sd - 0.5 * std::log(2 * std::numbers::pi) -
                             at::log(unit * (1 - unit) * range);
  e.log_prob = e.log_prob + density.sum(1);
  e.entropy = e.entropy + (log_sd + 0.5 * std::log(2 * std::numbers::pi * std::numbers::e)).sum();
}

}  // namespace

Evaluation evaluate(Network& net, const Heads& heads, const Batch& observation,
                    const Batch& actions) {
  const auto b = static_cast<std::int64_t>(observation.rows());
  Evaluation e{at::zeros({b}), at::zeros({b}), net.encode(observation)};
  Candidates c;
  for (std::size_t h = 0; h < heads.size(); ++h) {
    if (heads[h].kind == HeadKind::continuous) {
      c.clear();
      add_continuous(net, heads, h, net.scores(*e.encoding, h, c, actions), actions, e);
      continue;
    }
    heads.candidates(h, observation, actions, c);
    net.narrow(*e.encoding, h, actions, c);
    if (c.forced()) continue;
    const std::vector<std::int64_t> chosen = places(heads, h, c, actions);
    // Clones: the graph outlives the candidates.
    const auto [log_prob, entropy] =
        segment_log_prob(net.scores(*e.encoding, h, c, actions),
                         view(std::span<const std::int64_t>(c.offsets)).clone(),
                         view(std::span<const std::int64_t>(chosen)).clone());
    e.log_prob = e.log_prob + log_prob;
    e.entropy = e.entropy + entropy;
  }
  return e;
}

namespace {

void decide_continuous(Network& net, const Heads& heads, std::size_t h, Encoding& encoding,
                       Batch& actions, const Noise& noise, std::span<float> log_prob) {
  const Heads::Head& head = heads[h];
  const at::Tensor mean = net.scores(encoding, h, {}, actions).contiguous();
  const at::Tensor sd = net.log_deviation(h).exp();
  for (std::size_t r = 0; r < actions.rows(); ++r) {
    const std::span<float> a = heads.real(actions.row(r), h);
    for (std::size_t k = 0; k < a.size(); ++k) {
      const float z = noise(r, h, k), deviation = sd.data_ptr<float>()[k];
      const float u = mean.data_ptr<float>()[r * a.size() + k] + deviation * z;
      const double unit = std::clamp(1.0f / (1 + std::exp(-u)), kMargin, 1 - kMargin);
      const double range = head.high - head.low;
      a[k] = static_cast<float>(head.low + range * unit);
      if (!log_prob.empty())
        log_prob[r] -= static_cast<float>(0.5 * z * z + 0.5 * std::log(2 * std::numbers::pi) +
                                          std::log(deviation * unit * (1 - unit) * range));
    }
  }
}

float log_prob_of(std::span<const float> scores, std::size_t k) {
  const float highest = *std::ranges::max_element(scores);
  double sum = 0;
  for (const float s : scores) sum += std::exp(static_cast<double>(s - highest));
  return scores[k] - highest - static_cast<float>(std::log(sum));
}

}  // namespace

void decide(Network& net, const Heads& heads, const Batch& observation, Batch& actions,
            const Pick& pick, const Noise& noise, std::span<float> log_prob) {
  const c10::NoGradGuard off;
  std::ranges::fill(log_prob, 0.0f);
  const std::unique_ptr<Encoding> encoding = net.encode(observation);
  Candidates c;
  for (std::size_t h = 0; h < heads.size(); ++h) {
    if (heads[h].kind == HeadKind::continuous) {
      decide_continuous(net, heads, h, *encoding, actions, noise, log_prob);
      continue;
    }
    heads.candidates(h, observation, actions, c);
    net.narrow(*encoding, h, actions, c);
    const at::Tensor scores = c.forced() ? at::zeros({static_cast<std::int64_t>(c.size())})
                                         : net.scores(*encoding, h, c, actions).contiguous();
    const float* z = scores.data_ptr<float>();
    for (std::size_t r = 0; r < c.rows(); ++r) {
      const auto n = static_cast<std::size_t>(c.count(r));
      const std::span scores_of_row(z + c.offsets[r], n);
      const std::span values(c.value.data() + c.offsets[r], n);
      const std::size_t k = n == 1 ? 0 : pick(r, h, values, scores_of_row);
      if (n > 1 && !log_prob.empty()) log_prob[r] += log_prob_of(scores_of_row, k);
      heads.set(actions.row(r), h, c.value[static_cast<std::size_t>(c.offsets[r]) + k]);
    }
  }
}

std::size_t place_of(std::int32_t value, HeadKind kind,
                     std::span<const std::int32_t> candidates) noexcept {
  const auto begin = candidates.begin(), end = candidates.end();
  auto at = std::lower_bound(begin, end, value);
  if (at == end && begin != end && kind == HeadKind::interval) --at;
  return static_cast<std::size_t>((at == end || *at > value ? end : at) - begin);
}

std::size_t pick_largest(std::span<const float> scores) noexcept {
  return static_cast<std::size_t>(std::ranges::max_element(scores) - scores.begin());
}

std::size_t pick_by(std::span<const float> scores, double uniform) noexcept {
  const float highest = *std::ranges::max_element(scores);
  double sum = 0;
  for (const float s : scores) sum += std::exp(static_cast<double>(s - highest));
  double left = uniform * sum;
  for (std::size_t i = 0; i < scores.size(); ++i) {
    left -= std::exp(static_cast<double>(scores[i] - highest));
    if (left < 0) return i;
  }
  return scores.size() - 1;
}

}  // namespace park::agents
