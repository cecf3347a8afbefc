#include "extension/python_env.h"

#include <pybind11/numpy.h>
#include <pybind11/stl.h>

#include <cstring>
#include <string>
#include <vector>

namespace park::python {
namespace {

namespace py = pybind11;

[[noreturn]] void wrong(const std::string& what) {
  throw bridge::Failed(bridge::Code::ENVIRONMENT_FAILED, what);
}

/// Arrays of the leaves' types, one for each leaf.
void write(const py::sequence& arrays, Row row) {
  Batch& batch = row.batch();
  if (arrays.size() != batch.columns())
    wrong("observation: " + std::to_string(arrays.size()) + " arrays for " +
          std::to_string(batch.columns()) + " leaves");
  for (std::size_t c = 0; c < batch.columns(); ++c) {
    const py::array from = py::array::ensure(arrays[c], py::array::c_style);
    const std::span<std::byte> to = batch.bytes(c, row.index(), 1);
    if (!from || static_cast<std::size_t>(from.nbytes()) != to.size())
      wrong("observation: " + batch.record().leaves[c].name + " must have " +
            std::to_string(to.size()) + " bytes");
    std::memcpy(to.data(), from.data(), to.size());
  }
}

/// The numbers of each head.
py::list heads_of(ConstRow action) {
  py::list heads;
  const Batch& batch = action.batch();
  for (std::size_t c = 0; c < batch.columns(); ++c) {
    const std::span<const std::byte> bytes = batch.bytes(c, action.index(), 1);
    const auto n = static_cast<py::ssize_t>(batch.record().leaves[c].width());
    if (batch.record().leaves[c].dtype == DType::f32)
      heads.append(py::array_t<float>(n, reinterpret_cast<const float*>(bytes.data())));
    else
      heads.append(
          py::array_t<std::int32_t>(n, reinterpret_cast<const std::int32_t*>(bytes.data())));
  }
  return heads;
}

}  // namespace

void PythonEnv::reset(const Episode& episode, Row observation) {
  env_.with([&](const py::object& env) {
    write(py::cast<py::sequence>(
              env.attr("reset")(episode.inputs, episode.dynamics, episode.horizon_s)),
          observation);
  });
}

Outcome PythonEnv::step(ConstRow action, Row observation) {
  return env_.with([&](const py::object& env) {
    const auto [arrays, reward, elapsed_s, end] =
        py::cast<std::tuple<py::sequence, double, double, int>>(env.attr("step")(heads_of(action)));
    write(arrays, observation);
    Outcome outcome{.reward = reward, .elapsed_s = elapsed_s};
    outcome.end = static_cast<End>(end);
    return outcome;
  });
}

void PythonEnv::metrics(std::span<double> to) const {
  env_.with([&](const py::object& env) {
    const auto values = py::cast<std::vector<double>>(env.attr("metrics")());
    if (values.size() != to.size()) wrong("metrics: another number than in the spec");
    std::copy(values.begin(), values.end(), to.begin());
  });
}

}  // namespace park::python
