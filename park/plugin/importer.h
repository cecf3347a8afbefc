// The table of an importer's class. The class derives from command::ImportAction and has no
// arguments. It declares its configuration (I::Config) and its kind of data (`static
// command::DataKind I::kind()`, whose actions are not read).
#pragma once

#include <algorithm>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "park/command/data_kinds.h"
#include "park/command/import_action.h"
#include "park/core/config.h"
#include "park/core/json_writer.h"
#include "park/core/text.h"
#include "park/plugin/describe.h"

namespace park::plugin {

/// A file of the host.
class HostSource final : public files::ByteSource {
 public:
  explicit HostSource(const ParkInput& input) : input_(copied(input)) {}
  std::size_t read(std::span<char> into) override {
    std::size_t done = 0;
    while (done < into.size() && !ended_) {
      const std::int64_t n = input_.read(input_.self, into.data() + done, into.size() - done);
      cut_short_ = n < 0;
      ended_ = n <= 0;
      if (n > 0) done += static_cast<std::size_t>(n);
    }
    return done;
  }
  [[nodiscard]] bool cut_short() const noexcept override { return cut_short_; }

 private:
  ParkInput input_;
  bool ended_ = false, cut_short_ = false;
};

/// An import by the class, which is given its fields as a command would give them. The functions of
/// ImportAction that subclasses override are reached through it.
class Importing : public command::ImportAction {
 public:
  /// Sets the fields of a text and runs the import.
  static void run(command::ImportAction& action, const std::vector<FieldInfo>& fields,
                  const Value& text, const ParkImport& host) {
    command::FieldOptions given(fields);
    command::Options options;
    given.declare(options);
    Violations wrong;
    for (std::size_t i = 0; i < text.keys.size(); ++i)
      set(options, command::option_name(text.keys[i]), text.items[i], wrong);
    (action.*&Importing::read)(given, wrong);
    wrong.throw_if_any(Errc::invalid_config);
    std::vector<files::RecordedFile> recorded;
    for (std::uint64_t i = 0; i < host.file_count; ++i)
      recorded.push_back(
          {text_of(host.files[i]->name), std::make_unique<HostSource>(*host.files[i])});
    (action.*&Importing::convert)(std::move(recorded), [&](std::string_view bytes) {
      if (host.append(host.self, bytes.data(), bytes.size()) != PARK_OK)
        throw Error(Errc::io, "the host ended the import");
    });
    report(action, host);
  }

 private:
  static void set(const command::Options& options, const std::string& name, const Value& value,
                  Violations& wrong) {
    for (const command::Option& o : options.list())
      if (o.name == name)
        o.set({value.kind == Value::Kind::list ? to_text(value) : value.text}, wrong);
  }
  static void report(const command::ImportAction& action, const ParkImport& host) {
    const files::RowCount& rows = (action.*&Importing::rows)();
    host.rows(host.self, rows.rows);
    for (std::uint64_t i = 0; i < rows.broken; ++i)
      host.broken(host.self, i < rows.first_broken.size() ? rows.first_broken[i].c_str() : nullptr);
    JsonWriter json;
    json.begin_object();
    (action.*&Importing::write_made)(json);
    json.end_object();
    host.made(host.self, (action.*&Importing::made)().c_str(), json.take().c_str());
  }
};

/// It is in the memory.
template <class I>
[[nodiscard]] const ParkImporterType* importer_type(Memory& memory) {
  auto table = sized<ParkImporterType>();
  const command::DataKind kind = I::kind();
  const command::ActionInfo info = I().info();
  table.kind = memory.keep(kind.name);
  table.kind_summary = memory.keep(kind.summary);
  table.environment = memory.keep(kind.environment);
  table.kind_example = memory.keep(kind.example);
  table.form = memory.keep(info.form);
  table.summary = memory.keep(info.summary);
  table.details = memory.keep(info.details);
  table.example = memory.keep(info.example);
  const std::vector<FieldInfo> fields = field_infos<typename I::Config>();
  table.fields = describe(fields, memory);
  table.field_count = fields.size();
  table.run = [](const char* text, const ParkImport* import, ParkError* error) {
    return guarded(error, [&] {
      I action;
      Importing::run(action, field_infos<typename I::Config>(), parse_named(text), copied(*import));
    });
  };
  return memory.keep(table);
}

}  // namespace park::plugin
