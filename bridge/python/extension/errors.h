#pragma once

namespace park::python {

/// From now on what Park throws arrives in Python as park_sdk.errors.ParkError with its code.
void register_errors();

}  // namespace park::python
