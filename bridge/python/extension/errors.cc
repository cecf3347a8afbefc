#include "extension/errors.h"

#include <pybind11/pybind11.h>

#include <string>

#include "bridge/codec/failure.h"
#include "park/core/error.h"

namespace park::python {
namespace {

namespace py = pybind11;

const char* errc_name(Errc code) {
  constexpr const char* kNames[] = {
      "invalid_config", "invalid_space", "illegal_action", "unknown_name",
      "syntax",         "capacity",      "bad_file",       "io",
      "unavailable",    "not_finite",    "not_allowed"};
  return kNames[static_cast<std::size_t>(code)];
}

void raise(const char* code, const char* text) {
  const py::object type = py::module_::import("park_sdk.errors").attr("ParkError");
  PyErr_SetObject(type.ptr(), type(code, text).ptr());
}

}  // namespace

void register_errors() {
  py::register_exception_translator([](std::exception_ptr error) {
    try {
      if (error) std::rethrow_exception(error);
    } catch (const Error& e) {
      raise(errc_name(e.code()), e.what());
    } catch (const bridge::Failed& failed) {
      raise(failed.code() == bridge::Code::INVALID_CONFIG ? "invalid_config" : "unavailable",
            failed.what());
    }
  });
}

}  // namespace park::python
