#include "cli/frame/interrupt.h"

#include <unistd.h>

#include <atomic>
#include <csignal>

namespace park::cli {
namespace {

// A signal handler reaches nothing but globals.
std::atomic<int> g_signal{0};
std::atomic<bool> g_patient{false};
static_assert(std::atomic<int>::is_always_lock_free && std::atomic<bool>::is_always_lock_free);

extern "C" void on_signal(int signal) {
  if (!g_patient.load() || g_signal.load() != 0) _exit(128 + signal);
  g_signal.store(signal);
}

}  // namespace

void handle_interrupts() {
  struct sigaction action {};
  action.sa_handler = on_signal;
  sigemptyset(&action.sa_mask);
  action.sa_flags = SA_RESTART;
  sigaction(SIGINT, &action, nullptr);
  sigaction(SIGTERM, &action, nullptr);
}

InterruptScope::InterruptScope() noexcept { g_patient = true; }
InterruptScope::~InterruptScope() { g_patient = false; }

int interrupted() noexcept { return g_signal.load(std::memory_order_relaxed); }

}  // namespace park::cli
