#include "extension/random.h"

#include <pybind11/numpy.h>
#include <pybind11/stl.h>

#include <cstdint>
#include <optional>
#include <span>
#include <string>

#include "park/core/error.h"
#include "park/core/rng.h"
#include "park/core/text.h"

namespace park::python {
namespace {

namespace py = pybind11;
using namespace py::literals;
using Size = std::optional<py::ssize_t>;

/// One draw; with a size an array of so many, drawn one after the other.
template <class Draw>
py::object drawn(const Size& size, Draw draw) {
  using Number = decltype(draw());
  if (!size) return py::cast(draw());
  if (*size < 0)
    throw Error(Errc::invalid_config, "size: " + std::to_string(*size) + "; allowed is 0 or more");
  py::array_t<Number> all(*size);
  for (Number& n : std::span(all.mutable_data(), static_cast<std::size_t>(*size))) n = draw();
  return all;
}

void check_positive(const char* name, double value) {
  if (!(value > 0))
    throw Error(Errc::invalid_config,
                std::string(name) + ": " + number_text(value) + "; allowed is more than 0");
}

py::object below(Rng& rng, std::int64_t n, const Size& size) {
  if (n < 1)
    throw Error(Errc::invalid_config, "n: " + std::to_string(n) + "; allowed is 1 or more");
  return drawn(size,
               [&] { return static_cast<std::int64_t>(rng.below(static_cast<std::uint64_t>(n))); });
}

py::object exponential(Rng& rng, double mean, const Size& size) {
  return drawn(size, [&] { return rng.exponential(mean); });
}

py::object pareto(Rng& rng, double shape, double scale, const Size& size) {
  check_positive("shape", shape);
  return drawn(size, [&] { return rng.pareto(shape, scale); });
}

/// 0 .. n-1 in the order that park::Rng::shuffle gives them.
py::array_t<std::int64_t> permutation(Rng& rng, std::int64_t n) {
  if (n < 0)
    throw Error(Errc::invalid_config, "n: " + std::to_string(n) + "; allowed is 0 or more");
  py::array_t<std::int64_t> all(static_cast<py::ssize_t>(n));
  const std::span items(all.mutable_data(), static_cast<std::size_t>(n));
  for (std::size_t i = 0; i < items.size(); ++i) items[i] = static_cast<std::int64_t>(i);
  rng.shuffle(items);
  return all;
}

py::tuple state_of(const Rng& rng) { return py::make_tuple(rng.state().key, rng.state().counter); }

Rng restored(const py::tuple& state) {
  Rng rng;
  rng.restore({py::cast<std::uint64_t>(state[0]), py::cast<std::uint64_t>(state[1])});
  return rng;
}

}  // namespace

void bind_random(py::module_& m) {
  const py::arg_v size("size", py::none());
  py::class_<Rng>(m, "Rng")
      .def(py::init<std::uint64_t>(), "key"_a = 0)
      .def("split", py::overload_cast<std::uint64_t>(&Rng::split, py::const_), "id"_a)
      .def("split", py::overload_cast<std::string_view>(&Rng::split, py::const_), "name"_a)
      .def("bits", &Rng::bits)
      .def(
          "uniform",
          [](Rng& rng, double low, double high, const Size& n) {
            return drawn(n, [&] { return rng.uniform(low, high); });
          },
          "low"_a = 0.0, "high"_a = 1.0, size)
      .def("below", &below, "n"_a, size)
      .def("exponential", &exponential, "mean"_a, size)
      .def("pareto", &pareto, "shape"_a, "scale"_a, size)
      .def(
          "normal", [](Rng& rng, const Size& n) { return drawn(n, [&] { return rng.normal(); }); },
          size)
      .def("permutation", &permutation, "n"_a)
      .def_property_readonly("state", &state_of)
      .def_static("restored", &restored, "state"_a)
      .def(py::pickle(&state_of, &restored));
}

}  // namespace park::python
