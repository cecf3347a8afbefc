#pragma once

#include <memory>
#include <string>
#include <vector>

#include "park/command/import_action.h"
#include "park/core/text.h"
#include "park/files/json_tree.h"
#include "park/plugins/calls.h"

namespace park::plugins {

/// An importer of a plug-in.
class PluginImport final : public command::ImportAction {
 public:
  explicit PluginImport(std::shared_ptr<const ImporterKind>);

 private:
  class Import;

  void read(const command::FieldOptions& given, Violations& wrong) override;
  void convert(std::vector<files::RecordedFile>, const Append&) override;
  [[nodiscard]] const files::RowCount& rows() const override { return rows_; }
  void write_made(JsonWriter&) const override;
  [[nodiscard]] std::string made() const override { return made_; }

  std::shared_ptr<const ImporterKind> kind_;
  Value text_{};
  files::RowCount rows_;
  std::string made_;
  files::JsonValue json_{};  // what was made, for programs
};

}  // namespace park::plugins
