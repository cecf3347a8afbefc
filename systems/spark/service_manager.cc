#include "systems/spark/service_manager.h"

#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <charconv>
#include <condition_variable>
#include <cstddef>
#include <cstdlib>
#include <cstring>
#include <mutex>
#include <string>
#include <utility>

namespace park::spark {
namespace {

/// A number of the environment.
std::optional<long> number_of(const char* name) {
  const char* text = std::getenv(name);
  if (text == nullptr) return std::nullopt;
  long value = 0;
  const char* end = text + std::strlen(text);
  const auto [last, error] = std::from_chars(text, end, value);
  if (error != std::errc{} || last != end) return std::nullopt;
  return value;
}

}  // namespace

ServiceManager::ServiceManager(std::function<bool()> is_alive) {
  tell("READY=1");
  const auto every = period();
  if (!every) return;
  const auto body = [pause = *every, is_alive = std::move(is_alive)](const std::stop_token& stop) {
    std::mutex mutex;
    std::condition_variable_any over;
    std::unique_lock lock(mutex);
    while (!over.wait_for(lock, stop, pause, [] { return false; }) && !stop.stop_requested()) {
      if (is_alive()) tell("WATCHDOG=1");
    }
  };
  thread_ = std::jthread(body);
}

ServiceManager::~ServiceManager() {
  thread_ = std::jthread();  // asked to stop, and waited for
  tell("STOPPING=1");
}

std::optional<std::chrono::microseconds> ServiceManager::period() {
  const auto owner = number_of("WATCHDOG_PID");
  const auto limit = number_of("WATCHDOG_USEC");
  if (!limit || *limit <= 1 || (owner && *owner != ::getpid())) return std::nullopt;
  return std::chrono::microseconds(*limit / 2);
}

void ServiceManager::tell(std::string_view state) {
  const char* path = std::getenv("NOTIFY_SOCKET");
  sockaddr_un to{};
  if (path == nullptr || *path == '\0' || std::strlen(path) >= sizeof to.sun_path) return;
  to.sun_family = AF_UNIX;
  std::memcpy(to.sun_path, path, std::strlen(path));
  if (to.sun_path[0] == '@') to.sun_path[0] = '\0';  // an abstract one
  const int socket = ::socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0);
  if (socket < 0) return;
  const auto size = static_cast<socklen_t>(offsetof(sockaddr_un, sun_path) + std::strlen(path));
  // A service manager that does not listen is none.
  static_cast<void>(::sendto(socket, state.data(), state.size(), MSG_NOSIGNAL,
                             reinterpret_cast<const sockaddr*>(&to), size));
  ::close(socket);
}

}  // namespace park::spark
