#include "park/plugins/calls.h"

#include "park/plugin/read.h"

namespace park::plugins {

void ErrorPlace::fail(std::int32_t code, std::string_view who) {
  text_.back() = '\0';
  std::string text = text_.data();
  text_[0] = '\0';
  const bool known = code > PARK_OK && code < PARK_FAILED;
  if (text.empty()) text = "it failed with code " + std::to_string(code) + " and without a text";
  throw Error(plugin::errc_of(code), known ? text : std::string(who) + ": " + text);
}

Configuration::Configuration(std::shared_ptr<const Kind> kind, const Value& canonical)
    : kind_(std::move(kind)) {
  ErrorPlace error;
  error.expect_ok(kind_->configure(to_text(canonical).c_str(), &config_, error.get()), kind_->who);
}

Configuration::~Configuration() { kind_->forget(config_); }

Spec Configuration::spec() const {
  ErrorPlace error;
  const ParkSpec* theirs = nullptr;
  error.expect_ok(kind_->spec(config_, &theirs, error.get()), kind_->who);
  Spec spec;
  try {
    spec = plugin::read_spec(theirs);
  } catch (const Error& e) {
    throw Error(e.code(), kind_->who + ": " + e.what());
  }
  spec.traits.system = kind_->system;
  spec.text.clear();
  validate(spec);
  if (spec.name != kind_->name)
    throw Error(Errc::invalid_space, kind_->who + ": its spec has the name '" + spec.name + "'");
  return spec;
}

std::vector<std::filesystem::path> Configuration::data_files() const {
  if (kind_->data_files == nullptr) return {};
  ErrorPlace error;
  const char* const* list = nullptr;
  std::uint64_t count = 0;
  error.expect_ok(kind_->data_files(config_, &list, &count, error.get()), kind_->who);
  std::vector<std::filesystem::path> files;
  for (const std::string& file : plugin::texts_of(list, count, "data_files")) files.push_back(file);
  return files;
}

}  // namespace park::plugins
