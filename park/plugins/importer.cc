// An import by a plug-in. The command opens the files and writes what is made; Import carries the
// plug-in's calls. What Park throws in one of them is kept, and thrown again when the plug-in has
// returned.
#include "park/plugins/importer.h"

#include <exception>
#include <span>
#include <utility>

#include "park/core/json_writer.h"
#include "park/files/byte_source.h"
#include "park/plugin/tables.h"

namespace park::plugins {
namespace {

command::ActionInfo info_of(const ImporterKind& kind) {
  const ParkImporterType& t = kind.calls;
  return {.name = "import",
          .form = plugin::text_of(t.form),
          .summary = plugin::text_of(t.summary),
          .details = plugin::text_of(t.details),
          .example = plugin::text_of(t.example)};
}

void write_value(JsonWriter& json, const files::JsonValue& v) {
  using Kind = files::JsonValue::Kind;
  switch (v.kind) {
    case Kind::null:
      json.null();
      return;
    case Kind::boolean:
      json.value(v.yes);
      return;
    case Kind::number:
      json.value(v.number);
      return;
    case Kind::text:
      json.value(v.text);
      return;
    case Kind::array:
      json.begin_array();
      for (const double number : v.numbers) json.value(number);
      for (const files::JsonValue& item : v.items) write_value(json, item);
      json.end_array();
      return;
    case Kind::object:
      json.begin_object();
      for (std::size_t i = 0; i < v.keys.size(); ++i) {
        json.key(v.keys[i]);
        write_value(json, v.items[i]);
      }
      json.end_object();
  }
}

}  // namespace

/// One import.
class PluginImport::Import {
 public:
  Import(PluginImport& to, std::vector<files::RecordedFile>& recorded, const Append& append)
      : to_(&to), append_(&append) {
    inputs_.reserve(recorded.size());
    for (files::RecordedFile& file : recorded) {
      sources_.push_back({this, file.source.get()});
      names_.push_back(file.name);
    }
    for (std::size_t i = 0; i < recorded.size(); ++i) {
      inputs_.push_back({sizeof(ParkInput), &sources_[i], names_[i].c_str(), &read});
      files_.push_back(&inputs_.back());
    }
    table_ = {sizeof(ParkImport), this,  files_.data(), files_.size(),
              &append_bytes,      &rows, &broken,       &made};
  }
  [[nodiscard]] const ParkImport* table() const noexcept { return &table_; }
  void finish() const {
    if (failed_) std::rethrow_exception(failed_);
  }

 private:
  struct Source {
    Import* import;
    files::ByteSource* bytes;
  };
  template <class F>
  bool guarded(F&& f) noexcept {
    if (failed_) return false;
    try {
      f();
    } catch (...) {
      failed_ = std::current_exception();
    }
    return !failed_;
  }
  static Import& of(void* self) noexcept { return *static_cast<Import*>(self); }

  static std::int64_t read(void* self, void* bytes, std::uint64_t capacity) {
    const Source source = *static_cast<Source*>(self);
    std::int64_t n = -1;
    source.import->guarded([&] {
      n = static_cast<std::int64_t>(
          source.bytes->read(std::span(static_cast<char*>(bytes), capacity)));
      if (n == 0 && source.bytes->cut_short()) n = -1;
    });
    return n;
  }
  static std::int32_t append_bytes(void* self, const void* bytes, std::uint64_t count) {
    const bool ok = of(self).guarded(
        [&] { (*of(self).append_)(std::string_view(static_cast<const char*>(bytes), count)); });
    return ok ? PARK_OK : PARK_IO;
  }
  static void rows(void* self, std::uint64_t count) { of(self).to_->rows_.rows += count; }
  static void broken(void* self, const char* text) {
    of(self).guarded([&] {
      files::RowCount& rows = of(self).to_->rows_;
      ++rows.broken;
      if (text != nullptr && rows.first_broken.size() < files::RowCount::kMostListed)
        rows.first_broken.push_back(printable(text));
    });
  }
  static void made(void* self, const char* text, const char* json) {
    of(self).guarded([&] {
      PluginImport& to = *of(self).to_;
      to.made_ = printable(plugin::text_of(text), "\n");
      if (!to.made_.ends_with('\n')) to.made_ += '\n';
      if (json == nullptr) return;
      const auto add = [&](std::string_view key, const files::JsonValue& value) {
        to.json_.keys.emplace_back(key);
        to.json_.items.push_back(value);
      };
      const auto source = files::memory_source(json);
      files::read_json_parts(*source, "what the plug-in made",
                             {.parts = "\n", .on_part = [](const auto&) {}, .on_member = add});
    });
  }

  PluginImport* to_;
  const Append* append_;
  std::vector<Source> sources_;
  std::vector<std::string> names_;
  std::vector<ParkInput> inputs_;
  std::vector<const ParkInput*> files_;
  ParkImport table_{};
  std::exception_ptr failed_;
};

PluginImport::PluginImport(std::shared_ptr<const ImporterKind> kind)
    : ImportAction(info_of(*kind), kind->fields), kind_(std::move(kind)) {}

void PluginImport::read(const command::FieldOptions& given, Violations& wrong) {
  text_ = given.read("import", wrong);
}

void PluginImport::convert(std::vector<files::RecordedFile> recorded, const Append& append) {
  ErrorPlace error;
  Import import(*this, recorded, append);
  const std::int32_t code = kind_->calls.run(to_text(text_).c_str(), import.table(), error.get());
  import.finish();
  error.expect_ok(code, kind_->who);
  rows_.refuse_broken();
}

void PluginImport::write_made(JsonWriter& json) const {
  for (std::size_t i = 0; i < json_.keys.size(); ++i) {
    json.key(json_.keys[i]);
    write_value(json, json_.items[i]);
  }
}

}  // namespace park::plugins
