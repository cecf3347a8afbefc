#pragma once

namespace park::command {}

namespace park::cli {
// What commands are made of is written here without its namespace.
using namespace command;  // NOLINT(google-build-using-namespace)
}  // namespace park::cli
