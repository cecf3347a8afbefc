#pragma once

#include <memory>
#include <string>

#include "park/core/registry.h"

namespace park::python_plugin {

/// A class of Python that a process of its own serves: an environment or a policy
/// (park_sdk.plugins). Copies share the process. It ends with the last of them and of what was
/// opened through them. It also ends when the process that started it, or the thread that made it,
/// ends in any way.
class PythonPlugin {
 public:
  /// Starts the process. `text` is module:Class, or park.envs:NAME or park.policies:NAME of an
  /// installed package. The interpreter is PARK_PYTHON, else python3 of PATH; it needs the package
  /// park_sdk. It has PARK_PYTHON_TIMEOUT_S seconds (60) to start, and for each answer.
  ///
  /// Throws Error, without the text: {unknown_name} without such a class, {invalid_config} and
  /// {invalid_space} for what is declared wrongly. Throws Error{unavailable} where Python cannot be
  /// started, the class cannot be loaded, or the time has passed.
  explicit PythonPlugin(const std::string& text);

  [[nodiscard]] const std::string& name() const noexcept;
  [[nodiscard]] const std::string& version() const noexcept;
  [[nodiscard]] bool is_policy() const noexcept;

  /// Adds the environment or the policy, under its own name and with its own fields. Throws
  /// Error{invalid_config} where the registry has the name. What is opened of it throws
  /// Error{unavailable} in one line that begins with the text. It does so where the class raises,
  /// or where the process has ended or is silent. The line then has the last one of its output.
  void add_to(Registry&) const;

 private:
  class Server;
  std::shared_ptr<Server> server_;
};

}  // namespace park::python_plugin
