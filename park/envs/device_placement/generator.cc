#include "park/envs/device_placement/generator.h"

#include <algorithm>
#include <cmath>

namespace park::device_placement {
namespace {

/// Draws by the number of an operation, so that none depends on how many came before it.
class Draws {
 public:
  Draws(const Rng& rng, Graph& g) : rng_(rng), g_(g) {}

  /// Adds an operation; what shares the parameters of `own` has the same costs.
  std::int32_t add(std::int32_t own = -1) {
    Rng rng = rng_.split("costs").split(own < 0 ? g_.size() : static_cast<std::uint64_t>(own));
    const double seconds = log_uniform(rng, 10e-6, 500e-6);
    const double output = std::round(log_uniform(rng, 5e4, 4e6));
    const double parameters = std::round(log_uniform(rng, 1e5, 2e7));
    return g_.add(seconds, output, rng.uniform() < 0.5 || own >= 0 ? parameters : 0, own);
  }
  void connect(std::int32_t from, std::int32_t to) {
    g_.connect(from, to, g_.output_bytes[static_cast<std::size_t>(from)]);
  }
  [[nodiscard]] Rng shape(std::uint64_t number) const { return rng_.split("shape").split(number); }

 private:
  static double log_uniform(Rng& rng, double low, double high) {
    return low * std::pow(high / low, rng.uniform());
  }

  const Rng& rng_;
  Graph& g_;
};

void branches(std::int32_t nodes, Draws& draws, Graph& g) {
  std::int32_t last = draws.add();
  for (std::uint64_t block = 0; static_cast<std::int32_t>(g.size()) + 2 < nodes; ++block) {
    Rng rng = draws.shape(block);
    const std::uint64_t chains = 2 + rng.below(3);
    const auto first = static_cast<std::int32_t>(g.size());
    std::int32_t ends[4];
    for (std::uint64_t c = 0; c < chains; ++c) {
      ends[c] = last;
      for (std::uint64_t k = 1 + rng.below(4); k-- > 0;) {
        const std::int32_t next = draws.add();
        draws.connect(ends[c], next);
        ends[c] = next;
      }
    }
    last = draws.add();
    for (std::uint64_t c = 0; c < chains; ++c)
      if (ends[c] >= first) draws.connect(ends[c], last);
  }
}

void recurrences(std::int32_t nodes, Draws& draws, Graph& g) {
  Rng rng = draws.shape(0);
  const auto layers = static_cast<std::int32_t>(2 + rng.below(3));
  const std::int32_t steps = std::max(2, nodes / layers);
  for (std::int32_t t = 0; t < steps; ++t)
    for (std::int32_t l = 0; l < layers; ++l) {
      const std::int32_t next = draws.add(t == 0 ? -1 : l);
      if (t > 0) draws.connect(next - layers, next);
      if (l > 0) draws.connect(next - 1, next);
    }
  // The first step of a layer has parameters too: the others share them.
  for (std::int32_t l = 0; l < layers; ++l) {
    const auto owner = static_cast<std::size_t>(l),
               second = owner + static_cast<std::size_t>(layers);
    g.parameter_bytes[owner] = g.parameter_bytes[second];
  }
}

void layered(std::int32_t nodes, Draws& draws) {
  Rng widths = draws.shape(0);
  const auto width = static_cast<std::int32_t>(2 + widths.below(6));
  for (std::int32_t i = 0; i < nodes; ++i) {
    const std::int32_t next = draws.add();
    const std::int32_t earlier = i / width * width;
    if (earlier == 0) continue;
    Rng rng = draws.shape(1 + static_cast<std::uint64_t>(i));
    const auto from = static_cast<std::uint64_t>(std::min(earlier, 2 * width));
    std::int32_t taken[3];
    const std::uint64_t inputs = 1 + rng.below(3);
    for (std::uint64_t k = 0; k < inputs; ++k) {
      taken[k] = earlier - 1 - static_cast<std::int32_t>(rng.below(from));
      if (std::find(taken, taken + k, taken[k]) == taken + k) draws.connect(taken[k], next);
    }
  }
}

}  // namespace

Family family_of(std::string_view name, Rng rng) {
  if (name == "branches") return Family::branches;
  if (name == "recurrences") return Family::recurrences;
  if (name == "layered") return Family::layered;
  return static_cast<Family>(rng.below(3));
}

void generate(Family family, std::int32_t nodes, const Rng& rng, Graph& g) {
  g.clear();
  Draws draws(rng, g);
  if (family == Family::branches)
    branches(nodes, draws, g);
  else if (family == Family::recurrences)
    recurrences(nodes, draws, g);
  else
    layered(nodes, draws);
  g.sort_edges();
}

}  // namespace park::device_placement
