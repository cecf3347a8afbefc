#include "bridge/transport/keys.h"

#include <zmq.h>

#include <algorithm>
#include <array>
#include <filesystem>

#include "bridge/codec/failure.h"
#include "bridge/transport/secret_file.h"

namespace park::bridge {
namespace {

constexpr std::size_t kKeyCharacters = 40;
constexpr std::string_view kKeySchema = "park.key";
constexpr std::string_view kZ85 =
    "0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ.-:+=^!/*?&<>()[]{}@%$#";

std::string_view trimmed(std::string_view line) {
  constexpr std::string_view kBlank = " \t\r";
  const std::size_t first = line.find_first_not_of(kBlank);
  if (first == std::string_view::npos) return {};
  return line.substr(first, line.find_last_not_of(kBlank) - first + 1);
}

/// The key of a line: its first word. A key may contain #, so only a # after a blank, or at the
/// beginning, begins a remark.
std::string_view key_of_line(std::string_view line) {
  line = trimmed(line);
  if (line.starts_with('#') && (line.size() < kKeyCharacters || line.substr(1, 1) == " "))
    return {};
  return line.substr(0, line.find_first_of(" \t"));
}

}  // namespace

KeyPair new_key_pair() {
  std::array<char, kKeyCharacters + 1> open{}, secret{};
  if (zmq_curve_keypair(open.data(), secret.data()) != 0)
    throw Failed(Code::UNSUPPORTED, "keys: this libzmq was built without CURVE");
  return {open.data(), secret.data()};
}

bool is_key(std::string_view text) {
  return text.size() == kKeyCharacters && text.find_first_not_of(kZ85) == std::string_view::npos;
}

void write_key_file(const std::string& path, const KeyPair& keys) {
  if (std::filesystem::exists(path))
    throw Failed(Code::INVALID_CONFIG, path + ": is there already");
  write_secret_document(path, kKeySchema, [&](JsonWriter& json) {
    json.member("public", keys.public_key).member("secret", keys.secret_key);
  });
}

KeyPair read_key_file(const std::string& path) {
  auto texts = read_secret_document(path, kKeySchema);
  KeyPair keys{texts["public"], texts["secret"]};
  if (!is_key(keys.public_key) || !is_key(keys.secret_key))
    throw Failed(Code::INVALID_CONFIG, path + ": public and secret are not keys of 40 characters");
  return keys;
}

std::vector<std::string> read_allowed_keys(const std::string& path) {
  const std::string text = read_small_file(path, false);
  std::vector<std::string> keys;
  std::size_t number = 0;
  for (std::string_view rest = text; !rest.empty();) {
    const std::size_t end = std::min(rest.find('\n'), rest.size());
    const std::string_view key = key_of_line(rest.substr(0, end));
    rest.remove_prefix(std::min(end + 1, rest.size()));
    ++number;
    if (key.empty()) continue;
    if (!is_key(key))
      throw Failed(Code::INVALID_CONFIG, path + ": line " + std::to_string(number) +
                                             " begins with no public key of 40 characters");
    keys.emplace_back(key);
  }
  if (keys.empty()) throw Failed(Code::INVALID_CONFIG, path + ": has no key");
  return keys;
}

}  // namespace park::bridge
