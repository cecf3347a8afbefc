#pragma once

#include <pybind11/pybind11.h>

#include <chrono>
#include <functional>
#include <future>
#include <memory>
#include <thread>
#include <utility>

namespace park::python {

/// How soon Ctrl-C is noticed while something is waited for.
constexpr std::chrono::milliseconds kLook{50};

/// Throws what a signal's handler has raised, such as KeyboardInterrupt. REQUIRES the GIL.
inline void check_signals() {
  if (PyErr_CheckSignals() != 0) throw pybind11::error_already_set();
}

/// Waits with the GIL released until `ready(time)` says that it is so; it returns after that time
/// at the latest. Throws as check_signals.
template <class Ready>
void wait_until(Ready&& ready) {
  for (;;) {
    {
      const pybind11::gil_scoped_release released;
      if (ready(kLook)) return;
    }
    check_signals();
  }
}

/// Calls a function that waits for other processes on a separate thread. After a signal the
/// function continues there to its own deadline, and its result is dropped; it must own all that it
/// uses.
template <class T>
T interruptible(std::function<T()> work) {
  auto task = std::make_shared<std::packaged_task<T()>>(std::move(work));
  std::future<T> result = task->get_future();
  std::thread([task] { (*task)(); }).detach();
  wait_until([&](auto time) { return result.wait_for(time) == std::future_status::ready; });
  return result.get();
}

}  // namespace park::python
