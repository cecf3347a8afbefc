#include "park/trees/pair_forest.h"

#include <algorithm>
#include <limits>

namespace park::trees {
namespace {

/// Draws as many others as are wanted, each at most once.
void draw_others(std::size_t begin, std::size_t end, std::size_t chosen, std::size_t most, Rng draw,
                 std::vector<std::size_t>& others) {
  others.clear();
  for (std::size_t s = begin; s < end; ++s)
    if (s != chosen) others.push_back(s);
  draw.shuffle(std::span(others));
  others.resize(std::min(others.size(), most));
}

}  // namespace

PairForest::PairForest(const LessonTable& table, const ChoiceFigures& figures,
                       const std::vector<bool>& use, const PairOptions& options) {
  for (std::size_t f = 0; f < table.columns.size(); ++f)
    (figures.differs(f) ? of_items_ : of_all_).push_back(f);
  LessonTable pairs;
  pairs.columns.resize(2 * of_items_.size() + of_all_.size());
  sample_.resize(pairs.columns.size());
  const Rng rng = Rng(options.seed).split("pairs");
  std::vector<std::size_t> others;
  for (std::size_t d = 0; d < figures.decisions(); ++d) {
    if (!use[d]) continue;
    const std::size_t chosen = figures.chosen(d);
    draw_others(figures.begins()[d], figures.begins()[d + 1], chosen, options.pairs, rng.split(d),
                others);
    for (const std::size_t other : others)
      for (const bool first : {true, false}) {
        write(table, first ? chosen : other, first ? other : chosen, sample_);
        pairs.add(sample_, first ? 1 : 0, 1, -std::numeric_limits<double>::infinity(),
                  static_cast<std::uint32_t>(d));
      }
  }
  for (std::uint32_t t = 0; t < options.trees; ++t) {
    const LessonTable drawn = pairs.resampled(rng.split("bagging").split(t));
    forest_.trees.push_back(Cart(drawn.columns, options.threads)
                                .fit(drawn.targets, drawn.weights, Cart::Kind::chosen,
                                     {.leaves = std::size_t{1} << options.depth,
                                      .depth = options.depth,
                                      .threads = options.threads}));
  }
}

void PairForest::write(const LessonTable& table, std::size_t first, std::size_t second,
                       std::vector<float>& sample) const {
  std::size_t at = 0;
  for (const std::size_t item : {first, second})
    for (const std::size_t f : of_items_) sample[at++] = table.columns[f][item];
  for (const std::size_t f : of_all_) sample[at++] = table.columns[f][first];
}

void PairForest::vote(const LessonTable& table, std::size_t begin, std::size_t end,
                      std::vector<double>& votes) {
  votes.assign(end - begin, 0);
  for (std::size_t a = begin; a < end; ++a)
    for (std::size_t b = begin; b < end; ++b) {
      if (a == b) continue;
      write(table, a, b, sample_);
      const double first = static_cast<double>(forest_(sample_.data()));
      votes[a - begin] += first;
      votes[b - begin] += 1 - first;
    }
}

FirstShares accuracy(PairForest& forest, const LessonTable& table, const ChoiceFigures& figures,
                     const std::vector<bool>& use, std::size_t episodes) {
  FirstShares shares{Share(episodes), Share(episodes), Share(episodes)};
  std::vector<double> votes;
  for (std::size_t d = 0; d < figures.decisions(); ++d) {
    if (!use[d]) continue;
    const std::size_t begin = figures.begins()[d];
    forest.vote(table, begin, figures.begins()[d + 1], votes);
    const std::size_t mine = figures.chosen(d) - begin;
    std::size_t before = 0;
    for (std::size_t i = 0; i < votes.size(); ++i)
      before += votes[i] > votes[mine] || (votes[i] == votes[mine] && i < mine) ? 1 : 0;
    for (std::size_t k = 0; k < shares.size(); ++k)
      shares[k].add(figures.episode(d), before <= k ? 1 : 0);
  }
  return shares;
}

}  // namespace park::trees
