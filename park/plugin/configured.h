// Configurations of a plug-in's classes: a text is parsed once, and the spec, the environments and
// the list of files follow from it. Environments and running systems have the same four functions.
#pragma once

#include <memory>
#include <mutex>
#include <string>
#include <type_traits>
#include <vector>

#include "park/core/config.h"
#include "park/core/text.h"
#include "park/plugin/describe.h"
#include "park/plugin/tables.h"

namespace park::plugin {

/// The name of an environment's class, as a registry finds it.
template <class E>
[[nodiscard]] std::string name_of() {
  if constexpr (requires { E::kName; })
    return std::string(E::kName);
  else
    return E::spec(typename E::Config{}).name;
}

/// What a ParkConfig of the class E is.
template <class E>
class Configured {
 public:
  explicit Configured(const char* text)
      : config(parse_config<typename E::Config>(parse_named(text))) {}

  [[nodiscard]] static const Configured& of(const ParkConfig* c) noexcept {
    return *reinterpret_cast<const Configured*>(c);
  }
  /// Asked for by any thread, made once.
  [[nodiscard]] const ParkSpec* spec() const {
    const std::scoped_lock lock(mutex_);
    if (spec_ == nullptr) spec_ = describe(E::spec(config), memory_);
    return spec_;
  }
  [[nodiscard]] const std::vector<const char*>& files() const {
    const std::scoped_lock lock(mutex_);
    if constexpr (requires { E::data_files(config); }) {
      if (files_.empty())
        for (const auto& file : E::data_files(config))
          files_.push_back(memory_.keep(file.string()));
    }
    return files_;
  }

  const typename E::Config config;

 private:
  mutable std::mutex mutex_;  // of what follows
  mutable Memory memory_;
  mutable const ParkSpec* spec_ = nullptr;
  mutable std::vector<const char*> files_;
};

/// Sets the members that ParkEnvType and ParkSystemType have in common. What they point to is in
/// the memory.
template <class E, class Table>
void set_common(Table& table, Memory& memory) {
  using Own = Configured<E>;
  table.name = memory.keep(name_of<E>());
  const std::vector<FieldInfo> fields = field_infos<typename E::Config>();
  table.fields = describe(fields, memory);
  table.field_count = fields.size();
  table.configure = [](const char* text, ParkConfig** config, ParkError* error) {
    return guarded(error, [&] {
      *config = reinterpret_cast<ParkConfig*>(std::make_unique<Own>(text).release());
    });
  };
  table.forget = [](ParkConfig* config) { delete reinterpret_cast<Own*>(config); };
  table.spec = [](const ParkConfig* config, const ParkSpec** spec, ParkError* error) {
    return guarded(error, [&] { *spec = Own::of(config).spec(); });
  };
  if constexpr (requires(const Own& own) { E::data_files(own.config); })
    table.data_files = [](const ParkConfig* config, const char* const** files, std::uint64_t* count,
                          ParkError* error) {
      return guarded(error, [&] {
        *files = Own::of(config).files().data();
        *count = Own::of(config).files().size();
      });
    };
}

}  // namespace park::plugin
