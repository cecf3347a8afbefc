#pragma once

#include <pybind11/pybind11.h>

#include <string>
#include <utility>

#include "bridge/codec/failure.h"

namespace park::python {

/// A Python object that threads of C++ call: each call takes the GIL, and so does the end.
class PythonObject {
 public:
  explicit PythonObject(pybind11::object object) : object_(std::move(object)) {}
  ~PythonObject() {
    const pybind11::gil_scoped_acquire gil;
    object_ = pybind11::object();
  }
  PythonObject(const PythonObject&) = delete;
  PythonObject& operator=(const PythonObject&) = delete;

  /// Calls `use(object)` with the GIL. What Python raises is thrown as Failed{environmentFailed} in
  /// one line; a ParkError with its own lines, about a configuration as Failed{invalidConfig}.
  template <class Use>
  auto with(Use&& use) const {
    const pybind11::gil_scoped_acquire gil;
    try {
      return use(object_);
    } catch (pybind11::error_already_set& error) {
      const std::string type = pybind11::str(error.type().attr("__name__"));
      const std::string text = pybind11::str(error.value());
      if (type == "ParkError") {
        const std::string code = pybind11::str(error.value().attr("code"));
        throw bridge::Failed(code == "invalid_config" ? bridge::Code::INVALID_CONFIG
                                                      : bridge::Code::ENVIRONMENT_FAILED,
                             text);
      }
      throw bridge::Failed(bridge::Code::ENVIRONMENT_FAILED,
                           type + ": " + text.substr(0, text.find('\n')));
    }
  }

 private:
  pybind11::object object_;
};

}  // namespace park::python
