#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "park/attack/player.h"
#include "park/trees/tree_file.h"

namespace park::attack {

/// True rows in which a job competes, in the order of plays.
struct Moments {
  Moments(const Spec& spec, std::uint64_t of_job) : job(of_job), rows(spec.observation) {}

  std::uint64_t job;
  Batch rows;                            // [n]
  std::vector<std::uint64_t> sequences;  // [n]

  [[nodiscard]] std::size_t size() const noexcept { return sequences.size(); }
  [[nodiscard]] Moment at(std::size_t i) const { return {rows.row(i), sequences[i]}; }
  void add(const Moment&);
  /// At most so many, evenly spread.
  [[nodiscard]] Moments thinned(std::size_t most, const Spec&) const;
};

/// How much the target is favoured in some moments, by what its user declares. Larger is better.
class Objective {
 public:
  virtual ~Objective() = default;
  /// [declared] for several declarations of the target at once.
  [[nodiscard]] virtual std::vector<double> of(std::span<const Misreport> declared) = 0;
};

/// By the policy's own scores of the first head: the mean over the moments of the benefit that it
/// expects of its choice. Throws Error{invalid_config} in one line where the policy has no scores.
/// Player and moments must outlive it.
[[nodiscard]] std::unique_ptr<Objective> make_score_objective(Player&, const Moments&);

/// What the user of the target has seen of its own job: rows as it declared them, and how good each
/// decision was for it.
struct OwnRecord {
  std::vector<std::vector<float>> columns;  // [features][n]
  std::vector<double> benefits;             // [n]

  void add(const std::vector<float>& row, double benefit);
};

/// By a proxy of the policy: a bagged forest fitted on such a record. Player and moments must
/// outlive it.
[[nodiscard]] std::unique_ptr<Objective> make_proxy_objective(const Player&, const Moments&,
                                                              const OwnRecord&, std::uint64_t seed);

}  // namespace park::attack
