// Scores with intervals. A Sample holds the episodes of one environment for all of its policies.
// Figures lists every figure of a draw in a fixed order, so that the estimate, where each episode is
// drawn once, and the replicates come from the same code. score_figures draws, and gives the
// intervals back to where the figures belong. results.json, tables and the report call it.
#include "park/bench/score_figures.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <optional>
#include <set>

#include "park/bench/aggregate.h"
#include "park/bench/figures.h"
#include "park/bench/scores.h"

namespace park::bench {
namespace {

constexpr int kLimits = 61;
constexpr double kLowest = -1, kHighest = 2;

/// A policy's values in an environment, the worst one first.
struct Column {
  std::size_t entry = 0;
  std::vector<std::size_t> episodes{};  ///< index in the sample, by value
  std::vector<double> values{};
};

Column column_of(const Entry& entry, std::size_t index, const Scale& scale,
                 const std::vector<std::uint64_t>& ids) {
  const std::vector<double> values = metric_values(entry.episodes, scale.metric);
  std::vector<std::size_t> order(values.size());
  std::iota(order.begin(), order.end(), 0);
  std::ranges::stable_sort(order, [&](std::size_t a, std::size_t b) {
    return scale.lower ? values[a] > values[b] : values[a] < values[b];
  });
  Column column{.entry = index};
  for (const std::size_t i : order) {
    const auto at = std::ranges::lower_bound(ids, entry.episodes[i].id);
    column.episodes.push_back(static_cast<std::size_t>(at - ids.begin()));
    column.values.push_back(values[i]);
  }
  return column;
}

/// The episodes of an environment, of which some are drawn: at first each of them once.
class Sample {
 public:
  Sample(const BenchResults& results, const Scale& scale, const Rng& rng)
      : scale_(scale), rng_(rng.split(scale.env)) {
    std::set<std::uint64_t> all;
    std::vector<std::size_t> defined;
    for (const std::size_t i : entries_of(results, scale.env)) {
      const auto& episodes = results.entries[i].episodes;
      for (const EpisodeResult& episode : episodes) all.insert(episode.id);
      const std::vector<double> values = metric_values(episodes, scale.metric);
      if (std::ranges::none_of(values, [](double v) { return std::isnan(v); }))
        defined.push_back(i);
    }
    const std::vector<std::uint64_t> ids(all.begin(), all.end());
    for (const std::size_t i : defined)
      columns_.push_back(column_of(results.entries[i], i, scale, ids));
    drawn_.assign(ids.size(), 1);
    rescale();
  }

  /// As many episodes as there are, with replacement. A single one is no sample: nothing is drawn.
  void draw() {
    if (drawn_.size() < 2)
      drawn_.assign(drawn_.size(), 0);
    else
      draw_counts(rng_, drawn_);
    rescale();
  }
  [[nodiscard]] const Scale& scale() const noexcept { return scale_; }
  [[nodiscard]] const std::vector<Column>& columns() const noexcept { return columns_; }

  [[nodiscard]] double mean(const Column& column) const {
    double sum = 0, count = 0;
    for (std::size_t i = 0; i < column.values.size(); ++i) {
      const double times = drawn_[column.episodes[i]];
      sum += times * column.values[i];
      count += times;
    }
    return count == 0 ? kUndefined : sum / count;
  }
  /// The scores of the drawn episodes, ascending; none where the scale is undefined.
  [[nodiscard]] std::vector<double> scores(const Column& column) const {
    std::vector<double> all;
    if (std::isnan(scale_.score(scale_.one))) return all;
    for (std::size_t i = 0; i < column.values.size(); ++i)
      all.insert(all.end(), drawn_[column.episodes[i]], scale_.score(column.values[i]));
    return all;
  }

 private:
  void rescale() {
    scale_ = scale_.with_means([&](std::size_t entry) { return mean(column(entry)); });
  }
  [[nodiscard]] const Column& column(std::size_t entry) const {
    return *std::ranges::find(columns_, entry, &Column::entry);
  }

  Scale scale_;
  Rng rng_;
  std::vector<Column> columns_;
  std::vector<std::uint32_t> drawn_;  // how often, by episode
};

/// A policy in the samples.
struct Place {
  std::size_t sample = 0, column = 0;
};

/// All figures of what the samples have drawn, and where each belongs.
class Figures {
 public:
  Figures(const BenchResults& results, const std::vector<Sample>& samples)
      : samples_(samples), limits_(profile_limits()) {
    for (std::size_t s = 0; s < samples.size(); ++s)
      for (std::size_t c = 0; c < samples[s].columns().size(); ++c) {
        const std::size_t entry = samples[s].columns()[c].entry;
        found_.standings.push_back({.entry = entry});
        if (!results.entries[entry].training) add_place(results.entries[entry], {s, c});
      }
  }

  [[nodiscard]] std::vector<double> values() const {
    std::vector<double> all;
    for (const Sample& sample : samples_)
      for (const Column& column : sample.columns()) {
        const double mean = sample.mean(column);
        const Scale& scale = sample.scale();
        all.insert(all.end(),
                   {scale.score(mean), scale.percent_better(mean), scale.percent_to_bound(mean)});
      }
    for (const std::vector<Place>& places : places_) {
      const Strata scores = scores_of(places);
      all.insert(all.end(), {mean_of(scores), median_of_means(scores), interquartile_mean(scores),
                             optimality_gap(scores)});
      std::ranges::copy(profile(scores, limits_), std::back_inserter(all));
    }
    return all;
  }

  /// `estimates` are in the order of `values`.
  [[nodiscard]] ScoreFigures filled(const std::vector<Estimate>& estimates) && {
    auto next = estimates.begin();
    for (Standing& one : found_.standings)
      for (Estimate* to : {&one.score, &one.percent_better, &one.percent_to_bound}) *to = *next++;
    for (PolicyScores& one : found_.policies) {
      for (Estimate* to : {&one.mean, &one.median, &one.iqm, &one.optimality_gap}) *to = *next++;
      const auto end = next + static_cast<std::ptrdiff_t>(limits_.size());
      one.profile.assign(next, end);
      next = end;
    }
    return std::move(found_);
  }

 private:
  void add_place(const Entry& entry, Place place) {
    auto& policies = found_.policies;
    const auto at = std::ranges::find(policies, entry.policy, &PolicyScores::policy);
    const auto i = static_cast<std::size_t>(at - policies.begin());
    if (at == policies.end()) {
      policies.push_back({.policy = entry.policy});
      places_.emplace_back();
    }
    policies[i].environments.push_back(entry.env);
    places_[i].push_back(place);
  }
  /// By environment; nothing where one of them has no score.
  [[nodiscard]] Strata scores_of(const std::vector<Place>& places) const {
    Strata all;
    for (const Place& place : places) {
      const Sample& sample = samples_[place.sample];
      all.push_back(sample.scores(sample.columns()[place.column]));
      if (all.back().empty()) return {};
    }
    return all;
  }

  const std::vector<Sample>& samples_;
  std::vector<double> limits_;
  std::vector<std::vector<Place>> places_;  // of the policies
  ScoreFigures found_;
};

std::vector<Sample> samples_of(const BenchResults& results, std::uint64_t seed) {
  const Rng rng = Rng(seed).split("scores");
  std::vector<Sample> samples;
  for (std::size_t e = 0; e < results.environments.size(); ++e)
    if (const std::optional<Scale> scale = scale_of(results, e))
      samples.emplace_back(results, *scale, rng);
  return samples;
}

}  // namespace

ScoreFigures score_figures(const BenchResults& results, const BootstrapOptions& options) {
  std::vector<Sample> samples = samples_of(results, options.seed);
  Figures figures(results, samples);
  const std::vector<double> values = figures.values();
  std::vector<std::vector<double>> replicates(values.size());
  for (std::uint32_t r = 0; r < options.replicates; ++r) {
    for (Sample& sample : samples) sample.draw();
    const std::vector<double> drawn = figures.values();
    for (std::size_t f = 0; f < drawn.size(); ++f) replicates[f].push_back(drawn[f]);
  }
  std::vector<Estimate> estimates;
  for (std::size_t f = 0; f < values.size(); ++f)
    estimates.push_back({values[f], percentile_interval(replicates[f], options.level)});
  return std::move(figures).filled(estimates);
}

std::vector<double> profile_limits() {
  std::vector<double> limits;
  for (int i = 0; i < kLimits; ++i)
    limits.push_back(kLowest + (kHighest - kLowest) * i / (kLimits - 1));
  return limits;
}

}  // namespace park::bench
