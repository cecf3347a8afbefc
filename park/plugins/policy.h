#pragma once

#include <memory>
#include <optional>
#include <vector>

#include "park/core/candidates.h"
#include "park/core/policy.h"
#include "park/plugin/describe.h"
#include "park/plugin/rows.h"
#include "park/plugins/calls.h"

namespace park::plugins {

/// A policy of a plug-in. Its actions are admitted as those of any policy; scores must be of the
/// legal values, and none may be NaN. Throws Error where the plug-in fails.
class PluginPolicy final : public Policy {
 public:
  /// `canonical`: the text of the policy. Throws Error with the plug-in's text.
  PluginPolicy(std::shared_ptr<const PolicyKind>, const Value& canonical, const Spec&);
  ~PluginPolicy() override;

  void start(std::uint32_t slot, const Episode&, Rng) override;
  void act(const Decisions&, Batch& actions) override;
  [[nodiscard]] bool scores(const Batch& observation, std::size_t head, const Batch& actions,
                            Candidates& candidates, std::vector<float>& scores) override;
  [[nodiscard]] std::uint32_t most_slots() const noexcept override { return most_slots_; }
  [[nodiscard]] bool may_wait() const noexcept override { return may_wait_; }

 private:
  /// Ask of many questions, as columns.
  struct Columns {
    std::vector<std::uint32_t> slot;
    std::vector<std::uint64_t> context, count, events;
    std::vector<ParkEpisode> episode;
    std::vector<ParkOutcome> outcome;
    std::vector<const ParkEpisode*> episodes;  // pointers to those above
    std::vector<const ParkOutcome*> outcomes;

    void resize(std::size_t n);
    void set(std::size_t i, const Episode&, const Outcome&) noexcept;
  };
  void show(const Decisions&);
  void check_scores(const ParkScores&, const Candidates&) const;

  std::shared_ptr<const PolicyKind> kind_;
  ParkPolicy* policy_ = nullptr;
  std::uint32_t most_slots_;
  bool may_wait_ = false;
  Spec spec_;
  std::optional<Heads> heads_;  // made when scores are asked for
  ErrorPlace error_;
  ParkQuestions questions_{};
  Columns asked_, ended_;
  plugin::RowsPointers rows_, final_rows_;
  std::vector<void*> actions_;
};

}  // namespace park::plugins
