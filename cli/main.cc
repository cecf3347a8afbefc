#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <iostream>
#include <string_view>

#include "cli/allocations.h"
#include "cli/frame/app.h"
#include "cli/frame/interrupt.h"
#include "park/core/thread_bytes.h"

namespace {

bool error_is_terminal() {
  const char* kind = std::getenv("TERM");
  return isatty(STDERR_FILENO) == 1 && kind != nullptr && std::string_view(kind) != "dumb";
}

/// Lines of 80 to 120 characters, as the terminal allows; 110 without one.
std::size_t line_width() {
  winsize size{};
  if (ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) != 0 || size.ws_col == 0) return 110;
  return std::clamp<std::size_t>(size.ws_col, 80, 120);
}

}  // namespace

int main(int argc, char** argv) {
  park::set_thread_bytes(&park::cli::allocated_by_thread);
  park::cli::handle_interrupts();
  return park::cli::park_main({argv + 1, argv + argc}, std::cout, std::cerr,
                              {.terminal = error_is_terminal(), .width = line_width()});
}
