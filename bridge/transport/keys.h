#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace park::bridge {

/// Keys of CURVE, as 40 characters of Z85 each.
struct KeyPair {
  std::string public_key, secret_key;
  bool operator==(const KeyPair&) const = default;
};

[[nodiscard]] KeyPair new_key_pair();
[[nodiscard]] bool is_key(std::string_view text);

/// A file that its owner alone can read, with both keys. Throws Failed{invalidConfig} if the
/// file is there already or cannot be written.
void write_key_file(const std::string& path, const KeyPair&);
/// Throws Failed{invalidConfig} or, where others can read it, {notAllowed}.
[[nodiscard]] KeyPair read_key_file(const std::string& path);

/// A public key on each line; what follows # is for people. Throws Failed{invalidConfig} in one
/// line that names the first line that is wrong, and for a file without a key.
[[nodiscard]] std::vector<std::string> read_allowed_keys(const std::string& path);

}  // namespace park::bridge
