#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "park/core/batch.h"
#include "park/core/rng.h"

namespace park {

/// A change of how a job is described that leaves its work as it is, such as a part that is declared
/// as two. The operator says what the numbers mean.
struct Restructuring {
  std::size_t operation = 0;  ///< place in Declarations::operators
  std::uint32_t first = 0, second = 0;
  bool operator==(const Restructuring&) const = default;
};

/// What a user declares about one job in place of the truth.
struct Misreport {
  std::uint64_t job = 0;          ///< its number in the episode, by arrival
  std::vector<double> factors{};  ///< [quantities] declared over true; empty: all 1
  std::optional<Restructuring> change{};

  bool operator==(const Misreport&) const = default;
  /// Whether nothing differs from the truth.
  [[nodiscard]] bool honest() const noexcept;
};

/// A question of an episode: the true row, and how many rows came before it.
struct Moment {
  ConstRow row;
  std::uint64_t sequence = 0;
};

/// What the users of an environment declare about their jobs, and how a false declaration shows in
/// its rows. Leaves that follow from a declared quantity follow it; what is measured, and the work
/// itself, stay true. An environment with such users has one (Env::declarations); it follows one
/// episode at a time. Jobs are numbered by arrival.
class Declarations {
 public:
  virtual ~Declarations() = default;

  /// Changes of structure that users may declare, by name; none: quantities alone.
  [[nodiscard]] virtual std::vector<std::string> operators() const { return {}; }
  /// Policies to compare an attacked one with, as texts: one that looks at nothing declared, then
  /// tuned ones.
  [[nodiscard]] virtual std::vector<std::string> references() const { return {}; }
  /// How many jobs of an episode may be misreported, from the first one on.
  [[nodiscard]] virtual std::uint64_t jobs() const = 0;

  /// Adds the numbers of the jobs that the row describes.
  virtual void present(const Moment&, std::vector<std::uint64_t>& jobs) const = 0;
  /// How many quantities the user of a job declares; 0 where the row does not describe the job.
  [[nodiscard]] virtual std::size_t quantities(const Moment&, std::uint64_t job) const = 0;
  /// [quantities] 1: it belongs to the longest chain of the job. REQUIRES a job of the row.
  [[nodiscard]] virtual std::vector<std::uint8_t> critical(const Moment&,
                                                           std::uint64_t job) const = 0;
  /// An admissible change by an operator, drawn at random; nothing where the job has none. REQUIRES
  /// a job of the row.
  [[nodiscard]] virtual std::optional<Restructuring> draw(const Moment&, std::uint64_t job,
                                                          std::size_t operation, Rng&) const;
  /// What makes a declaration inadmissible, in one line; nothing where it is admissible. Each
  /// quantity lies within [1 - epsilon, 1 + epsilon] of the truth, and a change keeps the work and
  /// its order as they are. REQUIRES a job of the row.
  [[nodiscard]] virtual std::optional<std::string> complaint(const Moment&, const Misreport&,
                                                             double epsilon) const = 0;

  /// Writes the row that a policy sees. `seen` is the empty last row of its batch. Misreports of
  /// jobs that the row does not describe change nothing; they are of different jobs.
  virtual void show(const Moment&, const std::vector<Misreport>&, Row seen) const = 0;
  /// The action of the true environment that stands for one on the row that `show` writes.
  virtual void translate(const Moment&, const std::vector<Misreport>&, ConstRow chosen,
                         Row action) const;
  /// How good the first head's choice of a true action is for a job; larger is better.
  [[nodiscard]] virtual double benefit(const Moment&, std::uint64_t job, ConstRow action) const = 0;
  /// What the user of a job sees of a row, as numbers; as many in every row of an episode. REQUIRES
  /// a job of the row.
  virtual void own(const Moment&, std::uint64_t job, std::vector<float>&) const = 0;

  /// A new episode.
  virtual void begin() {}
  /// The true action was taken, and some time passed until the next row.
  virtual void follow(const Moment&, const std::vector<Misreport>&, ConstRow action,
                      double elapsed_s);
};

/// The least that may be declared of a quantity, regardless of epsilon: nothing takes no time.
constexpr double kLeastFactor = 1e-3;

/// What makes factors inadmissible, in one line; nothing where they are admissible.
[[nodiscard]] std::optional<std::string> complaint_of_factors(const std::vector<double>& factors,
                                                              std::size_t quantities,
                                                              double epsilon);

}  // namespace park
