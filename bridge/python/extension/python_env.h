#pragma once

#include <utility>

#include "extension/python_object.h"
#include "park/core/action_space.h"
#include "park/core/env.h"

namespace park::python {

/// An environment that is written in Python: an object that park_sdk makes, with
/// reset(number, inputs, dynamics, horizon_s) -> row, step(heads) -> (row, reward, elapsed_s, end)
/// and metrics(). A row is the counts of all groups and an array for each leaf. What is outside of
/// the spec fails in one line that names the leaf.
class PythonEnv final : public Env {
 public:
  PythonEnv(const Spec& spec, pybind11::object env)
      : env_(std::move(env)), space_(spec), action_(spec.action), row_(spec.observation) {}
  void reset(const Episode&, Row observation) override;
  Outcome step(ConstRow action, Row observation) override;
  void metrics(std::span<double>) const override;

 private:
  /// Throws where the row is outside of the spec; without an end it leaves each head a legal value.
  void check(End) const;

  PythonObject env_;
  ActionSpace space_;
  Batch action_;  // its record
  Batch row_;     // one row: the one that Python has given
};

}  // namespace park::python
