#pragma once

#include <cstddef>
#include <vector>

#include "park/envs/circuit/policies.h"

namespace park::circuit {

/// CMA-ES with restarts. N. Hansen, The CMA Evolution Strategy: A Tutorial, 2016 (arXiv 1604.00772),
/// figure 6 and table 1 without negative weights. Restarts have twice the population, as in
/// IPOP-CMA-ES (Auger, Hansen, CEC 2005). Designs outside [0, 1] are moved to the border.
class CmaEs final : public Optimiser {
 public:
  using Config = CmaEsConfig;
  static PolicyInfo info();
  explicit CmaEs(const Config&);

  void begin(const Positions&, double score, std::int32_t simulations, Rng) override;
  const Positions& ask() override;
  void tell(double score) override;

 private:
  using Vector = Positions;
  using Matrix = std::array<Vector, kParameters>;
  struct Sample {
    Positions at{};
    double score = 0;
  };

  void restart(const Positions& mean);
  void set_weights();
  void update();
  void adapt(const Vector& step, const Vector& mean_before);
  void decompose();
  [[nodiscard]] bool exhausted() const;

  Config config_;
  Rng rng_;
  std::size_t population_ = 0;
  std::vector<double> weights_{};
  double mu_eff_ = 0, c_sigma_ = 0, d_sigma_ = 0, c_c_ = 0, c_1_ = 0, c_mu_ = 0;
  Vector mean_{}, path_sigma_{}, path_c_{}, axes_{};
  Matrix covariance_{}, basis_{};
  double sigma_ = 0;
  std::vector<Sample> samples_{};
  std::uint64_t generation_ = 0, restarts_ = 0;
};

/// Differential evolution, rand/1/bin. Storn, Price, Journal of Global Optimization 11, 1997.
class DifferentialEvolution final : public Optimiser {
 public:
  using Config = DifferentialEvolutionConfig;
  static PolicyInfo info();
  explicit DifferentialEvolution(const Config& c) : config_(c) {}

  void begin(const Positions&, double score, std::int32_t simulations, Rng) override;
  const Positions& ask() override;
  void tell(double score) override;

 private:
  struct Member {
    Positions at{};
    double score = 0;
  };
  Config config_;
  Rng rng_;
  std::vector<Member> members_{};
  std::size_t size_ = 0, next_ = 0;
  Positions trial_{};
};

}  // namespace park::circuit
