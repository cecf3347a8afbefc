// The functions of a plug-in's tables, with what the host needs to know to call them. Tables are
// copied once, when the plug-in is loaded; required functions are there. A Configuration is what a
// table makes of a text.
#pragma once

#include <array>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "park/core/config.h"
#include "park/core/error.h"
#include "park/core/registry.h"
#include "park/core/space.h"
#include "park/core/text.h"
#include "park/plugin.h"

namespace park::plugins {

/// Where a plug-in writes the text of an error.
class ErrorPlace {
 public:
  ErrorPlace() noexcept {
    text_[0] = '\0';
    error_ = {sizeof(ParkError), text_.data(), text_.size()};
  }
  ErrorPlace(const ErrorPlace&) = delete;
  ErrorPlace& operator=(const ErrorPlace&) = delete;

  [[nodiscard]] ParkError* get() noexcept { return &error_; }
  /// Throws Error with the plug-in's text unless the code is PARK_OK. `who` such as "plug-in
  /// shop: queue" begins the text where the error is of no kind that Park knows.
  void expect_ok(std::int32_t code, std::string_view who) {
    if (code != PARK_OK) [[unlikely]]
      fail(code, who);
  }
  [[noreturn]] void fail(std::int32_t code, std::string_view who);

 private:
  std::array<char, 2048> text_;  // not zeroed: an environment has one for each step
  ParkError error_{};
};

/// What environments and running systems have in common.
struct Kind {
  std::string who{};  ///< "plug-in shop: queue", for messages
  std::string name{};
  bool system = false;
  std::vector<FieldInfo> fields{};
  decltype(ParkEnvType::configure) configure = nullptr;
  decltype(ParkEnvType::forget) forget = nullptr;
  decltype(ParkEnvType::spec) spec = nullptr;
  decltype(ParkEnvType::data_files) data_files = nullptr;
};

struct EnvKind : Kind {
  ParkEnvType calls{};
};
struct SystemKind : Kind {
  ParkSystemType calls{};
};
struct PolicyKind {
  std::string who{};
  PolicyInfo info{};
  ParkPolicyType calls{};
  std::vector<FieldInfo> fields{};
};
struct ImporterKind {
  std::string who{};
  ParkImporterType calls{};
  std::vector<FieldInfo> fields{};
};

/// A text that a kind of environment or system has read. May be shared by threads.
class Configuration {
 public:
  /// Throws Error with the plug-in's text.
  Configuration(std::shared_ptr<const Kind>, const Value& canonical);
  ~Configuration();
  Configuration(const Configuration&) = delete;
  Configuration& operator=(const Configuration&) = delete;

  [[nodiscard]] const ParkConfig* get() const noexcept { return config_; }
  /// Throws Error, also where the spec is damaged, invalid, or that of another name.
  [[nodiscard]] Spec spec() const;
  [[nodiscard]] std::vector<std::filesystem::path> data_files() const;

 private:
  std::shared_ptr<const Kind> kind_;
  ParkConfig* config_ = nullptr;
};

}  // namespace park::plugins
