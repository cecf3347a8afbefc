#pragma once

namespace park::python {

/// Translates exceptions of Park to park_sdk.errors.ParkError with their code, from now on.
void register_errors();

}  // namespace park::python
