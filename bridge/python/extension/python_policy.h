#pragma once

#include "extension/python_object.h"
#include "park/core/policy.h"

namespace park::python {

/// A policy that is written in Python: an object with start(slot, key) and act(question), as
/// park_sdk.serving makes them.
class PythonPolicy final : public Policy {
 public:
  explicit PythonPolicy(pybind11::object policy) : policy_(std::move(policy)) {}
  void start(std::uint32_t slot, const Episode&, Rng) override;
  void act(const Decisions&, Batch& actions) override;
  [[nodiscard]] bool may_wait() const noexcept override { return true; }  // for Python's lock

 private:
  PythonObject policy_;
};

}  // namespace park::python
