#include "extension/python_env.h"

#include <pybind11/numpy.h>
#include <pybind11/stl.h>

#include <cstring>
#include <string>
#include <tuple>
#include <vector>

#include "bridge/codec/rows.h"

namespace park::python {
namespace {

namespace py = pybind11;

[[noreturn]] void wrong(const std::string& what) {
  throw bridge::Failed(bridge::Code::ENVIRONMENT_FAILED, what);
}

void resize_groups(const py::sequence& counts, Row row) {
  const auto& groups = row.batch().record().groups;
  if (counts.size() != groups.size())
    wrong("observation: " + std::to_string(counts.size()) + " counts for " +
          std::to_string(groups.size()) + " groups");
  for (std::size_t g = 0; g < groups.size(); ++g) {
    const auto n = py::cast<std::int64_t>(counts[g]);
    if (n < 0 || n > groups[g].capacity)
      wrong("observation: " + groups[g].name + " has " + std::to_string(n) +
            " elements; allowed are 0 to " + std::to_string(groups[g].capacity));
    row.resize({static_cast<std::int32_t>(g)}, static_cast<std::size_t>(n));
  }
}

/// A pair: the counts of all groups, and arrays of the leaves' types, one for each leaf.
void write(const py::sequence& from, Batch& to) {
  to.clear();
  const Row row = to.append();
  resize_groups(py::cast<py::sequence>(from[0]), row);
  const auto arrays = py::cast<py::sequence>(from[1]);
  if (arrays.size() != to.columns())
    wrong("observation: " + std::to_string(arrays.size()) + " arrays for " +
          std::to_string(to.columns()) + " leaves");
  for (std::size_t c = 0; c < to.columns(); ++c) {
    const py::array array = py::array::ensure(arrays[c], py::array::c_style);
    const std::span<std::byte> bytes = to.bytes(c, 0, 1);
    if (!array || static_cast<std::size_t>(array.nbytes()) != bytes.size())
      wrong("observation: " + to.record().leaves[c].name + " must have " +
            std::to_string(bytes.size()) + " bytes");
    if (!bytes.empty()) std::memcpy(bytes.data(), array.data(), bytes.size());
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

void PythonEnv::check(End end) const {
  try {
    bridge::check_values(row_);
    if (end == End::none) bridge::check_choices(space_, row_, action_.record());
  } catch (const bridge::Failed& failed) {
    wrong(std::string("observation: ") + failed.what());
  }
}

void PythonEnv::reset(const Episode& episode, Row observation) {
  env_.with([&](const py::object& env) {
    write(py::cast<py::sequence>(
              env.attr("reset")(episode.id, episode.inputs, episode.dynamics, episode.horizon_s)),
          row_);
  });
  check(End::none);
  observation.assign(row_.row(0));
}

Outcome PythonEnv::step(ConstRow action, Row observation) {
  const Outcome outcome = env_.with([&](const py::object& env) {
    const auto [row, reward, elapsed_s, end] =
        py::cast<std::tuple<py::sequence, double, double, int>>(env.attr("step")(heads_of(action)));
    write(row, row_);
    Outcome told{.reward = reward, .elapsed_s = elapsed_s};
    told.end = static_cast<End>(end);
    return told;
  });
  check(outcome.end);
  observation.assign(row_.row(0));
  return outcome;
}

void PythonEnv::metrics(std::span<double> to) const {
  env_.with([&](const py::object& env) {
    const auto values = py::cast<std::vector<double>>(env.attr("metrics")());
    if (values.size() != to.size()) wrong("metrics: another number than in the spec");
    std::copy(values.begin(), values.end(), to.begin());
  });
}

}  // namespace park::python
