#pragma once

#include <utility>
#include <vector>

#include "extension/python_object.h"
#include "park/core/candidates.h"
#include "park/core/policy.h"

namespace park::python {

/// A policy that is written in Python: an object that park_sdk makes. It has start(slot, number,
/// inputs, dynamics, horizon_s, key), act(question), and scores(observation, counts, head, actions,
/// offsets, values). The last one returns None without scores.
class PythonPolicy final : public Policy {
 public:
  PythonPolicy(const Spec& spec, pybind11::object policy)
      : policy_(std::move(policy)), heads_(spec) {}
  void start(std::uint32_t slot, const Episode&, Rng) override;
  void act(const Decisions&, Batch& actions) override;
  [[nodiscard]] bool scores(const Batch& observation, std::size_t head, const Batch& actions,
                            Candidates&, std::vector<float>& scores) override;
  [[nodiscard]] bool may_wait() const noexcept override { return true; }  // for Python's lock

 private:
  PythonObject policy_;
  Heads heads_;
};

}  // namespace park::python
