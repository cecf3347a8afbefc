#include "park/envs/circuit/worker_image.h"

#ifdef PARK_WORKER_PROGRAM
asm(".section .rodata\n"
    ".balign 16\n"
    "park_circuit_worker_begin:\n"
    ".incbin \"" PARK_WORKER_PROGRAM
    "\"\n"
    "park_circuit_worker_end:\n"
    ".byte 0\n"
    ".previous\n");
// NOLINTNEXTLINE(readability-identifier-naming): symbols of the assembler
extern "C" const std::byte park_circuit_worker_begin[], park_circuit_worker_end[];
#endif

namespace park::circuit {

std::span<const std::byte> worker_image() noexcept {
#ifdef PARK_WORKER_PROGRAM
  return {park_circuit_worker_begin, park_circuit_worker_end};
#else
  return {};
#endif
}

}  // namespace park::circuit
