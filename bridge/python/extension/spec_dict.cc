#include "extension/spec_dict.h"

#include <pybind11/stl.h>

#include <algorithm>
#include <string>

#include "park/core/error.h"

namespace park::python {
namespace {

namespace py = pybind11;
using namespace py::literals;

py::dict to_dict(const Leaf& l) {
  return py::dict("name"_a = l.name, "dtype"_a = std::string(to_text(l.dtype)),
                  "shape"_a = py::tuple(py::cast(l.shape)), "low"_a = l.low, "high"_a = l.high,
                  "unit"_a = l.unit, "doc"_a = l.doc, "group"_a = l.group,
                  "index_of"_a = l.index_of, "given"_a = py::tuple(py::cast(l.given)));
}

py::dict to_dict(const Record& record) {
  py::list leaves, groups;
  for (const Leaf& l : record.leaves) leaves.append(to_dict(l));
  for (const Group& g : record.groups)
    groups.append(py::dict("name"_a = g.name, "capacity"_a = g.capacity));
  return py::dict("leaves"_a = leaves, "groups"_a = groups);
}

DType dtype_named(const std::string& name) {
  for (const DType t : {DType::u8, DType::i32, DType::i64, DType::f32, DType::f64})
    if (to_text(t) == name) return t;
  throw Error(Errc::invalid_space, "dtype: '" + name + "'; allowed are u8, i32, i64, f32 and f64");
}

Leaf leaf_of(const py::dict& d) {
  Leaf l{.name = py::cast<std::string>(d["name"])};
  l.dtype = dtype_named(py::cast<std::string>(d["dtype"]));
  l.shape = py::cast<std::vector<std::int64_t>>(d["shape"]);
  l.low = py::cast<double>(d["low"]);
  l.high = py::cast<double>(d["high"]);
  l.unit = py::cast<std::string>(d["unit"]);
  l.doc = py::cast<std::string>(d["doc"]);
  l.group = py::cast<std::string>(d["group"]);
  l.index_of = py::cast<std::string>(d["index_of"]);
  l.given = py::cast<std::vector<std::string>>(d["given"]);
  return l;
}

Record record_of(const py::dict& d) {
  Record record;
  for (const auto leaf : d["leaves"]) record.leaves.push_back(leaf_of(py::cast<py::dict>(leaf)));
  for (const auto group : d["groups"])
    record.groups.push_back(
        {py::cast<std::string>(group["name"]), py::cast<std::int64_t>(group["capacity"])});
  return record;
}

}  // namespace

py::dict to_dict(const Spec& spec) {
  py::list metrics;
  for (const Metric& m : spec.metrics)
    metrics.append(py::dict("name"_a = m.name, "unit"_a = m.unit,
                            "lower_is_better"_a = m.lower_is_better, "doc"_a = m.doc));
  return py::dict("name"_a = spec.name, "summary"_a = spec.summary, "reference"_a = spec.reference,
                  "version"_a = spec.version, "observation"_a = to_dict(spec.observation),
                  "action"_a = to_dict(spec.action), "metrics"_a = metrics,
                  "system"_a = spec.traits.system, "replayable"_a = spec.traits.replayable,
                  "cloneable"_a = spec.traits.cloneable, "twin"_a = spec.traits.twin,
                  "text"_a = spec.text, "layout_hash"_a = layout_text(spec));
}

Spec spec_of(const py::dict& d) {
  Spec spec{.name = py::cast<std::string>(d["name"])};
  spec.summary = py::cast<std::string>(d["summary"]);
  spec.reference = py::cast<std::string>(d["reference"]);
  spec.version = py::cast<int>(d["version"]);
  spec.observation = record_of(py::cast<py::dict>(d["observation"]));
  spec.action = record_of(py::cast<py::dict>(d["action"]));
  for (const auto m : d["metrics"])
    spec.metrics.push_back({py::cast<std::string>(m["name"]), py::cast<std::string>(m["unit"]),
                            py::cast<bool>(m["lower_is_better"]), py::cast<std::string>(m["doc"])});
  spec.traits.system = py::cast<bool>(d["system"]);
  spec.traits.replayable = py::cast<bool>(d["replayable"]);
  spec.traits.cloneable = py::cast<bool>(d["cloneable"]);
  spec.traits.twin = py::cast<std::string>(d["twin"]);
  spec.text = py::cast<std::string>(d["text"]);
  validate(spec);
  return spec;
}

}  // namespace park::python
