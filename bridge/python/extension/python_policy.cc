#include "extension/python_policy.h"

#include "extension/columns.h"
#include "extension/stream.h"

namespace park::python {

void PythonPolicy::start(std::uint32_t slot, const Episode&, Rng rng) {
  policy_.with([&](const py::object& policy) { policy.attr("start")(slot, rng.state().key); });
}

void PythonPolicy::act(const Decisions& d, Batch& actions) {
  policy_.with([&](const py::object& policy) {
    const py::object answer = policy.attr("act")(to_tuple(d, false));
    read_columns(py::cast<py::sequence>(answer), d.asked.size(), actions);
  });
}

}  // namespace park::python
