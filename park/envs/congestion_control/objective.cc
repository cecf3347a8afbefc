#include "park/envs/congestion_control/objective.h"

#include <algorithm>
#include <cmath>

namespace park::congestion_control {
namespace {

double lost_share(const Interval& i) noexcept {
  const double all = i.lost + i.acked;
  return all > 0 ? i.lost / all : 0;
}

constexpr double kLeast = 0.01;  ///< of a share, in its logarithm

double score(const Interval& i) noexcept {
  const double most = i.flows > 1 ? 1 : 2;
  const double could = i.capacity * i.fair_share;
  if (could <= 0) return 0;
  const double ratio = std::max(i.rtt_s / i.base_rtt_s, 1.0);
  const double own = std::max(0.0, lost_share(i) - i.path_loss);
  const double used = std::clamp(i.acked / could, kLeast, most);
  return i.length_s * (std::log(used) - 0.5 * std::log(ratio) - 2 * own);
}

double fair(const Interval& i) noexcept {
  const double due = i.capacity * i.fair_share * static_cast<double>(i.beside);
  if (due <= 0) return score(i);
  return score(i) + i.length_s * std::log(std::clamp(i.beside_acked / due, kLeast, 1.0));
}

double sage(const Interval& i, double throughput) noexcept {
  const double share = i.mean_capacity * i.fair_share;
  if (i.flows > 1) {
    const double x = throughput / share - 1;
    return 25 * std::exp(-8 * x * x);
  }
  const double net = (throughput - 2 * i.lost / i.length_s) / share;
  const double ratio = i.rtt_s > 0 ? i.least_rtt_s / i.rtt_s : 1;
  return 25 * net * std::abs(net) * (ratio >= 0.8 ? 1 : ratio);
}

double aurora(const Interval& i, double throughput, double latency_s) noexcept {
  return 0.001 * (10 * throughput - 1000 * latency_s - 2000 * lost_share(i));
}

}  // namespace

Objective objective_of(const std::string& name) noexcept {
  if (name == "fair") return Objective::fair;
  if (name == "park") return Objective::park;
  if (name == "aurora") return Objective::aurora;
  if (name == "aurora_compat") return Objective::aurora_compat;
  if (name == "genet") return Objective::genet;
  if (name == "orca") return Objective::orca;
  return name == "sage" ? Objective::sage : Objective::score;
}

double reward_of(Objective objective, const Interval& i) noexcept {
  if (i.length_s <= 0) return 0;
  const double throughput = i.acked / i.length_s;
  switch (objective) {
    case Objective::score:
      return score(i);
    case Objective::fair:
      return fair(i);
    case Objective::park: {
      const double waits_us = std::max(1.0, (i.rtt_s - i.least_rtt_s) * 1e6);
      return std::log2(std::max(1.0, throughput * i.packet_bytes)) - 0.5 * std::log2(waits_us);
    }
    case Objective::aurora:
      return aurora(i, throughput, i.rtt_s);
    case Objective::aurora_compat:
      return aurora(i, (i.acked - 1) / i.length_s, i.samples > 0 ? i.rtt_s : 0);
    case Objective::genet:
      return 500 * throughput / i.mean_capacity - 1000 * i.rtt_s - 2000 * lost_share(i);
    case Objective::orca: {
      if (i.most_throughput <= 0) return 0;
      const double delay = i.rtt_s > 0 ? std::min(1.0, 1.25 * i.least_rtt_s / i.rtt_s) : 1;
      return (throughput - 5 * i.lost / i.length_s) / i.most_throughput * delay;
    }
    case Objective::sage:
      break;
  }
  return sage(i, throughput);
}

}  // namespace park::congestion_control
