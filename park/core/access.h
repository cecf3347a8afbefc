#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "park/core/config.h"
#include "park/core/text.h"

namespace park {

/// What the texts of other people, such as the clients of a server, may name on this machine. By
/// default that is bundled data: no other file or folder, no server, no running system, and no text
/// that is undeclared (Names). A refusal says nothing of what is there.
class Access {
 public:
  /// Also a folder with all that is in it. Throws Error{io} if it is none.
  void allow_data(const std::string& folder);
  /// Also servers elsewhere.
  void allow_remote() noexcept { remote_ = true; }
  [[nodiscard]] bool remote() const noexcept { return remote_; }

  /// Whether a path leads into an allowed folder, there or not: with its links resolved, and with
  /// all links below it. Devices and pipes are in none.
  [[nodiscard]] bool holds(const std::string& path) const;
  /// Throws Error{not_allowed} in one line, which names the field, where the fields of a text name
  /// more. Fields that are not listed are left to whoever reads the text.
  void check(const Value& text, const std::vector<FieldInfo>& fields) const;
  /// For messages: which files are allowed, with words for bundled ones.
  [[nodiscard]] std::string allowed_files(const std::vector<std::string>& bundled) const;

 private:
  void check(const Value&, const FieldInfo&, const std::string& path) const;
  void check_fields(const Value&, const std::vector<FieldInfo>&, const std::string& before) const;
  void check_file(const std::string& text, const FieldInfo&, const std::string& path) const;
  [[nodiscard]] bool inside(const std::filesystem::path& resolved) const;
  [[nodiscard]] bool links_stay_inside(const std::filesystem::path& folder) const;

  std::vector<std::filesystem::path> folders_;  // resolved
  bool remote_ = false;
};

}  // namespace park
