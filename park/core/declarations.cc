#include "park/core/declarations.h"

#include <algorithm>
#include <cmath>

#include "park/core/text.h"

namespace park {

bool Misreport::honest() const noexcept {
  return !change && std::ranges::all_of(factors, [](double f) { return f == 1; });
}

std::optional<Restructuring> Declarations::draw(const Moment&, std::uint64_t, std::size_t,
                                                Rng&) const {
  return {};
}

void Declarations::translate(const Moment&, const std::vector<Misreport>&, ConstRow chosen,
                             Row action) const {
  action.assign(chosen);
}

void Declarations::follow(const Moment&, const std::vector<Misreport>&, ConstRow, double) {}

std::optional<std::string> complaint_of_factors(const std::vector<double>& factors,
                                                std::size_t quantities, double epsilon) {
  constexpr double kRounding = 1e-9;
  if (!factors.empty() && factors.size() != quantities)
    return "factors: the job declares " + std::to_string(quantities) + " quantities, not " +
           std::to_string(factors.size());
  for (std::size_t i = 0; i < factors.size(); ++i)
    if (!(factors[i] >= kLeastFactor && std::abs(factors[i] - 1) <= epsilon + kRounding))
      return "factors: quantity " + std::to_string(i) + " is declared as " +
             number_text(factors[i]) + " of the truth; allowed is " + number_text(1 - epsilon) +
             " to " + number_text(1 + epsilon);
  return {};
}

}  // namespace park
