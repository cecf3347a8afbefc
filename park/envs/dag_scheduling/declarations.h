#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "park/core/declarations.h"
#include "park/envs/dag_scheduling/layout.h"

namespace park::dag_scheduling {

/// What users of a cluster declare about a job: the mean duration of a task of each stage, and the
/// graph of stages. Work, critical paths and the work left follow. What was measured stays, such as
/// stage.last_duration_s, and so does how many tasks are left or run.
///
/// Operators of the graph:
/// - split: stage `first` is declared as two, of `second` tasks and of the others, each with all
///   its edges. The cluster runs the one true stage, which either part stands for. Tasks that were
///   launched count as those of the first part, as far as it has so many.
/// - edge: stage `second` is declared to wait for `first`, which it does already by way of others.
class DagDeclarations final : public Declarations {
 public:
  enum Operator : std::size_t { split_stage, extra_edge };
  /// Limits of a declared job: those of the largest jobs of the workload.
  struct Limits {
    std::size_t jobs = 1;  ///< of an episode
    std::size_t stages = 1, edges = 0;
  };

  DagDeclarations(const DagLayout& layout, const Limits& limits)
      : layout_(layout), limits_(limits) {}

  [[nodiscard]] std::vector<std::string> operators() const override { return {"split", "edge"}; }
  [[nodiscard]] std::vector<std::string> references() const override;
  [[nodiscard]] std::uint64_t jobs() const override { return limits_.jobs; }
  void present(const Moment&, std::vector<std::uint64_t>& jobs) const override;
  [[nodiscard]] std::size_t quantities(const Moment&, std::uint64_t job) const override;
  [[nodiscard]] std::vector<std::uint8_t> critical(const Moment&, std::uint64_t job) const override;
  [[nodiscard]] std::optional<Restructuring> draw(const Moment&, std::uint64_t job,
                                                  std::size_t operation, Rng&) const override;
  [[nodiscard]] std::optional<std::string> complaint(const Moment&, const Misreport&,
                                                     double epsilon) const override;
  void show(const Moment&, const std::vector<Misreport>&, Row seen) const override;
  void translate(const Moment&, const std::vector<Misreport>&, ConstRow chosen,
                 Row action) const override;
  [[nodiscard]] double benefit(const Moment&, std::uint64_t job, ConstRow action) const override;
  void own(const Moment&, std::uint64_t job, std::vector<float>&) const override;

 private:
  /// Where a job's elements are in a row.
  struct Place {
    std::size_t job = 0, stage = 0, stages = 0;
  };
  [[nodiscard]] std::optional<Place> find(ConstRow, std::uint64_t job) const;
  [[nodiscard]] std::vector<std::pair<std::uint32_t, std::uint32_t>> edges(ConstRow,
                                                                           const Place&) const;
  [[nodiscard]] std::optional<std::string> complaint_of_change(ConstRow, const Place&,
                                                               const Restructuring&) const;
  void split(Row, Place&, const Restructuring&) const;
  void split_tasks(Row, std::size_t stage, float first_tasks) const;
  void add_edge(Row, const Place&, const Restructuring&) const;
  void write_edges(Row, std::vector<std::pair<std::int32_t, std::int32_t>>) const;
  void scale(Row, const Place&, const Misreport&) const;

  DagLayout layout_;
  Limits limits_;
};

}  // namespace park::dag_scheduling
