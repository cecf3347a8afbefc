// The optimisers that policies play. CmaEs holds a normal distribution (mean, sigma, covariance and
// its decomposition) and the samples of the generation; tell collects scores, and the last one of a
// generation updates the distribution. DifferentialEvolution holds its members and the number of the
// one that a trial challenges. Search (policies.h) calls begin, then ask and tell in turns.
#include "park/envs/circuit/optimisers.h"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace park::circuit {
namespace {

constexpr double kN = kParameters;

double dot(const Positions& a, const Positions& b) {
  return std::inner_product(a.begin(), a.end(), b.begin(), 0.0);
}

Positions clipped(Positions p) {
  for (double& v : p) v = std::clamp(v, 0.0, 1.0);
  return p;
}

}  // namespace

PolicyInfo CmaEs::info() {
  return {.name = "cma_es",
          .summary = "CMA-ES with restarts; needs action=absolute",
          .reference =
              "Hansen, The CMA Evolution Strategy: A Tutorial, 2016, with the restarts of "
              "Auger, Hansen, CEC 2005",
          .environments = {kCircuitName}};
}

CmaEs::CmaEs(const Config& c) : config_(c) {}

void CmaEs::begin(const Positions& at, double, std::int32_t, Rng rng) {
  rng_ = rng;
  restarts_ = 0;
  population_ = static_cast<std::size_t>(config_.population);
  restart(at);
}

void CmaEs::restart(const Positions& mean) {
  set_weights();
  mean_ = mean;
  sigma_ = config_.sigma;
  path_sigma_ = path_c_ = {};
  covariance_ = basis_ = {};
  for (std::size_t i = 0; i < kParameters; ++i) covariance_[i][i] = basis_[i][i] = axes_[i] = 1;
  samples_.clear();
  generation_ = 0;
}

void CmaEs::set_weights() {
  const std::size_t parents = population_ / 2;
  weights_.resize(parents);
  for (std::size_t i = 0; i < parents; ++i)
    weights_[i] =
        std::log((static_cast<double>(population_) + 1) / 2) - std::log(static_cast<double>(i) + 1);
  const double sum = std::accumulate(weights_.begin(), weights_.end(), 0.0);
  double squares = 0;
  for (double& w : weights_) w /= sum, squares += w * w;
  mu_eff_ = 1 / squares;
  c_sigma_ = (mu_eff_ + 2) / (kN + mu_eff_ + 5);
  d_sigma_ = 1 + 2 * std::max(0.0, std::sqrt((mu_eff_ - 1) / (kN + 1)) - 1) + c_sigma_;
  c_c_ = (4 + mu_eff_ / kN) / (kN + 4 + 2 * mu_eff_ / kN);
  c_1_ = 2 / ((kN + 1.3) * (kN + 1.3) + mu_eff_);
  c_mu_ = std::min(1 - c_1_, 2 * (mu_eff_ - 2 + 1 / mu_eff_) / ((kN + 2) * (kN + 2) + mu_eff_));
}

const Positions& CmaEs::ask() {
  Rng draw = rng_.split(restarts_).split(generation_).split(samples_.size());
  Vector z{};
  for (std::size_t i = 0; i < kParameters; ++i) z[i] = axes_[i] * draw.normal();
  Sample& s = samples_.emplace_back();
  for (std::size_t i = 0; i < kParameters; ++i) s.at[i] = mean_[i] + sigma_ * dot(basis_[i], z);
  s.at = clipped(s.at);
  return s.at;
}

void CmaEs::tell(double score) {
  samples_.back().score = score;
  if (samples_.size() < population_) return;
  update();
  samples_.clear();
  ++generation_;
  if (!exhausted()) return;
  population_ = std::min<std::size_t>(2 * population_, 1000);
  ++restarts_;
  Positions at{};
  for (std::size_t i = 0; i < kParameters; ++i)
    at[i] = rng_.split("restart").split(restarts_).split(i).uniform();
  restart(at);
}

void CmaEs::update() {
  std::ranges::stable_sort(samples_, std::ranges::greater(), &Sample::score);
  const Vector before = mean_;
  Vector step{};
  for (std::size_t i = 0; i < kParameters; ++i) {
    for (std::size_t k = 0; k < weights_.size(); ++k)
      step[i] += weights_[k] * (samples_[k].at[i] - before[i]) / sigma_;
    mean_[i] += sigma_ * step[i];
  }
  adapt(step, before);
  decompose();
}

/// Equations 43 to 47 of the tutorial.
void CmaEs::adapt(const Vector& step, const Vector& before) {
  Vector white{};  // C^-1/2 step
  for (std::size_t k = 0; k < kParameters; ++k) {
    double along = 0;
    for (std::size_t i = 0; i < kParameters; ++i) along += basis_[i][k] * step[i];
    for (std::size_t i = 0; i < kParameters; ++i) white[i] += basis_[i][k] * along / axes_[k];
  }
  const double keep = std::sqrt(c_sigma_ * (2 - c_sigma_) * mu_eff_);
  for (std::size_t i = 0; i < kParameters; ++i)
    path_sigma_[i] = (1 - c_sigma_) * path_sigma_[i] + keep * white[i];
  const double length = std::sqrt(dot(path_sigma_, path_sigma_));
  const double expected = std::sqrt(kN) * (1 - 1 / (4 * kN) + 1 / (21 * kN * kN));
  const double settled =
      std::sqrt(1 - std::pow(1 - c_sigma_, 2.0 * (static_cast<double>(generation_) + 1)));
  const bool short_path = length / settled < (1.4 + 2 / (kN + 1)) * expected;
  for (std::size_t i = 0; i < kParameters; ++i)
    path_c_[i] = (1 - c_c_) * path_c_[i] +
                 (short_path ? std::sqrt(c_c_ * (2 - c_c_) * mu_eff_) * step[i] : 0);
  const double lost = short_path ? 0 : c_1_ * c_c_ * (2 - c_c_);
  for (std::size_t i = 0; i < kParameters; ++i)
    for (std::size_t j = 0; j < kParameters; ++j) {
      double ranks = 0;
      for (std::size_t k = 0; k < weights_.size(); ++k)
        ranks += weights_[k] * (samples_[k].at[i] - before[i]) * (samples_[k].at[j] - before[j]);
      covariance_[i][j] = (1 - c_1_ - c_mu_ + lost) * covariance_[i][j] +
                          c_1_ * path_c_[i] * path_c_[j] + c_mu_ * ranks / (sigma_ * sigma_);
    }
  sigma_ *= std::exp(std::min(1.0, c_sigma_ / d_sigma_ * (length / expected - 1)));
  sigma_ = std::clamp(sigma_, 1e-12, 1.0);
}

/// Jacobi rotations: covariance = basis x diagonal(axes^2) x basis^T.
void CmaEs::decompose() {
  Matrix a = covariance_;
  basis_ = {};
  for (std::size_t i = 0; i < kParameters; ++i) basis_[i][i] = 1;
  for (int sweep = 0; sweep < 12; ++sweep)
    for (std::size_t p = 0; p + 1 < kParameters; ++p)
      for (std::size_t q = p + 1; q < kParameters; ++q) {
        if (std::abs(a[p][q]) < 1e-300) continue;
        const double theta = (a[q][q] - a[p][p]) / (2 * a[p][q]);
        const double t = (theta >= 0 ? 1 : -1) / (std::abs(theta) + std::sqrt(theta * theta + 1));
        const double c = 1 / std::sqrt(t * t + 1), s = t * c;
        for (std::size_t k = 0; k < kParameters; ++k) {
          const double kp = a[k][p], kq = a[k][q];
          a[k][p] = c * kp - s * kq, a[k][q] = s * kp + c * kq;
        }
        for (std::size_t k = 0; k < kParameters; ++k) {
          const double pk = a[p][k], qk = a[q][k];
          a[p][k] = c * pk - s * qk, a[q][k] = s * pk + c * qk;
          const double kp = basis_[k][p], kq = basis_[k][q];
          basis_[k][p] = c * kp - s * kq, basis_[k][q] = s * kp + c * kq;
        }
      }
  for (std::size_t i = 0; i < kParameters; ++i) axes_[i] = std::sqrt(std::max(a[i][i], 1e-20));
}

/// The distribution has shrunk to a point.
bool CmaEs::exhausted() const {
  constexpr double kPoint = 1e-4;  // of a range
  return sigma_ * *std::ranges::max_element(axes_) < kPoint;
}

PolicyInfo DifferentialEvolution::info() {
  return {.name = "differential_evolution",
          .summary = "differential evolution, rand/1/bin; needs action=absolute",
          .reference = "Storn, Price, Differential Evolution, 1997",
          .environments = {kCircuitName}};
}

void DifferentialEvolution::begin(const Positions& at, double score, std::int32_t simulations,
                                  Rng rng) {
  rng_ = rng;
  size_ = std::clamp<std::size_t>(static_cast<std::size_t>(simulations) / 4, 6,
                                  static_cast<std::size_t>(config_.population));
  members_.assign(1, {at, score});
  next_ = 0;
}

const Positions& DifferentialEvolution::ask() {
  if (members_.size() < size_) {
    for (double& p : trial_) p = rng_.uniform();
    return trial_;
  }
  std::array<std::size_t, 3> others{};
  for (std::size_t k = 0; k < others.size(); ++k) do {
      others[k] = rng_.below(size_);
    } while (others[k] == next_ ||
             std::find(others.begin(), others.begin() + static_cast<std::ptrdiff_t>(k),
                       others[k]) != others.begin() + static_cast<std::ptrdiff_t>(k));
  const Positions &a = members_[others[0]].at, &b = members_[others[1]].at,
                  &c = members_[others[2]].at;
  trial_ = members_[next_].at;
  const std::size_t sure = rng_.below(kParameters);
  for (std::size_t i = 0; i < kParameters; ++i)
    if (i == sure || rng_.uniform() < config_.crossover)
      trial_[i] = a[i] + config_.weight * (b[i] - c[i]);
  trial_ = clipped(trial_);
  return trial_;
}

void DifferentialEvolution::tell(double score) {
  if (members_.size() < size_) {
    members_.push_back({trial_, score});
    return;
  }
  if (score >= members_[next_].score) members_[next_] = {trial_, score};
  next_ = (next_ + 1) % size_;
}

}  // namespace park::circuit
