// A process that ends with its parent. end_with makes a private folder for the socket of a server
// and starts a thread that reads the link to the parent. At the end of that link Python may end in
// an orderly way within a second; then the thread removes the folder and ends the process. SIGTERM,
// which the kernel sends when the parent has died, does so at once. Neither needs Python's lock.
#include "extension/parent.h"

#include <pybind11/stl.h>
#include <sys/prctl.h>
#include <sys/un.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <chrono>
#include <condition_variable>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <mutex>
#include <string>
#include <thread>

#include "extension/interruptible.h"
#include "park/core/error.h"

namespace park::python {
namespace {

namespace py = pybind11;
using namespace py::literals;

constexpr std::chrono::seconds kGrace{1};
constexpr std::string_view kSocket = "/socket", kLock = "/socket.lock";  // of bridge::BoundEndpoint
constexpr std::size_t kLongestPath = sizeof(sockaddr_un::sun_path);

// A signal handler reaches nothing but globals.
std::array<char, kLongestPath> g_folder{}, g_socket{}, g_lock{};

std::mutex g_mutex;
std::condition_variable g_ended;
bool g_over = false;  // the parent has closed the link

extern "C" void leave_nothing(int) {
  unlink(g_socket.data());
  unlink(g_lock.data());
  rmdir(g_folder.data());
  _exit(EXIT_SUCCESS);
}

/// For this user alone.
std::string make_folder() {
  const char* from = std::getenv("TMPDIR");
  std::string path =
      std::string(from != nullptr && *from != '\0' ? from : "/tmp") + "/park-plugin-XXXXXX";
  if (path.size() + kLock.size() >= kLongestPath)
    throw Error(Errc::io, "TMPDIR: its path is too long for a socket");
  if (mkdtemp(path.data()) == nullptr)
    throw Error(Errc::io, path + ": cannot be made: " + std::strerror(errno));
  path.copy(g_folder.data(), path.size());
  (path + std::string(kSocket)).copy(g_socket.data(), kLongestPath - 1);
  (path + std::string(kLock)).copy(g_lock.data(), kLongestPath - 1);
  return path;
}

void watch(int link) {
  char byte = 0;
  for (ssize_t n = 1; n > 0 || (n < 0 && errno == EINTR);) n = read(link, &byte, 1);
  {
    const std::lock_guard lock(g_mutex);
    g_over = true;
  }
  g_ended.notify_all();
  std::this_thread::sleep_for(kGrace);
  leave_nothing(SIGTERM);
}

/// The folder for the socket. REQUIRES that it is called once.
std::string end_with(int link) {
  struct sigaction action {};
  action.sa_handler = leave_nothing;
  sigemptyset(&action.sa_mask);
  sigaction(SIGTERM, &action, nullptr);
  std::string folder = make_folder();
  static_cast<void>(prctl(PR_SET_PDEATHSIG, SIGTERM));
  std::thread(watch, link).detach();
  return folder;
}

void wait_for_end() {
  wait_until([](auto time) {
    std::unique_lock lock(g_mutex);
    return g_ended.wait_for(lock, time, [] { return g_over; });
  });
}

void leave() { std::filesystem::remove_all(g_folder.data()); }

}  // namespace

void bind_parent(py::module_& m) {
  m.def("end_with", &end_with, "link"_a);
  m.def("wait_for_end", &wait_for_end);
  m.def("leave", &leave);
}

}  // namespace park::python
