#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "park/command/data_action.h"
#include "park/command/field_options.h"
#include "park/command/out_option.h"
#include "park/files/new_file.h"
#include "park/files/recording.h"

namespace park::command {

/// An action that makes one file of recorded ones: FILE ... --out PATH [--overwrite], and an option
/// for each field of a configuration. Files may be packed with zstd, lz4 or gzip. What is made is
/// written while it is made; it has its name only when all was well. The report ends with the
/// broken rows.
class ImportAction : public DataAction {
 public:
  /// `fields`: of the configuration.
  ImportAction(ActionInfo info, const std::vector<FieldInfo>& fields);

  [[nodiscard]] ActionInfo info() const final { return info_; }
  void declare(Options&) final;
  void check(Violations&) final;
  void make(ReadProgress&) final;
  void write() final;
  void write_json(JsonWriter&) const final;
  [[nodiscard]] std::string text(std::size_t width) const final;

 protected:
  using Append = std::function<void(std::string_view)>;

  /// Reads the configuration from what was given.
  virtual void read(const FieldOptions& given, Violations& wrong) = 0;
  /// Reads the files and appends the text to be written. Throws Error.
  virtual void convert(std::vector<files::RecordedFile>, const Append&) = 0;
  [[nodiscard]] virtual const files::RowCount& rows() const = 0;
  /// What was made, as members of the open object.
  virtual void write_made(JsonWriter&) const = 0;
  /// The same for people: it continues the line "wrote PATH: " and ends that line.
  [[nodiscard]] virtual std::string made() const = 0;

 private:
  ActionInfo info_;
  FieldOptions fields_;
  std::vector<std::string> files_;
  OutOption out_;
  std::optional<files::NewFile> file_;
};

}  // namespace park::command
