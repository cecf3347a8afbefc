#include "park/envs/dag_scheduling/inflation.h"

#include <algorithm>
#include <cmath>

namespace park::dag_scheduling {

std::string_view wave_name(Wave wave) noexcept {
  constexpr std::array<std::string_view, kWaves> kNames = {"fresh", "first", "rest"};
  return kNames[static_cast<std::size_t>(wave)];
}

double Inflation::factor(Wave wave, double from, double to) const noexcept {
  if (!present || to <= from) return 1.0;
  const Growth& law = growth[static_cast<std::size_t>(wave)];
  const auto level = [&](double n) {
    return 1.0 + law.slope * std::pow(std::max(0.0, std::min(n, fitted_to) - 1.0), law.power);
  };
  return level(to) / level(from);
}

Inflation Inflation::fitted() noexcept {
  Inflation model;
  model.present = true;
  model.fitted_to = 100;
  model.growth = {{{0.00149, 1.244}, {0.00918, 0.997}, {0.00156, 1.294}}};
  return model;
}

}  // namespace park::dag_scheduling
