#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "park/core/batch.h"
#include "park/core/env.h"
#include "park/core/system_env.h"

namespace park {

/// A question. `sequence` counts the delivered rows of this context; before 0, Policy::start is
/// called.
struct Ask {
  std::uint32_t slot = 0;
  std::uint64_t context = 0, sequence = 0;
  Episode episode;
  Outcome since_last;  ///< empty in the first row of an episode
};

/// A context that ended, with everything since its last row.
struct Ended {
  std::uint32_t slot = 0;
  std::uint64_t context = 0, decisions = 0, events = 0;
  Episode episode;
  Outcome last;
};

/// The result of a recv, valid until the next send. Handle `ended` before `asked`; either may be
/// empty. If both are empty and `done` is false, the deadline passed.
struct Decisions {
  explicit Decisions(const Spec& spec)
      : observation(spec.observation), final_observation(spec.observation) {}

  std::vector<Ask> asked;       ///< [n]; row i of the observation asks for row i of the actions
  Batch observation;            ///< n rows
  std::vector<Ended> ended;     ///< [m]
  Batch final_observation;      ///< m rows
  std::vector<double> metrics;  ///< [m, metrics of the spec]
  bool done = false;            ///< nothing will follow

  void clear() noexcept;
  /// The metrics of ended[i], in the order of the spec: see Spec::metric.
  [[nodiscard]] std::span<const double> metrics_of(std::size_t i) const noexcept {
    const std::size_t n = metrics.size() / ended.size();
    return std::span(metrics).subspan(i * n, n);
  }

  /// Where the rows of another Decisions begin in this one.
  struct Place {
    std::size_t asked, observation, final_observation;
  };
  /// Adds places for another Decisions; `fill` writes questions and rows, from any thread.
  Place extend(const Decisions&);
  void fill(Place, const Decisions&) noexcept;
  void append(const Decisions& d) { fill(extend(d), d); }
};

/// The interface of agents. recv and send alternate. One thread.
class Stream {
 public:
  virtual ~Stream() = default;
  [[nodiscard]] virtual const Spec& spec() const noexcept = 0;
  [[nodiscard]] const Decisions& recv() { return recv(kNever); }
  [[nodiscard]] virtual const Decisions& recv(Deadline) = 0;
  /// Takes one row for each question. Throws Error{illegal_action}, before any environment moves,
  /// if that is the rule.
  virtual void send(const Batch& actions) = 0;
};

}  // namespace park
