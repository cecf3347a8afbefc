#include "park/envs/dag_scheduling/workload/demand.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstddef>
#include <limits>
#include <optional>
#include <string_view>

#include "park/command/field_options.h"
#include "park/core/rng.h"
#include "park/envs/dag_scheduling/workload/command_text.h"
#include "park/envs/dag_scheduling/workload_builder.h"

namespace park::dag_scheduling::workload {
namespace {

constexpr double kLeastShape = 0.01, kMostShape = 1000;

std::optional<double> beta_shape(std::string_view text) {
  double v = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), v);
  const bool whole = error == std::errc() && end == text.data() + text.size();
  if (!whole || !(v >= kLeastShape && v <= kMostShape)) return {};
  return v;
}

/// The shapes of uniform and of beta(A,B); nothing for any other text.
std::optional<DemandConfig::Shapes> shapes_of(std::string_view text) {
  if (text == "uniform") return DemandConfig::Shapes{};
  constexpr std::string_view kBeta = "beta(";
  if (!text.starts_with(kBeta) || !text.ends_with(')')) return {};
  text.remove_prefix(kBeta.size());
  text.remove_suffix(1);
  const std::size_t comma = text.find(',');
  if (comma == std::string_view::npos) return {};
  const auto a = beta_shape(text.substr(0, comma)), b = beta_shape(text.substr(comma + 1));
  if (!a || !b) return {};
  return DemandConfig::Shapes{*a, *b};
}

/// The continued fraction of the incomplete beta function (Abramowitz and Stegun 26.5.8), by
/// Lentz's method. REQUIRES x < (a + 1) / (a + b + 2), where it converges fast.
double fraction(double x, double a, double b) noexcept {
  constexpr double kTiny = 1e-300, kClose = 1e-15;
  constexpr int kMost = 10'000;
  const auto away = [](double v) { return std::abs(v) < kTiny ? kTiny : v; };
  double c = 1, d = 1 / away(1 - (a + b) * x / (a + 1)), value = d;
  for (int m = 1; m < kMost; ++m) {
    const double even = m * (b - m) * x / ((a + 2 * m - 1) * (a + 2 * m));
    d = 1 / away(1 + even * d);
    c = away(1 + even / c);
    value *= d * c;
    const double odd = -(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1));
    d = 1 / away(1 + odd * d);
    c = away(1 + odd / c);
    value *= d * c;
    if (std::abs(d * c - 1) < kClose) break;
  }
  return value;
}

}  // namespace

double beta_probability(double x, double a, double b) noexcept {
  if (x <= 0) return 0;
  if (x >= 1) return 1;
  const double log_front =
      std::lgamma(a + b) - std::lgamma(a) - std::lgamma(b) + a * std::log(x) + b * std::log1p(-x);
  const double front = std::exp(log_front);
  return x < (a + 1) / (a + b + 2) ? front * fraction(x, a, b) / a
                                   : 1 - front * fraction(1 - x, b, a) / b;
}

/// By bisection, down to neighbouring floats of single precision: a demand is one.
double beta_quantile(double p, double a, double b) noexcept {
  if (a == 1 && b == 1) return p;
  double low = 0, high = 1;
  for (int i = 0; i < 60; ++i) {
    const double middle = (low + high) / 2;
    (beta_probability(middle, a, b) < p ? low : high) = middle;
  }
  return high;
}

void DemandConfig::check(const DemandConfig& c, Violations& bad) {
  if (!shapes_of(c.memory))
    bad.add("memory = " + c.memory +
            " is not uniform or beta(A,B) with shapes from 0.01 to 1000, such as beta(2,5)");
}

DemandConfig::Shapes DemandConfig::shapes() const { return *shapes_of(memory); }

dag_scheduling::Workload demand_workload(const dag_scheduling::Workload& from,
                                         const std::string& source, const DemandConfig& config) {
  dag_scheduling::WorkloadBuilder builder(
      from.name(),
      derived(from.provenance(), "park workload demand " + source + command::options_text(config)),
      from.inflation());
  const DemandConfig::Shapes shapes = config.shapes();
  const Rng rng = Rng(config.seed).split("workload.demand");
  // A task needs something: nobody can tell whether 0 was drawn or never told.
  const double least = config.memory_max * std::numeric_limits<float>::epsilon();
  for (const dag_scheduling::Workload::Job& job : from.jobs()) {
    dag_scheduling::JobProfile profile = dag_scheduling::job_profile(from, job);
    const Rng of_job = rng.split(profile.name);
    for (std::size_t s = 0; s < profile.stages.size(); ++s) {
      const double u = 1 - of_job.split(s).uniform();  // in (0, 1]
      const double memory = config.memory_max * beta_quantile(u, shapes.a, shapes.b);
      profile.stages[s].memory = static_cast<float>(std::clamp(memory, least, config.memory_max));
    }
    builder.add_job(profile);
  }
  return builder.build();
}

}  // namespace park::dag_scheduling::workload
