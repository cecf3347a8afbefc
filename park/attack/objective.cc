// Two objectives. ScoreObjective shows declared rows to the policy, many at once, and weighs the
// benefit of each legal value by its probability. ProxyObjective asks a forest about what the user
// sees of its own job; OwnRecord is what that forest is fitted on. attack.cc makes them.
#include "park/attack/objective.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "park/core/error.h"
#include "park/trees/cart.h"

namespace park::attack {
namespace {

constexpr std::size_t kRowsAtOnce = 512;
constexpr std::size_t kProxyTrees = 15, kProxyLeaves = 32, kProxyLeastSamples = 4;

class ScoreObjective final : public Objective {
 public:
  ScoreObjective(Player& player, const Moments& moments)
      : player_(player),
        moments_(moments),
        seen_(player.spec().observation),
        given_(player.spec().action),
        chosen_(player.spec().action),
        true_(player.spec().action) {
    chosen_.resize(1);
    true_.resize(1);
  }

  std::vector<double> of(std::span<const Misreport> declared) override {
    std::vector<double> sums(declared.size());
    std::vector<std::pair<std::size_t, std::size_t>> rows;  // moment, declaration
    const auto flush = [&] {
      score(declared, rows, sums);
      rows.clear();
    };
    for (std::size_t m = 0; m < moments_.size(); ++m)
      for (std::size_t i = 0; i < declared.size(); ++i) {
        rows.emplace_back(m, i);
        if (rows.size() == kRowsAtOnce) flush();
      }
    if (!rows.empty()) flush();
    for (double& s : sums) s /= static_cast<double>(moments_.size());
    return sums;
  }

 private:
  void score(std::span<const Misreport> declared,
             const std::vector<std::pair<std::size_t, std::size_t>>& rows,
             std::vector<double>& sums) {
    seen_.clear();
    for (const auto& [m, i] : rows)
      player_.declarations().show(moments_.at(m), {declared[i]}, seen_.append());
    given_.clear();
    given_.resize(rows.size());
    if (!player_.policy().scores(seen_, 0, given_, candidates_, scores_))
      throw Error(Errc::invalid_config, "mode: white needs a policy that has scores; " +
                                            player_.policy_text() + " has none of " +
                                            player_.heads()[0].name);
    for (std::size_t r = 0; r < rows.size(); ++r)
      sums[rows[r].second] += expected(r, moments_.at(rows[r].first), declared[rows[r].second]);
  }

  /// The mean benefit of the choice that the scores of a row stand for.
  double expected(std::size_t row, const Moment& now, const Misreport& declared) {
    const auto begin = static_cast<std::size_t>(candidates_.offsets[row]);
    const auto end = static_cast<std::size_t>(candidates_.offsets[row + 1]);
    const float most = *std::max_element(scores_.begin() + static_cast<std::ptrdiff_t>(begin),
                                         scores_.begin() + static_cast<std::ptrdiff_t>(end));
    double weights = 0, sum = 0;
    for (std::size_t c = begin; c < end; ++c) {
      const double weight =
          std::isfinite(most) ? std::exp(static_cast<double>(scores_[c] - most)) : 1;
      player_.heads().set(chosen_.row(0), 0, candidates_.value[c]);
      player_.declarations().translate(now, {declared}, std::as_const(chosen_).row(0),
                                       true_.row(0));
      weights += weight;
      sum +=
          weight * player_.declarations().benefit(now, moments_.job, std::as_const(true_).row(0));
    }
    return sum / weights;
  }

  Player& player_;
  const Moments& moments_;
  Batch seen_, given_, chosen_, true_;
  Candidates candidates_;
  std::vector<float> scores_;
};

class ProxyObjective final : public Objective {
 public:
  ProxyObjective(const Player& player, const Moments& moments, std::vector<trees::Tree> forest)
      : player_(player),
        moments_(moments),
        forest_(std::move(forest)),
        seen_(player.spec().observation) {}

  std::vector<double> of(std::span<const Misreport> declared) override {
    std::vector<double> means;
    for (const Misreport& d : declared) {
      double sum = 0;
      for (std::size_t m = 0; m < moments_.size(); ++m) sum += expected(moments_.at(m), d);
      means.push_back(sum / static_cast<double>(moments_.size()));
    }
    return means;
  }

 private:
  double expected(const Moment& now, const Misreport& declared) {
    seen_.clear();
    player_.declarations().show(now, {declared}, seen_.append());
    own_.clear();
    player_.declarations().own({std::as_const(seen_).row(0), now.sequence}, moments_.job, own_);
    double sum = 0;
    for (const trees::Tree& tree : forest_) sum += static_cast<double>(tree(own_.data()));
    return sum / static_cast<double>(forest_.size());
  }

  const Player& player_;
  const Moments& moments_;
  std::vector<trees::Tree> forest_;
  Batch seen_;
  std::vector<float> own_;
};

/// One tree on samples that are drawn with replacement (Breiman, Bagging predictors, 1996).
trees::Tree bagged_tree(const OwnRecord& record, Rng draws) {
  std::vector<std::vector<float>> columns(record.columns.size());
  std::vector<double> targets;
  for (std::size_t i = 0; i < record.benefits.size(); ++i) {
    const auto s = static_cast<std::size_t>(draws.below(record.benefits.size()));
    for (std::size_t f = 0; f < columns.size(); ++f) columns[f].push_back(record.columns[f][s]);
    targets.push_back(record.benefits[s]);
  }
  const std::vector<double> weights(targets.size(), 1.0);
  return trees::Cart(columns, 1)
      .fit(targets, weights, trees::Cart::Kind::number,
           {.leaves = kProxyLeaves, .least_samples = kProxyLeastSamples, .threads = 1});
}

}  // namespace

void Moments::add(const Moment& now) {
  rows.append(now.row.batch(), now.row.index());
  sequences.push_back(now.sequence);
}

Moments Moments::thinned(std::size_t most, const Spec& spec) const {
  Moments some(spec, job);
  const std::size_t n = std::min(most, size());
  for (std::size_t i = 0; i < n; ++i) some.add(at(i * size() / n));
  return some;
}

std::unique_ptr<Objective> make_score_objective(Player& player, const Moments& moments) {
  return std::make_unique<ScoreObjective>(player, moments);
}

void OwnRecord::add(const std::vector<float>& row, double benefit) {
  columns.resize(row.size());
  for (std::size_t f = 0; f < row.size(); ++f) columns[f].push_back(row[f]);
  benefits.push_back(benefit);
}

std::unique_ptr<Objective> make_proxy_objective(const Player& player, const Moments& moments,
                                                const OwnRecord& record, std::uint64_t seed) {
  std::vector<trees::Tree> forest;
  for (std::size_t t = 0; t < kProxyTrees; ++t)
    forest.push_back(bagged_tree(record, Rng(seed).split("proxy").split(t)));
  return std::make_unique<ProxyObjective>(player, moments, std::move(forest));
}

}  // namespace park::attack
