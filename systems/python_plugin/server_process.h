#pragma once

#include <chrono>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>
#include <zmq.hpp>

#include "park/core/config.h"
#include "systems/process/child.h"
#include "systems/python_plugin/output_tail.h"

namespace park::python_plugin {

/// What a process of Python says of the class that it serves.
struct Served {
  std::string kind{};  ///< environment or policy
  std::string endpoint{}, folder{};
  std::string name{}, version{}, summary{}, reference{};
  std::vector<FieldInfo> fields{};
  std::vector<std::string> environments{};  ///< of a policy
};

/// A process of Python that serves one class (park_sdk.plugin_server). It ends with this object,
/// and with the thread that made it.
class ServerProcess {
 public:
  /// Starts it and waits until it serves, or for so long. Throws as PythonPlugin.
  ServerProcess(std::string text, std::chrono::milliseconds start);
  ~ServerProcess();
  ServerProcess(const ServerProcess&) = delete;
  ServerProcess& operator=(const ServerProcess&) = delete;

  /// The text of the plug-in, which begins all messages.
  [[nodiscard]] const std::string& text() const noexcept { return text_; }
  [[nodiscard]] const Served& served() const noexcept { return served_; }
  /// How it has ended, for people; nothing while it runs. Thread-safe.
  [[nodiscard]] std::optional<std::string> ended();
  /// ", and the last line of its output: ..." for a message, or "". Thread-safe.
  [[nodiscard]] std::string last_words() const;
  /// The context of sockets that lead to it.
  [[nodiscard]] zmq::context_t& context() noexcept { return context_; }

 private:
  /// The line that it sends over the link.
  [[nodiscard]] std::string announcement(std::chrono::milliseconds start);
  /// Closes the link, and waits a moment for an orderly end, which leaves no files.
  void end() noexcept;

  std::string text_;
  zmq::context_t context_;
  OutputTail output_;
  int link_ = -1;  // to its standard input; closing it ends the process
  std::mutex mutex_;
  std::unique_ptr<process::Child> child_;
  Served served_;
};

}  // namespace park::python_plugin
