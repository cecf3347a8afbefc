#include "extension/python_policy.h"

#include <pybind11/numpy.h>
#include <pybind11/stl.h>

#include <string>

#include "extension/columns.h"
#include "extension/stream.h"

namespace park::python {
namespace {

template <class T>
py::array_t<T> array_of(const std::vector<T>& values) {
  return py::array_t<T>(static_cast<py::ssize_t>(values.size()), values.data());
}

/// Throws Failed{environmentFailed} at another size, and at NaN or +inf.
void read_scores(const py::object& from, std::size_t wanted, std::vector<float>& to) {
  const auto array = py::array_t<float, py::array::c_style | py::array::forcecast>::ensure(from);
  if (!array || static_cast<std::size_t>(array.size()) != wanted)
    throw bridge::Failed(
        bridge::Code::ENVIRONMENT_FAILED,
        "scores: must be an array of " + std::to_string(wanted) + " numbers, one per candidate");
  to.assign(array.data(), array.data() + wanted);
  for (const float score : to)
    if (!(score < std::numeric_limits<float>::infinity()))
      throw bridge::Failed(bridge::Code::ENVIRONMENT_FAILED, "scores: one is not below infinity");
}

}  // namespace

void PythonPolicy::start(std::uint32_t slot, const Episode& e, Rng rng) {
  policy_.with([&](const py::object& policy) {
    policy.attr("start")(slot, e.id, e.inputs, e.dynamics, e.horizon_s, rng.state().key);
  });
}

void PythonPolicy::act(const Decisions& d, Batch& actions) {
  policy_.with([&](const py::object& policy) {
    const py::object answer = policy.attr("act")(to_tuple(d, false));
    read_columns(py::cast<py::sequence>(answer), d.asked.size(), actions);
  });
}

bool PythonPolicy::scores(const Batch& observation, std::size_t head, const Batch& actions,
                          Candidates& candidates, std::vector<float>& scores) {
  if (heads_[head].kind == HeadKind::continuous) return false;
  heads_.candidates(head, observation, actions, candidates);
  return policy_.with([&](const py::object& policy) {
    const py::object answer = policy.attr("scores")(
        columns(observation), counts(observation), heads_[head].name, columns(actions),
        array_of(candidates.offsets), array_of(candidates.value));
    if (answer.is_none()) return false;
    read_scores(answer, candidates.size(), scores);
    return true;
  });
}

}  // namespace park::python
