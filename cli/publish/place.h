#pragma once

#include <cstdint>
#include <string>

#include "cli/frame/names.h"
#include "park/command/options.h"
#include "park/exchange/object.h"

namespace park::cli {

/// A folder or a git repository that objects are published to and fetched from, with its limits.
class Place {
 public:
  /// Adds the option that names it, --most-mib and --timeout.
  void declare(Options&, const std::string& option, const std::string& doc);
  /// Adds what is wrong.
  void check(const std::string& option, Violations&) const;

  [[nodiscard]] const std::string& text() const noexcept { return text_; }
  /// Bytes of one object.
  [[nodiscard]] std::uint64_t most_bytes() const noexcept { return most_mib_ << 20; }
  /// See FolderStore and GitStore.
  [[nodiscard]] std::string put(const exchange::Object&, bool overwrite) const;
  [[nodiscard]] exchange::Object get(const std::string& hash_or_name) const;

 private:
  std::string text_;
  std::uint64_t most_mib_ = 1024, timeout_s_ = 120;
};

}  // namespace park::cli
