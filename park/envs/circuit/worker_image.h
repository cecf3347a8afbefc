#pragma once

#include <cstddef>
#include <span>

namespace park::circuit {

/// The program of a simulator process (worker/main.cc); empty where the build had no headers of
/// ngspice. It is part of the library, so that every program and package that has the library has it.
[[nodiscard]] std::span<const std::byte> worker_image() noexcept;

}  // namespace park::circuit
