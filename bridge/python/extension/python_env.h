#pragma once

#include "extension/python_object.h"
#include "park/core/env.h"

namespace park::python {

/// An environment that is written in Python: an object with reset(inputs, dynamics, horizon_s),
/// step(heads) and metrics(), as park_sdk.serving makes them. Its records have no groups.
class PythonEnv final : public Env {
 public:
  explicit PythonEnv(pybind11::object env) : env_(std::move(env)) {}
  void reset(const Episode&, Row observation) override;
  Outcome step(ConstRow action, Row observation) override;
  void metrics(std::span<double>) const override;

 private:
  PythonObject env_;
};

}  // namespace park::python
