#pragma once

#include <chrono>
#include <functional>
#include <optional>
#include <string_view>
#include <thread>

namespace park::spark {

/// Tells the service manager that started this process (systemd, sd_notify(3)) that it is ready,
/// and then, where it has a watchdog, that it is alive. Without one nothing is told.
class ServiceManager {
 public:
  /// `is_alive` is called before each sign of life, on a thread of its own. If it says no or blocks
  /// for longer than the watchdog's time, the process is restarted.
  explicit ServiceManager(std::function<bool()> is_alive);
  /// Says that the process is about to end.
  ~ServiceManager();
  ServiceManager(const ServiceManager&) = delete;
  ServiceManager& operator=(const ServiceManager&) = delete;

  /// Half of the watchdog's time, from the environment; none where there is no watchdog, or it is
  /// one of another process.
  [[nodiscard]] static std::optional<std::chrono::microseconds> period();

 private:
  static void tell(std::string_view state);

  std::jthread thread_;
};

}  // namespace park::spark
