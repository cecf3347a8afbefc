#pragma once

#include <memory>
#include <string>
#include <vector>

#include "tests/siege/process.h"
#include "tests/siege/talker.h"

namespace park::siege {

/// A server that is attacked, and what it told of itself.
struct Target {
  std::string endpoint{};
  pid_t pid = 0;              ///< 0: of nobody that can be looked at
  bool environments = false;  ///< it answers openStream
  bool policies = false;      ///< it answers openPolicy
  bool any = false;           ///< it takes any environment or policy
  std::uint64_t most_bytes = 0;
  std::uint32_t most_slots = 0, window = 0;
  std::uint64_t bound_bytes = 0;  ///< memory that it says it takes at most; 0: it says nothing
};

/// Asks a server what it offers. Throws Trouble.
[[nodiscard]] Target probe(const std::string& endpoint, pid_t pid);

/// A server of this program, such as `park serve`.
class OwnServer {
 public:
  /// The words follow `park`; `prepare` runs in its process before. Throws Trouble.
  explicit OwnServer(std::vector<std::string> words, const std::function<void()>& prepare = {});
  [[nodiscard]] const std::string& endpoint() const noexcept { return endpoint_; }
  [[nodiscard]] pid_t pid() const noexcept { return process_->pid(); }
  [[nodiscard]] bool runs() const { return process_->runs(); }
  /// Tells it to end; one line for anything but an orderly end within 20 s.
  [[nodiscard]] std::string end();

 private:
  Folder folder_;
  std::unique_ptr<Process> process_;
  std::string endpoint_;
};

/// What an endpoint file holds: where the server is and the number of its process. Nothing where
/// the file is none.
[[nodiscard]] std::optional<std::pair<std::string, pid_t>> endpoint_of_file(
    const std::string& path);

}  // namespace park::siege
